// SPDX-License-Identifier: Apache-2.0
#include "scheduler/two_class.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::scheduler {

namespace {

// Numbers that differ by rounding only become the same number: equally accelerated tasks must be seen to be
// so.
void merge_equal(std::vector<double>& values) {
  std::vector<double> sorted(values);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<double> first(sorted);
  bool merged = false;
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] != kNever && sorted[i] - first[i - 1] <= 1e-12 * std::abs(sorted[i])) {
      first[i] = first[i - 1];
      merged = true;
    }
  if (!merged) return;
  for (double& v : values)
    v = first[std::lower_bound(sorted.begin(), sorted.end(), v) - sorted.begin()];
}

}  // namespace

TwoClass::TwoClass(const ProblemIndex& index) {
  for (int d = 0; d < index.device_count(); ++d) {
    gpu_.push_back(index.problem().platform.devices[d].device_class != DeviceClass::cpu);
    (gpu_[d] ? gpu_devices_ : cpu_devices_).push_back(d);
  }
  workers_ = gpu_devices_;
  workers_.insert(workers_.end(), cpu_devices_.begin(), cpu_devices_.end());

  const int tasks = index.task_count();
  cpu_time_.assign(tasks, kNever);
  gpu_time_.assign(tasks, kNever);
  factor_.resize(tasks);
  for (int t = 0; t < tasks; ++t) {
    for (int d = 0; d < index.device_count(); ++d) {
      double& time = (gpu_[d] ? gpu_time_ : cpu_time_)[t];
      if (index.eligible(t, d)) time = std::min(time, index.duration(t, d, 1));
    }
    const double p = cpu_time_[t], q = gpu_time_[t];
    factor_[t] = p == q ? 1 : q == 0 ? kNever : p / q;
  }
  merge_equal(factor_);
}

}  // namespace mkmd::scheduler
