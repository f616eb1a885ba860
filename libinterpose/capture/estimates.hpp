// SPDX-License-Identifier: Apache-2.0
// What one context knows of kernels: how long they take (TimeModel) and whether capturing them gains
// (timing::Profitability). Contexts of a session share the times and the histories of kernels.
#pragma once

#include "libinterpose/capture/session.hpp"
#include "libinterpose/timing/profitability.hpp"

#include <limits>
#include <mutex>

namespace mkmd {

class Estimates {
public:
  explicit Estimates(Session& session);

  TimeModel& times() const { return times_; }
  KernelModel& model_of(Kernel& kernel) const;
  // Empty where no devices are rivals.
  timing::Rivalry::Experience experience_of(const KernelModel& model) const;
  // What a launch gains on several devices, if all have run the kernel; `seconds` by device, as
  // planning::Task.
  void note_gain(KernelModel& model, const std::vector<double>& seconds, double at_home) const;

  // One call at a time in the whole process, since contexts share what is known of kernels. Its mutex is a
  // leaf.
  struct Turn {
    std::unique_lock<std::mutex> turn;
    timing::Profitability* asked;
    timing::Profitability* operator->() const { return asked; }
  };
  Turn profitability() { return {std::unique_lock(turn_), &profitability_}; }
  // For what may be asked without a turn: is_long(), setting(), and which devices are rivals.
  const timing::Profitability& without_turn() const { return profitability_; }

private:
  const Configuration& configuration_;
  TimeModel& times_;
  std::mutex& turn_;
  timing::Profitability profitability_;
};

// What is predicted of a launch that one device runs whole: home, or the best of those that may run it, are
// apart from home and were measured to run the kernel (timing::Launch::elsewhere).
class WholeLaunch {
public:
  WholeLaunch(const Session& session, const Estimates& estimates, const KernelModel& model,
              const LaunchCost& cost);

  void may_run_on(int device);  // for each device that may
  double at_home() const { return at_home_; }
  timing::Launch predicted(double first_device) const;
  int device() const { return device_; }  // elsewhere; -1: none

private:
  double seconds(int device) const;

  const Configuration& configuration_;
  const TimeModel& times_;
  const KernelModel& model_;
  const LaunchCost& cost_;
  const bool compares_;  // false where the devices are parts of home, or rivals
  const double at_home_;
  double elsewhere_ = std::numeric_limits<double>::infinity();
  int device_ = -1;
};

// A name of the program that holds beyond this process.
std::string content_of(const SubKernels& code);
std::string content_of(const Kernel& kernel);

}  // namespace mkmd
