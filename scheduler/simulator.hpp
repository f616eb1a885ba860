// SPDX-License-Identifier: Apache-2.0
// The discrete-event simulator: carries out what an OnlinePolicy decides, on devices that may be slower or
// faster than predicted, change their speed or disappear. Transfers start when a piece is given to a device
// and take exclusive full-duplex ports, as in static schedules. What runs in one memory shares its bandwidth,
// whatever tasks it belongs to (shared_speed.hpp). Deterministic: same input, same result.
#pragma once

#include "scheduler/online_policy.hpp"
#include "scheduler/schedule.hpp"
#include "scheduler/shared_speed.hpp"

#include <cstdint>

namespace mkmd::scheduler {

// The device computes nothing from `time` on; what it had not finished is given out again. Its memory can
// still be read (losing results as well, and doing their tasks again, is not modelled).
struct DeviceLoss {
  int device = 0;
  double time = 0;
};

struct SimulationOptions {
  const Problem* actual = nullptr;  // the times things really take; the predicted ones when null
  std::vector<SpeedChange> speeds;
  std::vector<DeviceLoss> losses;
};

// What happened. Valid for the actual problem (validator.hpp) unless speeds changed or devices were lost.
Result<Schedule> simulate(const ProblemIndex& predicted, OnlinePolicy& policy,
                          const SimulationOptions& options = {});

// What happens when a schedule is carried out as planned although the actual times differ: every device keeps
// its pieces and their order. Not for schedules with merges or aborted runs, nor for pieces in order.
Result<Schedule> replay(const Problem& actual, const Schedule& plan);

// The problem with every time multiplied by a factor drawn evenly from [1 - error, 1 + error]. There is one
// factor per kind of task (its name without digits) and device.
Problem with_rate_error(const Problem& problem, double error, uint64_t seed);

// The problem with every time multiplied by a factor of its own, drawn evenly from [1 - jitter, 1 + jitter]:
// what nobody can predict. Transfers keep their times.
Problem with_jitter(const Problem& problem, double jitter, uint64_t seed);

}  // namespace mkmd::scheduler
