// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/macros.hpp"

#include "common/json.hpp"
#include "common/own_files.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace mkmd::vendor {

namespace {

using nlohmann::json;

constexpr int kFormat = 2;            // of the cache file
constexpr size_t kRoom = 1U << 16;    // bytes of a report
constexpr size_t kMostAtOnce = 256;   // names: a report has room for all of them
constexpr size_t kLongestText = 200;  // of a macro: longer ones are no predefined numbers

// What is known of the devices, and what they could not be asked: names by kind of device.
struct Kept {
  json content;  // of the cache file
  std::set<std::pair<std::string, std::vector<std::string>>> refused;
};

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
std::string report_source(const std::vector<std::string>& names) {
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

// Into `known`, as JSON: a text, or null where a name is not defined.
Status ask(const Device& device, const std::string& options, const std::vector<std::string>& names,
           json& known) {
  for (size_t first = 0; first < names.size(); first += kMostAtOnce) {
    const std::vector<std::string> some(
        names.begin() + static_cast<std::ptrdiff_t>(first),
        names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), first + kMostAtOnce)));
    Result<std::string> report = run_report(device, report_source(some), options);
    if (!report) return report.status();
    std::istringstream lines(*report);
    for (const std::string& name : some) {
      std::string line;
      if (!std::getline(lines, line) || line.empty() || line.size() > kLongestText) return silent();
      known[name] = line[0] == '1' ? json(line.substr(1)) : json();
    }
  }
  return {};
}

json read_cache(const std::string& file) {
  const Result<std::string> text =
      file.empty() ? Result<std::string>(std::string()) : read_own_file(file, 1U << 20);
  const Result<json> parsed = parse_json(text ? *text : "");
  json cache = parsed ? *parsed : json();
  if (!cache.is_object() || cache["format"] != kFormat || !cache["devices"].is_object())
    cache = {{"format", kFormat}, {"devices", json::object()}};
  return cache;
}

bool has(const json& known, const std::string& name) {
  return known.contains(name) && (known[name].is_null() || known[name].is_string());
}

}  // namespace

std::string compiler_of(const Device& device) {
  return device.device_name + "|" + device_string(device.id, CL_DEVICE_VERSION) + "|" +
         device_string(device.id, CL_DRIVER_VERSION) + "|" +
         platform_string(device.platform, CL_PLATFORM_VERSION);
}

Result<Macros> predefined_macros(const Device& device, const std::string& build_options,
                                 const std::vector<std::string>& names, const std::string& cache_file) {
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::map<std::string, Kept>;  // by cache file
  const std::string options = language_options(build_options);
  const std::string kind = compiler_of(device) + "|" + options;
  const std::lock_guard lock(*mutex);
  Kept& cache = (*kept)[cache_file];
  if (cache.content.is_null()) cache.content = read_cache(cache_file);
  json& known = cache.content["devices"][kind];
  if (!known.is_object()) known = json::object();
  std::vector<std::string> missing;
  for (const std::string& name : names)
    if (!has(known, name)) missing.push_back(name);
  if (!missing.empty()) {
    // A device that could not tell will not the next time: no program waits for it twice.
    if (cache.refused.contains({kind, missing})) return silent();
    if (Status s = ask(device, options, missing, known); !s.ok()) {
      cache.refused.insert({kind, missing});
      return s;
    }
    if (!cache_file.empty()) {
      // What others have asked in the meantime is asked again when it is needed.
      (void)replace_own_file(cache_file,
                             cache.content.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
    }
  }
  Macros found;
  for (const std::string& name : names) {
    if (known[name] == name)
      return Status::internal("the text of the device's macro " + name + " is not to be had");
    found[name] = known[name].is_null() ? std::nullopt : std::optional(known[name].get<std::string>());
  }
  return found;
}

}  // namespace mkmd::vendor
