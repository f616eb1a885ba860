// SPDX-License-Identifier: Apache-2.0
#include "scheduler/policies/mkmd_coarse.hpp"

#include "scheduler/policies/factories.hpp"

#include <algorithm>

namespace mkmd::scheduler {

std::vector<double> mkmd_priorities(const ProblemIndex& index) {
  const Platform& platform = index.problem().platform;
  const double per_byte = platform.bw > 0 ? 1 / platform.bw : 0;
  std::vector<double> priority(index.task_count());
  const auto order = index.order();
  for (auto t = order.rbegin(); t != order.rend(); ++t) {
    double after = 0;
    for (const Output& o : index.outputs(*t))
      after = std::max(after, o.bytes * per_byte + priority[o.dst]);
    priority[*t] = index.mean_time(*t) + after;
  }
  return priority;
}

std::vector<int> mkmd_list(const ProblemIndex& index) {
  const std::vector<double> priority = mkmd_priorities(index);
  std::vector<int> list(index.order().begin(), index.order().end());
  std::stable_sort(list.begin(), list.end(), [&](int a, int b) { return priority[a] > priority[b]; });
  return list;
}

std::vector<int> mkmd_place_coarse(const ProblemIndex& index, Placement& placement) {
  std::vector<int> device_of(index.task_count());
  for (int t : mkmd_list(index)) {
    int best = -1;
    double earliest = kNever;
    for (int d = 0; d < index.device_count(); ++d) {
      if (!index.eligible(t, d)) continue;
      const Placement::Mark before = placement.mark();
      const double end = placement.place(t, d).end;
      placement.rollback(before);
      if (best < 0 || end < earliest) {
        best = d;
        earliest = end;
      }
    }
    placement.place(t, best);
    device_of[t] = best;
  }
  return device_of;
}

namespace {

class MkmdCoarse : public Policy {
public:
  Result<Schedule> schedule(const Problem& problem, const Options&) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    Placement placement(*index);
    mkmd_place_coarse(*index, placement);
    return placement.schedule("mkmd-coarse");
  }
};

}  // namespace

MadePolicy make_mkmd_coarse(ParameterReader& parameters) {
  if (Status s = parameters.finish(); !s) return s;
  return made<MkmdCoarse>();
}

}  // namespace mkmd::scheduler
