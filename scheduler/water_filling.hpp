// SPDX-License-Identifier: Apache-2.0
// Water filling: how to divide one divisible task over several devices so that it ends as early as
// possible. Every vessel is a device that can start at some time and needs some seconds for the whole. All
// that take part end together, except those whose idle stretch is over before.
#pragma once

#include "scheduler/problem.hpp"

#include <span>
#include <vector>

namespace mkmd::scheduler {

struct FillSlot {
  double start = 0;
  double seconds = 0;     // of the whole task, > 0 or the task is free there
  double limit = kNever;  // what is put here must end by then
};

// The shares, one per slot, summing to 1; empty when no end time lets them (all limits too early).
std::vector<double> water_fill(std::span<const FillSlot> slots);

}  // namespace mkmd::scheduler
