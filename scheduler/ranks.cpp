// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranks.hpp"

#include "scheduler/bounds/area.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

std::vector<double> costs(const ProblemIndex& index, const TwoClass& classes, Rank rank) {
  std::vector<double> cost(index.task_count());
  AreaSolution area;
  if (rank == Rank::area) area = area_bound(index, classes);
  const double m = classes.cpus(), n = classes.gpus();
  for (int t = 0; t < index.task_count(); ++t) {
    const double p = classes.cpu_time(t), q = classes.gpu_time(t);
    if (rank == Rank::min || p == kNever || q == kNever) {
      cost[t] = std::min(p, q);
    } else if (rank == Rank::area) {
      cost[t] = area.cpu_share[t] * p + (1 - area.cpu_share[t]) * q;
    } else {
      cost[t] = (m * p + n * q) / (m + n);
    }
  }
  return cost;
}

}  // namespace

double mean_transfer_time(const ProblemIndex& index, double bytes) {
  if (bytes == 0) return 0;
  double sum = 0;
  for (int a = 0; a < index.device_count(); ++a)
    for (int b = 0; b < index.device_count(); ++b) {
      const int src = index.memory_of(a), dst = index.memory_of(b);
      if (src != dst) sum += index.transfer_time(src, dst, bytes);
    }
  return sum / index.device_count() / index.device_count();
}

std::vector<double> rank_tasks(const ProblemIndex& index, const TwoClass& classes, Rank rank,
                               bool with_transfers) {
  const int tasks = index.task_count();
  std::vector<double> value(tasks);
  const auto order = index.order();
  if (rank == Rank::fifo) {
    for (int i = 0; i < tasks; ++i)
      value[order[i]] = -i;
  } else if (rank == Rank::given) {
    for (int t = 0; t < tasks; ++t)
      value[t] = index.task(t).priority;
  } else if (rank == Rank::lpt) {
    value = costs(index, classes, Rank::min);
  } else {
    // The mean transfer time is linear in the bytes: two points give it for every edge.
    const double fixed = with_transfers ? mean_transfer_time(index, 1e-9) : 0;
    const double per_byte = with_transfers ? (mean_transfer_time(index, 1e6) - fixed) / 1e6 : 0;
    const std::vector<double> cost = costs(index, classes, rank);
    for (auto t = order.rbegin(); t != order.rend(); ++t) {
      double after = 0;
      for (const Output& o : index.outputs(*t))
        after = std::max(after, value[o.dst] + (o.bytes > 0 ? fixed + o.bytes * per_byte : 0));
      value[*t] = cost[*t] + after;
    }
  }
  return value;
}

}  // namespace mkmd::scheduler
