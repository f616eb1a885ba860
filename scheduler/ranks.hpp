// SPDX-License-Identifier: Apache-2.0
// Ranking schemes: the priority of every task, higher first. min, avg and area are bottom levels (the
// longest way to the end of the graph) with different costs of a task. fifo, lpt and given do not depend on
// the graph. Used wherever a policy has a `rank` parameter.
#pragma once

#include "scheduler/parameters.hpp"
#include "scheduler/two_class.hpp"

namespace mkmd::scheduler {

enum class Rank {
  min,    // bottom level of the shortest times
  avg,    // bottom level of the mean times over all devices
  area,   // bottom level of the times weighted as the area bound divides the task
  fifo,   // the order in which tasks become ready
  lpt,    // longest task first
  given,  // the tasks' `priority`
};

inline constexpr std::pair<std::string_view, Rank> kRanks[] = {{"min", Rank::min},   {"avg", Rank::avg},
                                                               {"area", Rank::area}, {"fifo", Rank::fifo},
                                                               {"lpt", Rank::lpt},   {"given", Rank::given}};

inline void read_rank(ParameterReader& reader, Rank& rank) {
  reader.choice<Rank>("rank", rank, kRanks);
}

// With `with_transfers` the mean time to move an edge's data between two devices counts as well.
std::vector<double> rank_tasks(const ProblemIndex& index, const TwoClass& classes, Rank rank,
                               bool with_transfers = false);

// The mean, over all ordered pairs of devices, of the time to move `bytes` (0 within a memory).
double mean_transfer_time(const ProblemIndex& index, double bytes);

}  // namespace mkmd::scheduler
