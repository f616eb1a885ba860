// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the makespan of any schedule, and the exact optimum of small problems, to judge policies
// by. The critical path is a formula, and so is the area bound of two classes (area.hpp). The others are
// linear or mixed integer programs and need a solver (linear_program.hpp). None knows of merges or launch
// times below a piece.
#pragma once

#include "scheduler/problem_index.hpp"
#include "scheduler/schedule.hpp"

namespace mkmd::scheduler {

// The longest path with every task on its fastest device and no transfers; a divisible task is shared by all
// devices that may run it.
double critical_path(const ProblemIndex& index);

// Every task is fluid over devices: no device and no direction of a port works longer than this. A device's
// share of a task needs the same share of its row inputs, moved to the device's memory. It also needs that
// share of the whole full inputs, which relaxes "all of it or none". What leaves the memory of the source
// counts on its out-port. `with_transfers` false leaves the ports out.
Result<double> area_transfer_bound(const ProblemIndex& index, bool with_transfers = true,
                                   double seconds = kNever);

struct MixedBound {
  double bound = 0;
  std::vector<double> cpu_share;  // of each task
};

// Area and dependences of two classes of devices together. These are constraints (1)-(4) of Beaumont,
// Eyraud-Dubois, Kumar: Fast Approximation Algorithms for Task-Based Runtime Systems. A task's share on the
// CPUs and that on the GPUs run one after the other, each on one device. So it is a bound where nothing is
// divisible.
Result<MixedBound> mixed_bound(const ProblemIndex& index, double seconds = kNever);

struct ExactOptimum {
  double makespan = kNever;  // of the best schedule found
  double lower_bound = 0;    // equal to it when the search ended
  std::vector<int> device;   // of each task in that schedule
  bool optimal = false;
};

// The optimum over schedules of whole tasks in which a transfer delays its consumer but ports never queue.
// It is the mixed integer program of Section 2.2 of "Task Mapping in Heterogeneous Embedded Systems for
// Fast Completion Time". The bilinear Eq. (4) is linearised, and order variables replace positions. For
// about 15 tasks.
Result<ExactOptimum> exact_optimum(const ProblemIndex& index, double seconds);

}  // namespace mkmd::scheduler
