// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/macros.hpp"

#include "common/json.hpp"
#include "common/own_files.hpp"
#include "common/thread_annotations.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace mkmd::vendor {

namespace {

using nlohmann::json;

using Names = std::vector<std::string>;

constexpr int kFormat = 2;            // of the cache file
constexpr size_t kRoom = 1U << 16;    // bytes of a report
constexpr size_t kMostAtOnce = 256;   // names: a report has room for all of them
constexpr size_t kLongestText = 200;  // of a macro: longer ones are no predefined numbers

// What a kind of device predefines: a text, or nothing where a name is not defined.
using Known = std::map<std::string, Macros>;  // by kind of device

struct Kept {
  Known known;
  std::set<std::pair<std::string, Names>> refused;  // what devices could not be asked
  bool asking = false;                              // a thread asks one
};

// What is known, by cache file. Never destroyed.
struct AllKept {
  Mutex mutex;
  std::map<std::string, Kept> of GUARDED_BY(mutex);
  std::condition_variable answered;
};

AllKept& all_kept() {
  static auto* const all = new AllKept;
  return *all;
}

Status silent() {
  return Status::internal("the device does not say what its compiler predefines");
}

// Only options of this kind change what is predefined. A program's own definitions are not asked about.
std::string language_options(const std::string& options) {
  std::istringstream in(options);
  std::string out;
  for (std::string word; in >> word;) {
    if (word.starts_with("-cl-")) out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

// One line a name: "0" where it is not defined, "1" and its text otherwise. The kernel copies it out.
std::string report_source(const Names& names) {
  std::string source = "#define MKMD_TEXT_(x) #x\n#define MKMD_TEXT(x) MKMD_TEXT_(x)\n"
                       "__constant char mkmd_report[] =\n";
  for (const std::string& name : names)
    source += "#ifdef " + name + "\n\"1\" MKMD_TEXT(" + name + ")\n#else\n\"0\"\n#endif\n\"\\n\"\n";
  return source +
         ";\n__kernel void mkmd_tell(__global char* out, uint room) {\n"
         "  for (uint i = 0; i < room; ++i) out[i] = i < sizeof(mkmd_report) ? mkmd_report[i] : 0;\n}\n";
}

Result<std::string> run_report(const Device& device, const std::string& source, const std::string& options) {
  const auto& t = table(device.id);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int error = CL_SUCCESS;
  const Owned context(t.clCreateContext(properties, 1, &device.id, nullptr, nullptr, &error));
  if (!context) return silent();
  const Owned queue(t.clCreateCommandQueue(context.get(), device.id, 0, &error));
  const Owned out(t.clCreateBuffer(context.get(), CL_MEM_READ_WRITE, kRoom, nullptr, &error));
  const char* text = source.c_str();
  const Owned program(t.clCreateProgramWithSource(context.get(), 1, &text, nullptr, &error));
  if (!queue || !out || !program ||
      t.clBuildProgram(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return silent();
  const Owned kernel(t.clCreateKernel(program.get(), "mkmd_tell", &error));
  if (!kernel) return silent();
  const cl_mem buffer = out.get();
  const cl_uint room = kRoom;
  const size_t one = 1;
  std::string report(kRoom, '\0');
  if (t.clSetKernelArg(kernel.get(), 0, sizeof buffer, &buffer) != CL_SUCCESS ||
      t.clSetKernelArg(kernel.get(), 1, sizeof room, &room) != CL_SUCCESS ||
      t.clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr) !=
          CL_SUCCESS ||
      t.clEnqueueReadBuffer(queue.get(), buffer, CL_TRUE, 0, kRoom, report.data(), 0, nullptr, nullptr) !=
          CL_SUCCESS)
    return silent();
  report.resize(report.find('\0') == std::string::npos ? kRoom : report.find('\0'));
  return report;
}

Result<Macros> ask(const Device& device, const std::string& options, const Names& names) {
  Macros found;
  for (size_t first = 0; first < names.size(); first += kMostAtOnce) {
    const Names some(names.begin() + static_cast<std::ptrdiff_t>(first),
                     names.begin() +
                         static_cast<std::ptrdiff_t>(std::min(names.size(), first + kMostAtOnce)));
    Result<std::string> report = run_report(device, report_source(some), options);
    if (!report) return report.status();
    std::istringstream lines(*report);
    for (const std::string& name : some) {
      std::string line;
      if (!std::getline(lines, line) || line.empty() || line.size() > kLongestText) return silent();
      found[name] = line[0] == '1' ? std::optional(line.substr(1)) : std::nullopt;
    }
  }
  return found;
}

Known read_cache(const std::string& file) {
  const Result<std::string> text =
      file.empty() ? Result<std::string>(std::string()) : read_own_file(file, 1U << 20);
  const Result<json> parsed = parse_json(text ? *text : "");
  json cache = parsed ? *parsed : json();
  if (!cache.is_object() || cache["format"] != kFormat || !cache["devices"].is_object()) return {};
  Known known;
  for (const auto& [kind, macros] : cache["devices"].items()) {
    if (!macros.is_object()) continue;
    for (const auto& [name, value] : macros.items()) {
      if (value.is_null() || value.is_string())
        known[kind][name] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    }
  }
  return known;
}

// What others have asked in the meantime is asked again when it is needed.
void write_cache(const std::string& file, const Known& known) {
  if (file.empty()) return;
  json devices = json::object();
  for (const auto& [kind, macros] : known) {
    json& of = devices[kind] = json::object();
    for (const auto& [name, text] : macros)
      of[name] = text ? json(*text) : json();
  }
  const json cache = {{"format", kFormat}, {"devices", std::move(devices)}};
  (void)replace_own_file(file, cache.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
}

Names missing_in(const Macros& known, const Names& names) {
  Names missing;
  for (const std::string& name : names)
    if (!known.contains(name)) missing.push_back(name);
  return missing;
}

// What is known of one kind of device, and the right to ask it for the rest: one thread at a time has that.
class Inquiry {
public:
  Inquiry(const std::string& cache_file, const std::string& kind, const Names& names)
      : kept_(kept_in(cache_file)), kind_(kind) {
    AllKept& all = all_kept();
    Lock lock(all.mutex);
    for (;;) {
      missing_ = missing_in(kept_.known[kind], names);
      refused_ = kept_.refused.contains({kind, missing_});
      if (missing_.empty() || refused_) return;
      if (!kept_.asking) break;
      all.answered.wait(lock.to_wait());
    }
    asks_ = kept_.asking = true;
  }
  // Who had no answer will not have one the next time: no program waits for a device twice.
  ~Inquiry() {
    if (asks_) end(nullptr);
  }
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;

  bool is_refused() const { return refused_; }
  const Names& missing() const { return missing_; }

  // All that is known then.
  Known answer(const Macros& found) { return end(&found); }
  Macros known() const {
    const Lock lock(all_kept().mutex);
    return kept_.known[kind_];
  }

private:
  static Kept& kept_in(const std::string& cache_file) {
    AllKept& all = all_kept();
    {
      const Lock lock(all.mutex);
      if (const auto kept = all.of.find(cache_file); kept != all.of.end()) return kept->second;
    }
    Known known = read_cache(cache_file);
    const Lock lock(all.mutex);
    return all.of.try_emplace(cache_file, Kept{std::move(known), {}}).first->second;
  }

  Known end(const Macros* found) {
    AllKept& all = all_kept();
    const Lock lock(all.mutex);
    asks_ = kept_.asking = false;
    all.answered.notify_all();
    if (found != nullptr) {
      kept_.known[kind_].insert(found->begin(), found->end());
    } else {
      kept_.refused.insert({kind_, missing_});
    }
    return kept_.known;
  }

  Kept& kept_;  // the mutex guards it
  const std::string& kind_;
  Names missing_;
  bool refused_ = false;
  bool asks_ = false;
};

}  // namespace

std::string compiler_of(const Device& device) {
  return device.device_name + "|" + device_string(device.id, CL_DEVICE_VERSION) + "|" +
         device_string(device.id, CL_DRIVER_VERSION) + "|" +
         platform_string(device.platform, CL_PLATFORM_VERSION);
}

Result<Macros> predefined_macros(const Device& device, const std::string& build_options,
                                 const std::vector<std::string>& names, const std::string& cache_file) {
  const std::string options = language_options(build_options);
  const std::string kind = compiler_of(device) + "|" + options;
  Inquiry inquiry(cache_file, kind, names);
  if (inquiry.is_refused()) return silent();
  if (!inquiry.missing().empty()) {
    const Result<Macros> answer = ask(device, options, inquiry.missing());
    if (!answer) return answer.status();
    write_cache(cache_file, inquiry.answer(*answer));
  }
  Macros known = inquiry.known();
  for (const std::string& name : names) {
    if (known.at(name) == name)
      return Status::internal("the text of the device's macro " + name + " is not to be had");
  }
  std::erase_if(known, [](const auto& macro) { return macro.second == macro.first; });
  return known;
}

}  // namespace mkmd::vendor
