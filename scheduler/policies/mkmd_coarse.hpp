// SPDX-License-Identifier: Apache-2.0
// The coarse phase of MKMD, used alone (mkmd-coarse) and as the start of the fine ones. It is list
// scheduling of whole kernels: Equations 4-10 of Lee, Samadi, Mahlke: Orchestrating Multiple Data-Parallel
// Kernels on Multiple Devices. Placement settles the bandwidth that the paper leaves open: exclusive ports,
// first fit.
#pragma once

#include "scheduler/placement.hpp"

namespace mkmd::scheduler {

// Equation 4: the longest way from the start of each task to the sink, with mean times and full bandwidth.
std::vector<double> mkmd_priorities(const ProblemIndex& index);

// Tasks by (-priority, topological index).
std::vector<int> mkmd_list(const ProblemIndex& index);

// Places every task whole where it finishes first (ties: lowest device). Returns the devices by task.
std::vector<int> mkmd_place_coarse(const ProblemIndex& index, Placement& placement);

}  // namespace mkmd::scheduler
