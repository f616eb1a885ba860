// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bounds/area.hpp"

#include <algorithm>
#include <numeric>

namespace mkmd::scheduler {

AreaSolution area_bound(const ProblemIndex& index, const TwoClass& classes, std::span<const double> late) {
  const int tasks = index.task_count();
  AreaSolution solution;
  solution.cpu_share.assign(tasks, 0.0);
  std::vector<int> order(tasks);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (classes.factor(a) != classes.factor(b) || late.empty()) return classes.factor(a) < classes.factor(b);
    return late[a] < late[b];
  });
  const double m = classes.cpus(), n = classes.gpus();
  double cpu = 0, gpu = 0;
  for (int t = 0; t < tasks; ++t) {
    if (classes.gpu_time(t) != kNever) {
      gpu += classes.gpu_time(t);
    } else {
      cpu += classes.cpu_time(t);
      solution.cpu_share[t] = 1;
    }
  }
  // Move work from the GPUs to the CPUs, least accelerated first, until both end together.
  for (int t : order) {
    if (m == 0 || n == 0 || cpu / m >= gpu / n) break;
    const double p = classes.cpu_time(t), q = classes.gpu_time(t);
    if (p == kNever || q == kNever) continue;
    const double whole_cpu = cpu + p, whole_gpu = gpu - q;
    if (whole_cpu / m <= whole_gpu / n) {
      cpu = whole_cpu;
      gpu = whole_gpu;
      solution.cpu_share[t] = 1;
      continue;
    }
    const double share = (gpu / n - cpu / m) / (p / m + q / n);
    cpu += share * p;
    gpu -= share * q;
    solution.cpu_share[t] = share;
    break;
  }
  solution.bound = std::max(m > 0 ? cpu / m : 0.0, n > 0 ? gpu / n : 0.0);
  return solution;
}

}  // namespace mkmd::scheduler
