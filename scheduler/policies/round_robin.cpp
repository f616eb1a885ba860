// SPDX-License-Identifier: Apache-2.0
// round-robin: tasks in topological order, dealt to the devices in turn. A task that may not run on the
// next device goes to the one after. A program does so that knows it has several devices and nothing else.
#include "scheduler/placement.hpp"
#include "scheduler/policies/factories.hpp"

namespace mkmd::scheduler {
namespace {

class RoundRobin : public Policy {
public:
  Result<Schedule> schedule(const Problem& problem, const Options&) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    Placement placement(*index);
    int next = 0;
    for (int t : index->order()) {
      int d = next;
      while (!index->eligible(t, d))
        d = (d + 1) % index->device_count();
      placement.place(t, d);
      if (index->mean_time(t) > 0) next = (d + 1) % index->device_count();
    }
    return placement.schedule("round-robin");
  }
};

}  // namespace

MadePolicy make_round_robin(ParameterReader& reader) {
  if (Status s = reader.finish(); !s) return s;
  return made<RoundRobin>();
}

}  // namespace mkmd::scheduler
