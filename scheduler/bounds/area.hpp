// SPDX-License-Identifier: Apache-2.0
// The area bound of two classes of devices: the makespan if tasks were fluid and independent. It is solved
// greedily by acceleration factor, which gives the optimum of the linear program. That is Lemma 2 of
// Beaumont, Eyraud-Dubois, Kumar: Fast Approximation Algorithms for Task-Based Runtime Systems. Bounds of
// the exact kind are in bounds.hpp.
#pragma once

#include "scheduler/two_class.hpp"

#include <span>

namespace mkmd::scheduler {

struct AreaSolution {
  double bound = 0;
  std::vector<double> cpu_share;  // of each task, 0..1
};

// Among equally accelerated tasks those with the smallest `late` go to the CPUs first (by default: the
// first).
AreaSolution area_bound(const ProblemIndex& index, const TwoClass& classes,
                        std::span<const double> late = {});

}  // namespace mkmd::scheduler
