// SPDX-License-Identifier: Apache-2.0
// The Session: what all contexts of a process share beyond its configuration. Whoever makes runtimes owns it
// and passes it to them; several of them can live side by side. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/capture/admission.hpp"
#include "libinterpose/commands/code_builder.hpp"
#include "libinterpose/device/device_kind.hpp"
#include "libinterpose/device/driver_compilers.hpp"
#include "libinterpose/device/trouble.hpp"
#include "libinterpose/report/summary.hpp"
#include "libinterpose/report/trace.hpp"
#include "libinterpose/setup/configuration.hpp"
#include "libinterpose/setup/numbers.hpp"
#include "libinterpose/timing/learned_files.hpp"
#include "libinterpose/timing/time_model.hpp"
#include "scheduler/policy.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace mkmd {

class Runtime;

// This class has more than 15 fields: what all contexts of a process share.
class Session {
public:
  // `configuration` and `kind` must outlive it. `drivers_registered`: as for DriverCompilers.
  explicit Session(const Configuration& configuration, DeviceKind& kind = real_devices(),
                   void (*drivers_registered)() = nullptr);
  ~Session();

  // Calibrated when first asked for.
  TimeModel& times();
  // The memories several of the devices share; null: not shared, or not known.
  const std::vector<scheduler::Memory>& shared_memories() { return calibration().memories; }
  const scheduler::Memory* shared_memory(int domain);
  // The policy the settings name; null if it is unknown (one log line).
  const scheduler::Policy* policy();
  // No policy is named but the default one, which leaves alone what loses time by being split.
  bool has_default_policy() const { return configuration.settings.policy == Settings().policy; }
  // Launches that lose time by being split may go straight to home. A policy that the user named is obeyed,
  // and some hardware does not time such commands.
  bool may_leave_alone() const { return has_default_policy() && kind.times_native_commands(); }
  // See timing::Rivalry. A policy that the user named is obeyed: it gets all devices.
  std::vector<int> rival_teams() const {
    return has_default_policy() ? configuration.team : std::vector<int>();
  }

  // Takes up what earlier runs have learned of the kernels of a program (content_of). True the first time if
  // the code for pieces is expected to gain more than making it takes.
  bool recall(const std::string& content);
  // For the program's next run: what this one has learned.
  void keep_learned();

  // Launches wait for the code for pieces, whatever that costs. They may not go to home meanwhile, or the
  // user measures, verifies, or wants the same pieces in each run.
  bool waits_for_code() const;

  const Configuration& configuration;
  DeviceKind& kind;
  Numbers numbers;
  Trace trace;
  Summary summary;
  Trouble trouble;
  // Contexts share what timing::Profitability knows of kernels: the thread that asks it has the turn, and so
  // the budget.
  std::mutex profitability_turn;
  timing::RegretBudget regret;
  timing::RegretBudget looking{timing::kLimits.free_looking, timing::kLimits.looking};  // with the turn, too
  DriverCompilers compilers;
  CodeBuilder code;

  struct Runtimes {
    Mutex mutex;
    std::vector<Runtime*> live GUARDED_BY(mutex);
    int visitors GUARDED_BY(mutex) = 0;               // threads that use those in `live` without the mutex
    std::vector<Runtime*> retired GUARDED_BY(mutex);  // while there were visitors
    bool stay GUARDED_BY(mutex) = false;              // the process ends: none is destroyed any more
  } runtimes;
  Admission admission;  // to the windows of these

private:
  const Calibration& calibration();
  const timing::LearnedFiles* learned_files();  // null: nothing is kept

  template <typename T>
  struct Once {  // made when first asked for
    std::once_flag made;
    std::unique_ptr<T> value;
  };
  Once<const Calibration> calibration_;
  Once<TimeModel> times_;
  Once<const scheduler::Policy> policy_;  // null: no policy has that name
  struct {
    Once<const timing::LearnedFiles> files;
    Mutex mutex;
    std::set<std::string> contents GUARDED_BY(mutex);  // that were asked for
  } recalled_;
};

}  // namespace mkmd
