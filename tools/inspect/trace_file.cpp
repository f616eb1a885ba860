// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/trace_file.hpp"

#include "common/json.hpp"
#include "common/json_reader.hpp"
#include "common/text.hpp"
#include "platform/json.hpp"
#include "scheduler/json_forms.hpp"
#include "tools/inspect/trace_lines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unordered_map>

namespace mkmd::inspect {

namespace {

using nlohmann::json;

constexpr int kFormat = 2;

class Reader {
public:
  Trace take() && {
    // Nanoseconds of a clock that began anywhere: doubles hold what remains after the first instant.
    const uint64_t zero = instants_.empty() ? 0 : *std::min_element(instants_.begin(), instants_.end());
    size_t next = 0;
    const auto set = [&](double& value) { value = static_cast<double>(instants_[next++] - zero) * 1e-9; };
    for (double* value : places())
      set(*value);
    merge_native();
    return std::move(trace_);
  }

  Status line(const json& j) {
    status_ = {};
    JsonReader in(j, "", status_);
    if (!status_) return status_;
    if (!begun_) {
      header(in, j);
    } else if (in.has("trace")) {
      in.fail("trace", "a second trace begins here: each process needs a file of its own");
    } else if (in.has("platform")) {
      platform(j["platform"]);
    } else if (in.has("window")) {
      window(j["window"]);
    } else if (in.has("piece")) {
      piece(j["piece"]);
    } else if (in.has("transfer")) {
      transfer(j["transfer"]);
    } else if (in.has("memory")) {
      memory_command(j["memory"]);
    } else if (in.has("outcome")) {
      outcome(j["outcome"]);
    } else if (in.has("native")) {
      native(j["native"]);
    }
    return status_;
  }

private:
  // Every double that holds an instant, in the order instants_ was filled.
  std::vector<double*> places() {
    std::vector<double*> all(instants_.size());
    for (const auto& [at, kind, index, end] : marks_) {
      double* value = nullptr;
      if (kind == 'w') value = &trace_.windows[index].time;
      if (kind == 'p') value = end ? &trace_.pieces[index].end : &trace_.pieces[index].start;
      if (kind == 't') value = end ? &trace_.transfers[index].end : &trace_.transfers[index].start;
      if (kind == 'm')
        value = end ? &trace_.memory_commands[index].end : &trace_.memory_commands[index].start;
      all[at] = value;
    }
    return all;
  }

  uint64_t instant(JsonReader& in, const json& j, const char* key) {
    if (!in.has(key) || !j[key].is_number_integer() || j[key] < 0) {
      in.fail(key, "must be a time in nanoseconds");
      return 0;
    }
    return j[key].get<uint64_t>();
  }
  void mark(uint64_t time, char kind, size_t index, bool end) {
    marks_.push_back({instants_.size(), kind, index, end});
    instants_.push_back(time);
  }
  void interval(JsonReader& in, const json& j, char kind, size_t index) {
    const uint64_t start = instant(in, j, "start");
    const uint64_t end = instant(in, j, "end");
    if (end < start) in.fail("end", "is before start");
    if (!status_) return;
    mark(start, kind, index, false);
    mark(end, kind, index, true);
  }

  void header(JsonReader& in, const json& j) {
    if (in.text("trace") != "mkmd") in.fail("trace", "is not \"mkmd\"");
    const int format = in.integer("format");
    if (status_.ok() && format != kFormat)
      in.fail("format", "is " + std::to_string(format) + "; this mkmd reads " + std::to_string(kFormat));
    if (!status_) return;
    for (const json& d : in.list("devices")) {
      JsonReader device(d, "devices[" + std::to_string(trace_.devices.size()) + "]", status_);
      trace_.devices.push_back(
          {device.text("name"), device.has("device") ? device.text("device") : "", device.integer("memory")});
      if (trace_.devices.back().memory < 0) device.fail("memory", "must not be negative");
      memories_ = std::max(memories_, trace_.devices.back().memory + 1);
    }
    planned_devices_ = trace_.devices.size();
    if (in.has("whole")) whole(j["whole"]);
    begun_ = true;
  }

  void whole(const json& j) {
    JsonReader in(j, "whole", status_);
    if (in.integer("index") != static_cast<int>(planned_devices_))
      in.fail("index", "must be the one after the devices");
    for (const json& part : in.list("parts")) {
      const double d = in.as_number(part, "parts");
      if (!status_ || d < 0 || d >= static_cast<double>(planned_devices_)) {
        in.fail("parts", "no such device");
        return;
      }
      trace_.parts.push_back(static_cast<int>(d));
    }
    trace_.devices.push_back({in.text("name"), "", 0});
    trace_.has_whole = true;
  }

  void platform(const json& j) {
    platform_ = j;
    auto parsed = platform::from_json(j);
    if (!parsed) {
      status_ = parsed.status();
      return;
    }
    if (parsed->devices.size() != planned_devices_) {
      status_ = Status::internal("platform.devices: must be as many as in the first line");
      return;
    }
    for (size_t d = 0; d < planned_devices_; ++d)
      set_speed(trace_.devices[d], parsed->devices[d].launch, parsed->devices[d].rates);
    if (!trace_.has_whole || !j.contains("whole")) return;
    JsonReader in(j["whole"], "platform.whole", status_);
    const double launch = in.number_or("launch", 0);
    set_speed(trace_.devices.back(), launch, platform::read_rates(in));
  }

  static void set_speed(Device& device, double launch, const platform::Rates& rates) {
    device.launch = launch;
    device.operations_per_second = rates.operations;
    device.bytes_per_second = rates.bytes;
  }

  void window(const json& j) {
    JsonReader in(j, "window", status_);
    Window w;
    mark(instant(in, j, "time"), 'w', trace_.windows.size(), false);
    w.planning_seconds = in.number_or("planning_seconds", 0);
    w.kept_plan = j.contains("kept_plan") && j["kept_plan"] == true;
    w.policy = in.text("policy");
    w.predicted = in.number("predicted");
    const json& commands = in.list("commands");
    if (platform_.is_null()) in.fail("graph", "no line about the platform came before");
    if (!in.has("graph")) in.fail("graph", "is missing");
    if (!status_) return;
    json document = {{"platform", platform_}, {"graph", j["graph"]}};
    if (in.has("schedule")) document["schedule"] = j["schedule"];
    auto parsed = scheduler::document_from_json(document);
    if (!parsed) {
      status_ = Status::internal("window: " + parsed.status().message());
      return;
    }
    w.problem = std::move(parsed->problem);
    w.plan = std::move(parsed->schedule);
    if (w.problem.graph.tasks.size() != commands.size() + 1)
      in.fail("graph.tasks", "must be a source and one task per command");
    w.first_command = trace_.commands.size();
    w.commands = commands.size();
    for (size_t i = 0; i < commands.size() && status_.ok(); ++i)
      command(commands[i], i);
    trace_.windows.push_back(std::move(w));
  }

  void command(const json& j, size_t i) {
    JsonReader in(j, "window.commands[" + std::to_string(i) + "]", status_);
    Command c;
    c.id = number_of(in, j, "id");
    c.window = trace_.windows.size();
    c.task = static_cast<int>(i) + 1;
    c.kind = in.text("kind");
    c.name = c.is_kernel() ? in.text("kernel") : c.kind;
    c.operations = in.number_or("operations", 0);
    c.bytes = in.number_or("bytes", 0);
    for (const json& s : in.list("seconds"))
      c.seconds.push_back(s.is_null() ? scheduler::kNever : in.as_number(s, "seconds"));
    if (c.seconds.size() != trace_.devices.size()) in.fail("seconds", "must be one number per device");
    if (c.is_kernel()) {
      c.whole.hi = triple(in, j, "groups");
      for (const json& p : in.list("pieces")) {
        JsonReader piece(p, in.at("pieces"), status_);
        c.plan.emplace_back(device_of(piece), box_of(piece, p));
      }
      if (in.has("whole_because")) c.whole_because = in.text("whole_because");
      c.line = in.integer_or("line", 0);
    }
    if (!status_) return;
    if (!index_.emplace(c.id, trace_.commands.size()).second) in.fail("id", "is there twice");
    trace_.commands.push_back(std::move(c));
  }

  void piece(const json& j) {
    JsonReader in(j, "piece", status_);
    Piece p;
    p.command = command_of(in, j);
    p.device = device_of(in);
    p.box = box_of(in, j);
    interval(in, j, 'p', trace_.pieces.size());
    if (status_.ok()) trace_.pieces.push_back(p);
  }

  void transfer(const json& j) {
    JsonReader in(j, "transfer", status_);
    Transfer t;
    if (in.has("command")) t.command = command_of(in, j);
    t.buffer = in.has("buffer") ? in.text("buffer") : "";
    t.bytes = in.number("bytes");
    t.from = memory_of(in, "from");
    t.to = memory_of(in, "to");
    interval(in, j, 't', trace_.transfers.size());
    if (status_.ok()) trace_.transfers.push_back(std::move(t));
  }

  void memory_command(const json& j) {
    JsonReader in(j, "memory", status_);
    MemoryCommand m;
    m.command = command_of(in, j);
    const int device = in.integer("device");
    m.device = device < 0 ? 0 : device_of(in);  // copied by a thread of the home's
    interval(in, j, 'm', trace_.memory_commands.size());
    if (status_.ok()) trace_.memory_commands.push_back(m);
  }

  // Traces of earlier versions do not say what devices alone would take.
  void outcome(const json& j) {
    JsonReader in(j, "outcome", status_);
    if (!in.has("alone")) return;
    Balance::Outcome window{
        .taken = in.number("taken"), .alone = {}, .explores = in.flag_or("explores", false)};
    for (const json& of : in.list("alone")) {
      if (!of.is_array() || of.size() != 2) return in.fail("alone", "must be pairs of numbers");
      window.alone.push_back({in.as_number(of[0], "alone"), in.as_number(of[1], "alone")});
    }
    if (!window.alone.empty() && window.alone.size() != trace_.devices.size())
      in.fail("alone", "must have as many as there are devices");
    const double spent = in.number_or("spent", 0);
    if (!status_.ok()) return;
    trace_.balance.add(window);
    trace_.exploring_seconds = spent;
  }

  void native(const json& j) {
    JsonReader in(j, "native", status_);
    if (in.has("commands") && j["commands"].is_object()) {
      JsonReader counts(j["commands"], "native.commands", status_);
      for (const auto& [kind, count] : j["commands"].items())
        trace_.native_commands[printable(kind)] += number_of(counts, j["commands"], kind.c_str());
    }
    for (const json& k : in.list("kernels", false)) {
      JsonReader kernel(k, "native.kernels", status_);
      NativeKernel n{kernel.text("kernel"), kernel.text("whole_because"), kernel.integer_or("line", 0), 0, 0};
      n.launches = number_of(kernel, k, "launches");
      n.seconds = kernel.number_or("seconds", 0);
      trace_.native_kernels.push_back(std::move(n));
    }
  }

  void merge_native() {
    std::map<std::tuple<std::string, std::string, int>, NativeKernel> sums;
    for (const NativeKernel& n : trace_.native_kernels) {
      NativeKernel& sum =
          sums.try_emplace({n.name, n.why, n.line}, n.name, n.why, n.line, 0, 0).first->second;
      sum.launches += n.launches;
      sum.seconds += n.seconds;
    }
    trace_.native_kernels.clear();
    for (auto& [key, sum] : sums)
      trace_.native_kernels.push_back(std::move(sum));
  }

  uint64_t number_of(JsonReader& in, const json& j, const char* key) {
    if (in.has(key) && j[key].is_number_unsigned()) return j[key].get<uint64_t>();
    in.fail(key, "must be a whole number");
    return 0;
  }
  std::array<uint64_t, 3> triple(JsonReader& in, const json& j, const char* key) {
    std::array<uint64_t, 3> result{0, 0, 0};
    if (!in.has(key) || !j[key].is_array() || j[key].size() != 3 ||
        !std::all_of(j[key].begin(), j[key].end(), [](const json& n) { return n.is_number_unsigned(); })) {
      in.fail(key, "must be three whole numbers");
      return result;
    }
    for (size_t d = 0; d < 3; ++d)
      result[d] = j[key][d].get<uint64_t>();
    return result;
  }
  Box box_of(JsonReader& in, const json& j) {
    Box box{triple(in, j, "lo"), triple(in, j, "hi")};
    for (int d = 0; d < 3; ++d) {
      if (box.hi[d] < box.lo[d]) in.fail("hi", "is below lo");
    }
    return box;
  }
  int device_of(JsonReader& in) {
    const int d = in.integer("device");
    if (d >= 0 && d < static_cast<int>(trace_.devices.size())) return d;
    in.fail("device", "no device " + std::to_string(d));
    return 0;
  }
  int memory_of(JsonReader& in, const char* key) {
    const int m = in.integer(key);
    if (m < kProgramMemory || m >= memories_) in.fail(key, "no memory " + std::to_string(m));
    return m;
  }
  size_t command_of(JsonReader& in, const json& j) {
    const uint64_t id = number_of(in, j, "command");
    const auto found = index_.find(id);
    if (found != index_.end()) return found->second;
    in.fail("command", "no window has command " + std::to_string(id));
    return 0;
  }

  struct Mark {
    size_t at;
    char kind;
    size_t index;
    bool end;
  };
  Status status_;
  Trace trace_;
  bool begun_ = false;
  size_t planned_devices_ = 0;  // without the whole
  int memories_ = 0;
  json platform_;
  std::unordered_map<uint64_t, size_t> index_;
  std::vector<uint64_t> instants_;
  std::vector<Mark> marks_;
};

}  // namespace

Result<Trace> read_trace(const std::string& path) {
  std::error_code error;
  if (path != "-" && !std::filesystem::exists(path, error))
    return Status::internal(path + ": there is no such file");
  if (std::filesystem::is_directory(path, error))
    return Status::internal(path + ": is a folder; give a trace, or - for standard input");
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path != "-" ? file : std::cin;
  if (!in) return Status::internal(path + ": cannot be read");
  Reader reader;
  bool cut = false;
  size_t number = 0;
  const auto fail = [&](const std::string& what) {
    return Status::internal(path + ":" + std::to_string(number) + ": " + what);
  };
  for (std::string line; next_line(in, line);) {
    ++number;
    const Result<json> j = parse_json(line);
    if (!j) {
      const bool last = in.eof();  // there was no line end
      // An object may be the beginning of the first line; anything else never was a trace.
      if (!last || (number == 1 && line[0] != '{'))
        return fail("this is no line of a trace: not JSON: " + j.status().message());
      cut = true;
      break;
    }
    if (Status s = reader.line(*j); !s) return fail(s.message());
  }
  if (in.bad()) return Status::internal(path + ": cannot be read");
  Trace trace = std::move(reader).take();
  trace.cut = cut;
  return trace;
}

}  // namespace mkmd::inspect
