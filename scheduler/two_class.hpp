// SPDX-License-Identifier: Apache-2.0
// TwoClass: a problem seen as CPUs against GPUs, as the HeteroPrio family does. Every device is one of the
// two (accelerators count as GPUs). A task has one time per class, that of the class's best device for it.
// Where devices of a class are alike, this is exactly the model of a paper. It is Beaumont, Eyraud-Dubois,
// Kumar: Fast Approximation Algorithms for Task-Based Runtime Systems.
#pragma once

#include "scheduler/problem_index.hpp"

namespace mkmd::scheduler {

class TwoClass {
public:
  explicit TwoClass(const ProblemIndex& index);

  bool is_gpu(int device) const { return gpu_[device]; }
  int cpus() const { return static_cast<int>(cpu_devices_.size()); }
  int gpus() const { return static_cast<int>(gpu_devices_.size()); }
  std::span<const int> cpu_devices() const { return cpu_devices_; }
  std::span<const int> gpu_devices() const { return gpu_devices_; }
  std::span<const int> workers() const { return workers_; }  // GPUs first, then CPUs, by index

  double cpu_time(int t) const { return cpu_time_[t]; }  // kNever: no CPU may run it
  double gpu_time(int t) const { return gpu_time_[t]; }
  double class_time(int t, bool gpu) const { return gpu ? gpu_time_[t] : cpu_time_[t]; }

  // CPU time / GPU time: what a GPU gains. 1 when neither takes time, infinity for a task of GPUs only.
  double factor(int t) const { return factor_[t]; }

private:
  std::vector<bool> gpu_;
  std::vector<int> cpu_devices_, gpu_devices_, workers_;
  std::vector<double> cpu_time_, gpu_time_, factor_;
};

}  // namespace mkmd::scheduler
