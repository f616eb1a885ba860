// SPDX-License-Identifier: Apache-2.0
// Predicted execution times. Where a profiling run has covered such launches, its models give the first
// estimate. Elsewhere it is the roofline of a launch's operations and bytes and each device's calibrated
// rates. Every executed piece then corrects it, per kernel and device. A model may be wrong or of another
// machine. Until a piece has confirmed it, it may differ from the roofline only within limits
// (docs/architecture.md, "Predicted times"). All contexts of a process share the time model
// (capture/session.hpp).
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/timing/calibration.hpp"
#include "libinterpose/timing/learned.hpp"
#include "libinterpose/timing/profitability.hpp"
#include "libinterpose/timing/whole_times.hpp"
#include "models/model.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mkmd {

class LaunchFacts;

// What is known of one kernel.
struct KernelModel : std::enable_shared_from_this<KernelModel> {
  using Learned = timing::LearnedTime;
  uint64_t number = 0;           // no other has had it: an address may be another one's later
  std::vector<Learned> devices;  // over all launches, of the roofline
  std::map<uint64_t, std::vector<Learned>>
      by_shape;                                // per launch shape and scalar arguments, of the roofline
  std::vector<const models::Model*> profiled;  // by device; null: none
  std::vector<Learned> against_profile;        // over all launches, of `profiled`'s predictions
  bool has_profile = false;
  std::vector<bool> ran;  // by device: in this process
  // Seconds that launches in this process would take less on several devices, or another one, than whole at
  // home, going by what was measured. Whether they ran there does not matter.
  std::atomic<double> gain{0};
  timing::WholeTimes whole;       // of launches that a device ran whole; it has a mutex of its own
  timing::KernelHistory history;  // not the time model's: see Estimates::profitability
};

struct LaunchCost {
  double operations = 0;
  double bytes = 0;
  uint64_t shape = 0;                               // hash of what makes two launches take the same time
  std::optional<models::Work> work = std::nullopt;  // where the kernel has a profile to ask
};

LaunchCost cost_of(const LaunchFacts& facts, const KernelModel& model);

class TimeModel {
public:
  explicit TimeModel(std::vector<DeviceRates> rates, std::vector<models::Entry> profiles = {});

  // The model of a kernel, by its name and a hash of the program: that of every program object of the same
  // source. It is known as long as somebody holds it. Of those that nobody holds, the last ones are kept.
  std::shared_ptr<KernelModel> of_kernel(const std::string& name, const std::string& content = "");
  size_t kernels() const;  // how many are known
  // What earlier runs have learned of a source, `now`. It counts for kernels that are not known yet.
  void recall(const std::string& content, const timing::LearnedSource& source, double now);
  // What to keep of kernels that launches have asked about. Such a kernel was measured, in this run or an
  // earlier one, or its launches ran without the code for pieces. Outcomes of windows are not among it: they
  // belong to Profitability.
  struct Taught {
    std::string name, content;
    std::shared_ptr<KernelModel> model;
    timing::LearnedKernel learned;
    bool was_measured = false;
  };
  std::vector<Taught> taught() const;
  static constexpr size_t kKept = 256;

  // Seconds the whole launch takes alone on `device`.
  double seconds(const KernelModel& model, const LaunchCost& cost, int device) const;
  // The same, if launches just like it have run there.
  std::optional<double> measured(const KernelModel& model, const LaunchCost& cost, int device) const;
  // How many pieces of the kernel have been measured there, in earlier runs, too.
  int samples(const KernelModel& model, int device) const;
  // One has there or on a device that is alike.
  bool knows(const KernelModel& model, int device) const;
  // It has run there in this process: a piece of it, or what note_run() was told of.
  bool has_run(const KernelModel& model, int device) const;
  void note_run(KernelModel& model, int device);
  // As seconds(), but no less than the roofline where a profile's short time is not confirmed yet. A launch
  // that seems too short to split is never measured.
  double seconds_at_most(const KernelModel& model, const LaunchCost& cost, int device) const;
  // `share` of the launch took `seconds` on `device`, launch overhead included.
  void learn(KernelModel& model, const LaunchCost& cost, int device, double share, double seconds);

  // The slow-down of such a launch on the device while all devices work. Null if it was not profiled, or if
  // measurements contradict the profile.
  std::optional<double> together(const KernelModel& model, const LaunchCost& cost, int device) const;

  const DeviceRates& rates(int device) const { return rates_[device]; }
  // Seconds to copy so many bytes from one device's memory into another's, as profiled or else calibrated.
  double copy_seconds(int from, int to, double bytes) const;

private:
  void forget_unused() REQUIRES(mutex_);
  std::optional<double> profiled_copy(int device, bool to_device, double bytes) const;
  double estimate(const LaunchCost& cost, int device) const;
  std::optional<double> shape_correction(const KernelModel& model, uint64_t shape, int device) const
      REQUIRES(mutex_);
  double overall_correction(const std::vector<KernelModel::Learned>& learned, int device) const
      REQUIRES(mutex_);
  double reference(const KernelModel& model, const LaunchCost& cost, int device) const REQUIRES(mutex_);
  bool stale(const KernelModel& model) const REQUIRES(mutex_);
  std::optional<double> from_profile(const KernelModel& model, const LaunchCost& cost, int device) const
      REQUIRES(mutex_);
  double kernel_seconds(const KernelModel& model, const LaunchCost& cost, int device) const REQUIRES(mutex_);

  const std::vector<DeviceRates> rates_;
  const std::vector<models::Entry> profiles_;
  mutable Mutex mutex_;  // of the models that were given away, too
  struct Known {
    std::shared_ptr<KernelModel> model;
    uint64_t held = 0;  // when it was last seen to be, by `asked_`
  };
  std::map<std::string, Known> kernels_ GUARDED_BY(mutex_);
  struct Recalled {
    timing::LearnedKernel kernel;
    double at = 0;
  };
  std::map<std::string, Recalled> recalled_ GUARDED_BY(mutex_);  // and no launch has asked yet
  uint64_t asked_ GUARDED_BY(mutex_) = 0;
  size_t look_again_ GUARDED_BY(mutex_) = kKept;  // at what size of `kernels_`
};

// What a piece that moved `bytes` in `seconds` takes alone, when `devices` of its memory worked meanwhile.
// Once together they use up what the memory gives, the time only says that: alone it gets `bw_one`.
double seconds_alone(double seconds, double bytes, int devices, const scheduler::Memory* memory);

}  // namespace mkmd
