// SPDX-License-Identifier: Apache-2.0
// dualhp: dual approximation. For a guess of the makespan, tasks too long for one class go to the other.
// The rest fill the GPUs by acceleration factor up to the guess. Binary search finds the smallest guess
// whose remainder fits the CPUs. It is from Bleuse, Gautier, Lima, Mounie, Trystram: Scheduling Data Flow
// Program in XKaapi: A New Affinity Based Algorithm for Heterogeneous Architectures. Here it plans sets of
// ready tasks, and adds the load of running tasks.
#include "scheduler/policies/class_assignment.hpp"
#include "scheduler/policies/online_adapter.hpp"

#include <algorithm>
#include <numeric>

namespace mkmd::scheduler {
namespace {

class DualHp {
public:
  DualHp(const TwoClass& classes, const ReadySet& ready)
      : classes_(classes), ready_(ready), order_(ready.tasks.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return classes_.factor(ready_.tasks[a]) > classes_.factor(ready_.tasks[b]);
    });
  }

  std::vector<bool> solve() {
    double high = ready_.cpu_load + ready_.gpu_load, low = 0;
    for (int t : ready_.tasks)
      high += std::min(classes_.cpu_time(t), classes_.gpu_time(t));
    std::vector<bool> best(ready_.tasks.size()), tried;
    while (!fits(high, best))
      high = 2 * high + 1e-9;
    for (int i = 0; i < 60 && high - low > 1e-12 * high; ++i) {
      const double guess = (low + high) / 2;
      if (fits(guess, tried)) {
        high = guess;
        best = tried;
      } else {
        low = guess;
      }
    }
    return best;
  }

private:
  bool fits(double guess, std::vector<bool>& to_gpu) const {
    const double m = static_cast<double>(ready_.cpu_free.size()),
                 n = static_cast<double>(ready_.gpu_free.size());
    double cpu = ready_.cpu_load, gpu = ready_.gpu_load;
    to_gpu.assign(ready_.tasks.size(), false);
    for (size_t i = 0; i < ready_.tasks.size(); ++i) {
      const double p = classes_.cpu_time(ready_.tasks[i]), q = classes_.gpu_time(ready_.tasks[i]);
      if (p > guess && q > guess) return false;
      if (p > guess) gpu += q;
    }
    if (gpu > n * guess) return false;
    for (int i : order_) {
      const double p = classes_.cpu_time(ready_.tasks[i]), q = classes_.gpu_time(ready_.tasks[i]);
      if (p > guess) {
        to_gpu[i] = true;
      } else if (q <= guess && gpu < n * guess) {
        to_gpu[i] = true;
        gpu += q;
      } else {
        cpu += p;
      }
    }
    return cpu <= m * guess;
  }

  const TwoClass& classes_;
  const ReadySet& ready_;
  std::vector<int> order_;
};

std::vector<bool> assign(const TwoClass& classes, const ReadySet& ready) {
  return DualHp(classes, ready).solve();
}

}  // namespace

MadePolicy make_dualhp(ParameterReader& reader) {
  ClassAssignmentParameters parameters{"dualhp", assign};
  read_rank(reader, parameters.rank);
  if (Status s = reader.finish(); !s) return s;
  return made_online<ClassAssignment>(parameters);
}

}  // namespace mkmd::scheduler
