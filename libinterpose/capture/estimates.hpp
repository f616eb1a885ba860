// SPDX-License-Identifier: Apache-2.0
// What one context knows of kernels: how long they take (TimeModel) and whether capturing them gains
// (timing::Profitability). Contexts of a session share the times and the histories of kernels.
#pragma once

#include "libinterpose/capture/session.hpp"
#include "libinterpose/timing/profitability.hpp"

#include <mutex>

namespace mkmd {

class Estimates {
public:
  explicit Estimates(Session& session);

  TimeModel& times() const { return times_; }
  KernelModel& model_of(Kernel& kernel) const;

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
  TimeModel& times_;
  std::mutex& turn_;
  timing::Profitability profitability_;
};

// Whether the device is apart from home, and was measured to run the kernel (timing::Launch::elsewhere).
bool was_measured_elsewhere(const Session& session, const TimeModel& times, const KernelModel& model,
                            int device);

// A name of the program that holds beyond this process.
std::string content_of(const SubKernels& code);
std::string content_of(const Kernel& kernel);

}  // namespace mkmd
