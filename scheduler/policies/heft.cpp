// SPDX-License-Identifier: Apache-2.0
// heft: list scheduling by upward rank, each task inserted where it finishes first. It is from Topcuoglu,
// Hariri, Wu: Performance-Effective and Low-Complexity Task Scheduling for Heterogeneous Computing. The
// ranking schemes are those of the HeteroPrio paper. Ties: topological index among tasks, lowest index
// among devices.
#include "scheduler/placement.hpp"
#include "scheduler/policies/factories.hpp"
#include "scheduler/ranks.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

struct HeftParameters {
  Rank rank = Rank::avg;
};

// Tasks by rank that are also in topological order, whatever the ranks are: given priorities need not fall
// along edges. The next one is always the highest of those whose predecessors are listed.
std::vector<int> list_by(const ProblemIndex& index, const std::vector<double>& rank) {
  std::vector<int> place(index.task_count()), waiting(index.task_count());
  for (int i = 0; i < index.task_count(); ++i)
    place[index.order()[i]] = i;
  const auto later = [&](int a, int b) {
    return rank[a] != rank[b] ? rank[a] < rank[b] : place[a] > place[b];
  };
  std::vector<int> list, heap;
  list.reserve(index.task_count());
  for (int t = 0; t < index.task_count(); ++t) {
    waiting[t] = static_cast<int>(index.inputs(t).size());
    if (waiting[t] == 0) heap.push_back(t);
  }
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const int t = heap.back();
    heap.pop_back();
    list.push_back(t);
    for (const Output& o : index.outputs(t))
      if (--waiting[o.dst] == 0) {
        heap.push_back(o.dst);
        std::push_heap(heap.begin(), heap.end(), later);
      }
  }
  return list;
}

class Heft : public Policy {
public:
  explicit Heft(const HeftParameters& parameters) : parameters_(parameters) {}

  Result<Schedule> schedule(const Problem& problem, const Options&) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    const TwoClass classes(*index);
    Placement placement(*index);
    std::vector<double> ready(index->memory_count());
    for (int t : list_by(*index, rank_tasks(*index, classes, parameters_.rank, true))) {
      // Inputs arrive alike on all devices of a memory.
      for (int m = 0, known = -1; m < index->device_count(); ++m) {
        const int mem = index->memory_of(m);
        if (mem <= known) continue;
        known = mem;
        const Placement::Mark before = placement.mark();
        ready[mem] = placement.bring_inputs(t, m, 0, 1);
        placement.rollback(before);
      }
      int best = -1;
      double earliest = kNever;
      for (int d = 0; d < index->device_count(); ++d) {
        if (!index->eligible(t, d)) continue;
        const double length = index->duration(t, d, 1);
        const double end = placement.device(d).first_fit(ready[index->memory_of(d)], length) + length;
        if (best >= 0 && end >= earliest) continue;
        best = d;
        earliest = end;
      }
      placement.place(t, best);
    }
    return placement.schedule("heft");
  }

private:
  HeftParameters parameters_;
};

}  // namespace

MadePolicy make_heft(ParameterReader& reader) {
  HeftParameters parameters;
  read_rank(reader, parameters.rank);
  if (Status s = reader.finish(); !s) return s;
  return made<Heft>(parameters);
}

}  // namespace mkmd::scheduler
