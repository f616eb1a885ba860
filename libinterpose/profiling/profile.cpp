// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/profiling/profile.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/thread_annotations.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/profiling/profile_progress.hpp"
#include "libinterpose/profiling/rehearsal.hpp"
#include "libinterpose/timing/launch_facts.hpp"
#include "libinterpose/timing/profile_transfers.hpp"
#include "profiler/spool.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace mkmd {

namespace {

constexpr size_t kShapesMeasured = 64;  // per kernel: a program that changes a scalar on every launch
constexpr double kLongestPiece = 2.0;   // seconds a single measured piece may be expected to take
constexpr double kLongestDevice = 4.0;  // seconds for one launch on one device, once kFewest are done
constexpr int kFewest = 3;
constexpr int kRepeats = 11;       // rounds of a short run: a sample is the best of them all
constexpr double kShort = 10e-3;   // seconds for them together, on a device
constexpr double kWarmUp = 50e-3;  // seconds
constexpr int kWarmUps = 4;

// The k-th of a sequence that fills [0, 1) evenly (van der Corput).
double evenly(uint64_t k, uint64_t base) {
  double value = 0;
  double unit = 1;
  for (; k > 0; k /= base) {
    unit /= static_cast<double>(base);
    value += unit * static_cast<double>(k % base);
  }
  return value;
}

}  // namespace

struct Profiler::State {
  // One launch is measured at a time, so that none disturbs another: drivers are called with it held.
  Mutex mutex;
  profiler::Spool spool{profiler::default_spool_folder()};
  std::map<uint64_t, std::set<uint64_t>> shapes GUARDED_BY(mutex);  // measured, by the kernel's number
  ProfileProgress progress GUARDED_BY(mutex);
  bool transfers_measured GUARDED_BY(mutex) = false;
};

class LaunchProfiler {
public:
  LaunchProfiler(Profiler::State& state, Runtime& runtime, const KernelLaunch& launch)
      : state_(state), runtime_(runtime), configuration_(runtime.session().configuration), launch_(launch),
        kernel_(*launch.kernel), model_(runtime.estimates().model_of(kernel_)), rehearsal_(runtime, launch),
        boxed_(rehearsal_.has_pieces()) {
    cost_ = cost_of(*launch.facts, model_);
    rehearsal_.command().cost = cost_;
    cut_ = static_cast<size_t>(std::max_element(launch.groups.begin(), launch.groups.end()) -
                               launch.groups.begin());
  }

  void run() {
    const Lock lock(state_.mutex);
    auto& shapes = state_.shapes[model_.number];
    if (shapes.contains(cost_.shape) || shapes.size() >= kShapesMeasured) return;
    const int wanted = configuration_.settings.profile;
    // The first launch is measured thoroughly; others of the kernel add inputs, which is what models need.
    const int runs = shapes.empty() ? wanted : std::max(2, wanted / 4);
    shapes.insert(cost_.shape);
    rehearsal_.finish_native();
    if (record_told(runs)) return;
    if (!state_.transfers_measured && runtime_.domains().separate()) measure_transfers();
    state_.transfers_measured = true;
    if (const Status copied = copy_buffers(); !copied) {
      log(LogLevel::info, "kernel " + kernel_.name + " is not profiled: " + copied.message());
      return;
    }
    // A kernel that may not be split runs whole, at home.
    Kinds kinds;
    const int home = configuration_.home_index();
    kinds[runtime_.estimates().times().rates(home).kind].push_back(home);
    for (int d = 0; d < static_cast<int>(configuration_.devices.size()) && boxed_; ++d) {
      if (d != home) kinds[runtime_.estimates().times().rates(d).kind].push_back(d);
    }
    const int together = boxed_ && configuration_.devices.size() > 1 ? std::max(1, runs / 5) : 0;
    state_.progress.begin(kernel_.name, launch_.shape.global,
                          static_cast<int>(kinds.size()) * runs + together);
    measure_alone(kinds, runs);
    for (int i = 0; i < together; ++i)
      measure_together(i);
    state_.progress.end();
  }

private:
  using Kinds = std::map<std::string, std::vector<int>>;  // devices, by what they share models for

  struct Timed {
    cl_int status = CL_SUCCESS;
    double seconds = 0;
  };

  Status copy_buffers() {
    const auto places = rehearsal_.place_per_domain();
    Status status = rehearsal_.copy(places);
    for (size_t set = 0; set < places.size() && status.ok(); ++set)
      status = rehearsal_.scratch().write(set);
    return status;
  }

  compiler::GroupBox box(double share, double place) const {
    compiler::GroupBox b = launch_.whole();
    if (!boxed_) return b;
    const auto groups = static_cast<double>(launch_.groups[cut_]);
    const uint64_t count =
        std::clamp<uint64_t>(static_cast<uint64_t>(std::llround(groups * share)), 1, launch_.groups[cut_]);
    b.lo[cut_] = static_cast<uint64_t>(place * static_cast<double>(launch_.groups[cut_] - count));
    b.hi[cut_] = b.lo[cut_] + count;
    return b;
  }

  vendor::Owned<cl_event> submit(int device, const compiler::GroupBox& b, cl_int& status) {
    return rehearsal_.start(device, b, static_cast<size_t>(configuration_.lane_domain(device)), boxed_,
                            status);
  }

  void restore(int device) {
    rehearsal_.scratch().restore(static_cast<size_t>(configuration_.lane_domain(device)),
                                 rehearsal_.queue(device));
  }

  static double seconds_of(cl_event event, cl_ulong began) {
    cl_ulong start = 0;
    cl_ulong end = 0;
    const auto& table = vendor::table(event);
    table.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
    table.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    if (end > start && start > 0) return static_cast<double>(end - start) * 1e-9;
    return static_cast<double>(host_nanoseconds() - began) * 1e-9;
  }

  Timed time(int device, const compiler::GroupBox& b) {
    restore(device);
    Timed result;
    const cl_ulong began = host_nanoseconds();
    const auto event = submit(device, b, result.status);
    if (result.status != CL_SUCCESS || !event) return {CL_OUT_OF_RESOURCES, 0};
    const cl_event handle = event.get();
    result.status = vendor::table(handle).clWaitForEvents(1, &handle);
    result.seconds = seconds_of(handle, began);
    return result;
  }

  void record(int device, const compiler::GroupBox& b, double seconds, bool alone) {
    profiler::Record r;
    r.key = {kernel_.name, content_of(kernel_), runtime_.estimates().times().rates(device).kind};
    r.work_dim = launch_.shape.work_dim;
    r.global = launch_.shape.global;
    r.scalars = launch_.shape.scalars;
    r.sample.work = launch_.facts->work(b);
    r.sample.input = cost_.shape;
    r.sample.seconds = seconds;
    r.sample.alone = alone;
    if (const Status s = state_.spool.append(r); !s) log(LogLevel::error, s.message());
  }

  std::optional<double> told_seconds(int device, const compiler::GroupBox& b) {
    return runtime_.session().kind.told_seconds(device, rehearsal_.command(),
                                                static_cast<double>(b.hi[cut_] - b.lo[cut_]) /
                                                    static_cast<double>(launch_.groups[cut_]));
  }

  // Nothing needs to run where the devices tell what it would take. False where they do not.
  bool record_told(int runs) REQUIRES(state_.mutex) {
    ProfileProgress& progress = state_.progress;
    const int devices = static_cast<int>(configuration_.devices.size());
    std::optional<double> told = told_seconds(0, piece(0, 1));
    if (!told) return false;
    progress.begin(kernel_.name, launch_.shape.global, devices * runs);
    for (int d = 0; d < devices; ++d) {
      progress.device(configuration_.lane_device(d).name);
      for (int i = 0; i < runs; ++i) {
        const compiler::GroupBox b = piece(i, 1);
        if (!told) told = told_seconds(d, b);
        record(d, b, told.value(), true);
        told.reset();
        progress.step();
      }
    }
    progress.end();
    return true;
  }

  // The i-th to be measured; every fourth is as large as may be.
  compiler::GroupBox piece(int i, double largest) const {
    const bool whole = i % 4 == 0;
    const double share = whole ? 1.0 : 1.0 / 16 + 15.0 / 16 * evenly(static_cast<uint64_t>(i), 2);
    return box(share * largest, evenly(static_cast<uint64_t>(i), 3));
  }

  void measure_transfers() {
    for (size_t d = 0; d < configuration_.devices.size(); ++d) {
      profile_transfers(runtime_.executor().lanes().compute()[d]->queue.get(),
                        [&](const char* name, const models::Sample& sample) {
                          profiler::Record r;
                          r.key = {name, "", runtime_.estimates().times().rates(static_cast<int>(d)).kind};
                          r.work_dim = 1;
                          r.global = {sample.input, 1, 1};
                          r.sample = sample;
                          if (const Status s = state_.spool.append(r); !s) log(LogLevel::error, s.message());
                        });
    }
  }

  // One of the pieces measured on the devices of one kind, until it has run often enough.
  struct Measured {
    std::vector<int> devices;
    compiler::GroupBox box;
    Timed best;
    double total = 0;  // seconds, on all of them
    bool done = false;
  };

  // In rounds over all kinds of devices. Other processes may slow a core down for a while. The times of one
  // kind are then far apart, and the best of them is less likely to be a slow one.
  void measure_alone(const Kinds& kinds, int runs) REQUIRES(state_.mutex) {
    std::vector<Measured> all;
    for (const auto& [kind, devices] : kinds)
      prepare(devices, runs, all);
    std::map<int, double> spent;  // seconds, by the first device of a kind
    std::map<int, int> begun;
    for (int round = 0; round <= kRepeats; ++round) {
      for (Measured& m : all) {
        if (m.done) continue;
        const int kind = m.devices.front();
        const auto devices = static_cast<double>(m.devices.size());
        if (round == 0 && ++begun[kind] > kFewest && spent[kind] > kLongestDevice * devices) {
          m.done = true;
          state_.progress.skip(1);
          continue;
        }
        const cl_ulong began = host_nanoseconds();
        repeat(m);
        spent[kind] += static_cast<double>(host_nanoseconds() - began) * 1e-9;
        const bool single = m.devices.size() == 1 && round == 0;  // nothing to compare its first time with
        m.done = m.best.status != CL_SUCCESS || (m.total >= kShort * devices && !single) ||
                 round == kRepeats || spent[kind] > kLongestDevice * devices;
        if (!m.done) continue;
        if (m.best.status == CL_SUCCESS) record(kind, m.box, m.best.seconds, true);
        state_.progress.step();
      }
    }
  }

  void prepare(const std::vector<int>& devices, int runs, std::vector<Measured>& all) REQUIRES(state_.mutex) {
    ProfileProgress& progress = state_.progress;
    double largest = 1;
    for (const int device : devices)
      largest =
          std::min(largest, kLongestPiece /
                                std::max(1e-9, runtime_.estimates().times().seconds(model_, cost_, device)));
    std::vector<int> able;
    for (const int device : devices) {
      const std::string& name = configuration_.lane_device(static_cast<size_t>(device)).name;
      progress.device(name);
      // The first launch with a local size compiles, and does not count.
      if (time(device, box(std::min(largest, 1.0 / 16), 0)).status != CL_SUCCESS) {
        log(LogLevel::info, "kernel " + kernel_.name + " cannot be measured on " + name);
        continue;
      }
      warm_up(device, box(largest, 0));
      able.push_back(device);
    }
    if (able.empty()) progress.skip(runs);
    for (int i = 0; i < runs && !able.empty(); ++i)
      all.push_back({able, piece(i, largest), {}});
  }

  // A sample is a time of a kind of device. So the best of all devices of the kind counts: a disturbance of
  // one says nothing of the others. A short piece runs twice in a row, and the second run counts. It finds
  // the caches as the piece itself leaves them. Models do not know what ran before the first run.
  void repeat(Measured& m) REQUIRES(state_.mutex) {
    for (const int device : m.devices) {
      state_.progress.device(configuration_.lane_device(static_cast<size_t>(device)).name);
      Timed other = time(device, m.box);
      if (other.status == CL_SUCCESS && other.seconds < kShort) other = time(device, m.box);
      const bool first = m.total == 0;
      m.total += other.seconds;
      if (first || (other.status == CL_SUCCESS && other.seconds < m.best.seconds)) m.best = other;
    }
  }

  // The copying has left the caches in a state that no program meets twice.
  void warm_up(int device, const compiler::GroupBox& b) {
    double total = 0;
    for (int i = 0; i < kWarmUps && total < kWarmUp; ++i)
      total += time(device, b).seconds;
  }

  // All devices at the same time, each with an equal slab: what they lose by sharing memory.
  void measure_together(int round) REQUIRES(state_.mutex) {
    ProfileProgress& progress = state_.progress;
    progress.device("all devices");
    std::vector<int> devices;
    for (size_t d = 0; d < configuration_.devices.size(); ++d) {
      if (!configuration_.devices[d].synchronous) devices.push_back(static_cast<int>(d));
    }
    progress.step();
    if (devices.size() < 2 || launch_.groups[cut_] < devices.size()) return;
    for (const int d : devices)
      restore(d);
    const double share = 1.0 / static_cast<double>(devices.size()) / (1.0 + round % 3);
    struct Running {
      int device;
      compiler::GroupBox box;
      vendor::Owned<cl_event> event;
    };
    std::vector<Running> running;
    const cl_ulong began = host_nanoseconds();
    for (size_t i = 0; i < devices.size(); ++i) {
      compiler::GroupBox b = launch_.whole();
      const auto groups = static_cast<double>(launch_.groups[cut_]);
      const double each = 1.0 / static_cast<double>(devices.size());
      b.lo[cut_] = static_cast<uint64_t>(each * static_cast<double>(i) * groups);
      b.hi[cut_] = std::max(b.lo[cut_] + 1, b.lo[cut_] + static_cast<uint64_t>(share * groups));
      cl_int status = CL_SUCCESS;
      auto event = submit(devices[i], b, status);
      if (status == CL_SUCCESS && event) running.push_back({devices[i], b, std::move(event)});
    }
    for (const Running& r : running) {
      const cl_event handle = r.event.get();
      if (vendor::table(handle).clWaitForEvents(1, &handle) != CL_SUCCESS || running.size() < 2) continue;
      record(r.device, r.box, seconds_of(handle, began), false);
    }
  }

  Profiler::State& state_;
  Runtime& runtime_;
  const Configuration& configuration_;
  const KernelLaunch& launch_;
  Kernel& kernel_;
  KernelModel& model_;
  Rehearsal rehearsal_;
  const bool boxed_;
  LaunchCost cost_;
  size_t cut_ = 0;
};

Profiler::Profiler() : state_(std::make_unique<State>()) {}

Profiler::~Profiler() = default;

void Profiler::measure(Runtime& runtime, const KernelLaunch& launch) {
  LaunchProfiler(*state_, runtime, launch).run();
}

}  // namespace mkmd
