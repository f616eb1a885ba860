// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/calibration.hpp"

#include "common/host_clock.hpp"
#include "common/json.hpp"
#include "common/log.hpp"
#include "common/own_files.hpp"
#include "common/settings.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace mkmd {

namespace {

using nlohmann::json;

constexpr int kFormat = 5;  // of the cache file: raise it when what is measured changes meaning
constexpr size_t kItems = 1 << 18;
constexpr cl_int kRounds = 64;
constexpr int kLaunches = 32;  // in a row: how long a device that sleeps takes to wake up is no launch's cost
constexpr size_t kBytes = 32u << 20;
constexpr double kLimits = 0.9;  // measured rates are never quite equal
constexpr double kNear = 2;      // times as good is near enough

// The counts are those our compiler would report for these kernels: operations on values, bytes loaded and
// stored.
constexpr const char* kSource = R"(
kernel void compute(global float* out, int rounds) {
  float a = (float)get_global_id(0), b = 1.0f;
  for (int i = 0; i < rounds; ++i) { a = a * 1.0001f + b; b = b * 0.9999f + a; }
  out[get_global_id(0)] = a + b;
}
kernel void stream(global const float* in, global float* out) {
  size_t i = get_global_id(0);
  out[i] = in[i] + 1.0f;
})";

std::string kind_of(const vendor::Device& device) {
  return device.device_name + "|" + vendor::device_string(device.id, CL_DRIVER_VERSION) + "|" +
         std::to_string(vendor::device_value<cl_uint>(device.id, CL_DEVICE_MAX_COMPUTE_UNITS));
}

struct Bench {
  vendor::Owned<cl_context> context;
  vendor::Owned<cl_command_queue> queue;
  vendor::Owned<cl_program> program;
  vendor::Owned<cl_mem> in;
  vendor::Owned<cl_mem> out;

  bool open(const vendor::Device& device) {
    const auto& t = vendor::table(device.id);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(device.platform), 0};
    cl_int error = CL_SUCCESS;
    context = vendor::Owned(t.clCreateContext(properties, 1, &device.id, nullptr, nullptr, &error));
    if (!context) return false;
    queue = vendor::Owned(t.clCreateCommandQueue(context.get(), device.id, 0, &error));
    const char* source = kSource;
    program = vendor::Owned(t.clCreateProgramWithSource(context.get(), 1, &source, nullptr, &error));
    in = vendor::Owned(t.clCreateBuffer(context.get(), CL_MEM_READ_WRITE, kBytes, nullptr, &error));
    out = vendor::Owned(t.clCreateBuffer(context.get(), CL_MEM_READ_WRITE, kBytes, nullptr, &error));
    if (!queue || !program || !in || !out) return false;
    return t.clBuildProgram(program.get(), 1, &device.id, "", nullptr, nullptr) == CL_SUCCESS;
  }

  // Of a program that the driver has not seen, also without its comments: drivers keep what they have built.
  // Some load a library at their first build, and ours is not the first. Negative: it failed.
  double build(const vendor::Device& device) {
    const auto& t = vendor::table(device.id);
    const std::string text =
        kSource + ("\nconstant long unique = " + std::to_string(host_nanoseconds()) + ";\n");
    const char* source = text.c_str();
    cl_int error = CL_SUCCESS;
    const vendor::Owned fresh(t.clCreateProgramWithSource(context.get(), 1, &source, nullptr, &error));
    if (!fresh) return -1;
    const double began = host_seconds();
    const cl_int built = t.clBuildProgram(fresh.get(), 1, &device.id, "", nullptr, nullptr);
    return built == CL_SUCCESS ? host_seconds() - began : -1;
  }

  vendor::Owned<cl_kernel> kernel_of(const char* name, cl_int rounds) {
    const auto& t = vendor::table(queue.get());
    cl_int error = CL_SUCCESS;
    vendor::Owned<cl_kernel> kernel(t.clCreateKernel(program.get(), name, &error));
    if (!kernel) return kernel;
    const cl_mem first = rounds > 0 ? out.get() : in.get();
    const cl_mem second = out.get();
    t.clSetKernelArg(kernel.get(), 0, sizeof first, &first);
    if (rounds > 0) {
      t.clSetKernelArg(kernel.get(), 1, sizeof rounds, &rounds);
    } else {
      t.clSetKernelArg(kernel.get(), 1, sizeof second, &second);
    }
    return kernel;
  }

  bool enqueue(cl_kernel kernel, size_t items) {
    const size_t local = 64;
    return vendor::table(queue.get())
               .clEnqueueNDRangeKernel(queue.get(), kernel, 1, nullptr, &items, &local, 0, nullptr,
                                       nullptr) == CL_SUCCESS;
  }

  // Of one launch among so many in a row: the best of three, in seconds; the first round compiles and does
  // not count. Negative: it failed.
  double launch(const char* name, size_t items, cl_int rounds, int launches = 1) {
    const vendor::Owned<cl_kernel> kernel = kernel_of(name, rounds);
    if (!kernel) return -1;
    double best = -1;
    for (int i = 0; i < 4; ++i) {
      const cl_ulong begin = host_nanoseconds();
      for (int n = 0; n < launches; ++n) {
        if (!enqueue(kernel.get(), items)) return -1;
      }
      if (vendor::table(queue.get()).clFinish(queue.get()) != CL_SUCCESS) return -1;
      const double seconds = static_cast<double>(host_nanoseconds() - begin) * 1e-9 / launches;
      if (i > 0 && (best < 0 || seconds < best)) best = seconds;
    }
    return best;
  }

  double copy(size_t bytes) {
    const auto& t = vendor::table(queue.get());
    std::vector<char> host(bytes);
    double best = -1;
    for (int i = 0; i < 4; ++i) {
      const cl_ulong begin = host_nanoseconds();
      if (t.clEnqueueReadBuffer(queue.get(), in.get(), CL_TRUE, 0, host.size(), host.data(), 0, nullptr,
                                nullptr) != CL_SUCCESS) {
        return -1;
      }
      const double seconds = static_cast<double>(host_nanoseconds() - begin) * 1e-9;
      if (i > 0 && (best < 0 || seconds < best)) best = seconds;
    }
    return best;
  }
};

// Those of one calibration. Each is opened once.
class Benches {
public:
  // Null: the device cannot be measured.
  Bench* of(const vendor::Device& device) {
    const auto [known, is_new] = benches_.try_emplace(device.id);
    if (is_new) known->second.opened = known->second.bench.open(device);
    return known->second.opened ? &known->second.bench : nullptr;
  }

  // Of a driver: its devices share what it has built. Negative: it cannot be measured.
  double seconds_to_build(const vendor::Device& device) {
    const auto [known, is_new] = seconds_to_build_.try_emplace(device.platform, -1);
    if (Bench* const bench = of(device); is_new && bench != nullptr) known->second = bench->build(device);
    return known->second;
  }

private:
  struct Entry {
    Bench bench;
    bool opened = false;
  };
  std::map<cl_device_id, Entry> benches_;
  std::map<cl_platform_id, double> seconds_to_build_;
};

// Bytes per second of all the devices together, each streaming buffers of its own. The best of five counts,
// because other work of the machine can only lower the rate. Negative: it failed.
double stream_together(const std::vector<vendor::Device>& devices, Benches& all) {
  constexpr size_t items = kBytes / sizeof(float);
  std::vector<Bench*> benches;
  std::vector<vendor::Owned<cl_kernel>> kernels;
  for (const vendor::Device& device : devices) {
    benches.push_back(all.of(device));
    if (benches.back() == nullptr) return -1;
    kernels.push_back(benches.back()->kernel_of("stream", 0));
    if (!kernels.back()) return -1;
  }
  double best = -1;
  for (int round = 0; round < 6; ++round) {  // the first compiles
    const cl_ulong begin = host_nanoseconds();
    for (size_t i = 0; i < benches.size(); ++i) {
      const cl_command_queue queue = benches[i]->queue.get();
      if (!benches[i]->enqueue(kernels[i].get(), items) || vendor::table(queue).clFlush(queue) != CL_SUCCESS)
        return -1;
    }
    for (const Bench* bench : benches) {
      if (vendor::table(bench->queue.get()).clFinish(bench->queue.get()) != CL_SUCCESS) return -1;
    }
    const double seconds = static_cast<double>(host_nanoseconds() - begin) * 1e-9;
    const double rate = 2.0 * kBytes * static_cast<double>(benches.size()) / seconds;
    if (round > 0) best = std::max(best, rate);
  }
  return best;
}

// How many per second, of up to `most`. `seconds_for` says how long so many take; negative: it failed. A
// simulator would take minutes for all of them, and shows with few how slow it is.
double per_second(size_t most, const std::function<double(size_t)>& seconds_for) {
  constexpr size_t kFirst = 64, kStep = 4;
  constexpr double kLong = 4e-3;  // seconds
  for (size_t count = std::min(kFirst, most);; count = std::min(count * kStep, most)) {
    const double seconds = seconds_for(count);
    if (seconds <= 0) return -1;
    if (count == most || seconds >= kLong) return static_cast<double>(count) / seconds;
  }
}

// What any device there is, or a simulator of one, may reach; with a wide margin. Everything else is measured
// again: nothing later would correct it.
struct Plausible {
  double least, most;
};
constexpr Plausible kRates{1e5, 1e17};  // operations or bytes per second
constexpr Plausible kCosts{1e-9, 1};    // seconds for something fixed
constexpr Plausible kBuilds{1e-6, 100};

// A figure that cannot be measured stays as it is.
DeviceRates measure(const vendor::Device& device, DeviceRates rates, Benches& benches) {
  Bench* const opened = benches.of(device);
  if (opened == nullptr) {
    log(LogLevel::info, "device " + device.name + " could not be calibrated");
    return rates;
  }
  Bench& bench = *opened;
  const double empty = bench.launch("compute", 64, 1, kLaunches);
  const double items =
      per_second(kItems, [&](size_t count) { return bench.launch("compute", count, kRounds); });
  const double floats =
      per_second(kBytes / sizeof(float), [&](size_t count) { return bench.launch("stream", count, 0); });
  const double copied = per_second(kBytes / 2, [&](size_t bytes) { return bench.copy(bytes); });
  if (empty > 0) rates.launch_seconds = std::clamp(empty, 1e-6, 1e-3);
  if (items > 0) rates.operations_per_second = items * kRounds * 4;
  if (floats > 0) rates.bytes_per_second = floats * 2 * sizeof(float);
  if (copied > 0) rates.copy_bytes_per_second = copied;
  return rates;
}

json to_json(const DeviceRates& r, bool settled) {
  return {{"settled", settled},
          {"operations_per_second", r.operations_per_second},
          {"bytes_per_second", r.bytes_per_second},
          {"launch_seconds", r.launch_seconds},
          {"copy_bytes_per_second", r.copy_bytes_per_second},
          {"copy_seconds", r.copy_seconds},
          {"build_seconds", r.build_seconds}};
}

// Other work of the machine makes a device look slow, never quick. So runs measure again until one finds no
// figure clearly better than those before. The rates are settled then.
bool is_clearly_better(const DeviceRates& is, const DeviceRates& was) {
  return is.operations_per_second > kNear * was.operations_per_second ||
         is.bytes_per_second > kNear * was.bytes_per_second ||
         is.copy_bytes_per_second > kNear * was.copy_bytes_per_second ||
         kNear * is.launch_seconds < was.launch_seconds;
}

DeviceRates best_of(const DeviceRates& a, const DeviceRates& b) {
  DeviceRates best = a;
  best.operations_per_second = std::max(a.operations_per_second, b.operations_per_second);
  best.bytes_per_second = std::max(a.bytes_per_second, b.bytes_per_second);
  best.copy_bytes_per_second = std::max(a.copy_bytes_per_second, b.copy_bytes_per_second);
  best.launch_seconds = std::min(a.launch_seconds, b.launch_seconds);
  return best;
}

bool within(const json& j, const Plausible& range) {
  return j.is_number() && j.get<double>() >= range.least && j.get<double>() <= range.most;
}

// None if any figure is missing or makes no sense.
std::optional<DeviceRates> from_json(const json& j) {
  DeviceRates r;
  auto get = [&](const char* key, const Plausible& range, double& value) {
    const auto it = j.find(key);
    if (it == j.end() || !within(*it, range)) return false;
    value = it->get<double>();
    return true;
  };
  const bool all = j.is_object() && get("operations_per_second", kRates, r.operations_per_second) &&
                   get("bytes_per_second", kRates, r.bytes_per_second) &&
                   get("launch_seconds", kCosts, r.launch_seconds) &&
                   get("copy_bytes_per_second", kRates, r.copy_bytes_per_second) &&
                   get("copy_seconds", kCosts, r.copy_seconds) &&
                   get("build_seconds", kBuilds, r.build_seconds);
  return all ? std::optional(r) : std::nullopt;
}

std::string cache_file() {
  return file_in(cache_directory(), "calibration.json");
}

json read_cache() {
  const Result<std::string> text = read_own_file(cache_file(), 16u << 20);
  const Result<json> parsed = parse_json(text ? *text : "");
  json cache = parsed ? *parsed : json();
  if (!cache.is_object() || cache["format"] != kFormat || !cache["devices"].is_object()) {
    cache = {{"format", kFormat}, {"devices", json::object()}};
  }
  if (!cache["memories"].is_object()) cache["memories"] = json::object();
  return cache;
}

void write_cache(const json& cache) {
  if (cache_directory().empty()) return;
  const std::string text = cache.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
  // That it is not ours was said when it was read.
  if (const Status status = replace_own_file(cache_file(), text); !status && status.code() != kNotOurs) {
    log(LogLevel::warning, status.message() + "; what is learned now is lost for the next run");
  }
}

// Those of one memory that can be measured together, and their rates.
struct Sharing {
  std::vector<vendor::Device> devices;
  std::string kinds;
  double bw_one = 0;
  bool measured_now = false;  // the rate of one of them
};

Sharing sharing(int mem, const std::vector<vendor::Device>& devices, const std::vector<int>& domain,
                const std::vector<DeviceRates>& rates, const std::set<std::string>& measured) {
  Sharing found;
  for (size_t d = 0; d < domain.size(); ++d) {
    if (domain[d] != mem || devices[d].synchronous) continue;
    found.devices.push_back(devices[d]);
    found.kinds += (found.kinds.empty() ? "" : " + ") + rates[d].kind;
    found.bw_one = std::max(found.bw_one, rates[d].bytes_per_second);
    found.measured_now |= measured.contains(rates[d].kind);
  }
  return found;
}

}  // namespace

Calibration calibrate(const std::vector<vendor::Device>& devices, const std::vector<int>& domain) {
  json cache = read_cache();
  const json before = cache;
  Calibration found;
  Benches benches;
  std::set<std::string> measured;  // in this run
  for (const vendor::Device& device : devices) {
    const std::string kind = kind_of(device);
    const json entry = cache["devices"].value(kind, json());
    const std::optional<DeviceRates> known = from_json(entry);
    DeviceRates rates = known.value_or(DeviceRates());
    if (!(known && entry.value("settled", json()) == true) && measured.insert(kind).second) {
      const DeviceRates now = measure(device, rates, benches);
      const bool settled = known && !is_clearly_better(now, rates);
      if (!settled) rates = known ? best_of(now, rates) : now;
      // Once: it takes long, and what making code takes is learned with each program.
      if (const double built = known ? -1 : benches.seconds_to_build(device); built > 0)
        rates.build_seconds = std::max(built, kBuilds.least);
      cache["devices"][kind] = to_json(rates, settled);
    }
    rates.kind = kind;
    found.devices.push_back(std::move(rates));
  }
  for (const int mem : std::set<int>(domain.begin(), domain.end())) {
    const Sharing of = sharing(mem, devices, domain, found.devices, measured);
    if (of.devices.size() < 2) continue;
    const json known = cache["memories"].value(of.kinds, json());
    double bw_all = within(known, kRates) ? known.get<double>() : -1;
    if (bw_all < 0 || of.measured_now) {
      if (const double now = stream_together(of.devices, benches); bw_all < 0 || now > kNear * bw_all)
        bw_all = now;
    }
    if (bw_all <= 0) continue;
    cache["memories"][of.kinds] = bw_all;
    // Starting several devices at once takes time of its own; the whole of which they are parts shows, too,
    // what their memory, the first, gives.
    for (size_t whole = domain.size(); whole < devices.size() && mem == 0; ++whole)
      bw_all = std::max(bw_all, found.devices[whole].bytes_per_second);
    // A memory that gives all of them nearly what each reaches alone limits nothing.
    if (bw_all < kLimits * of.bw_one * static_cast<double>(of.devices.size()))
      found.memories.push_back({mem, of.bw_one, bw_all});
  }
  if (cache != before) write_cache(cache);
  return found;
}

}  // namespace mkmd
