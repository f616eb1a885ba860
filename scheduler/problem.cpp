// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem.hpp"

#include <cmath>

namespace mkmd::scheduler {
namespace {

Status bad(const char* list, size_t i, const std::string& what) {
  return Status::internal(std::string(list) + "[" + std::to_string(i) + "]" + what);
}

bool not_negative(double x) {
  return std::isfinite(x) && x >= 0;
}

Status check_task(const Task& t, size_t i, int devices) {
  if (t.times.size() != static_cast<size_t>(devices))
    return bad("graph.tasks", i,
               ".times: has " + std::to_string(t.times.size()) + " times for " + std::to_string(devices) +
                   " devices");
  bool runs = false;
  for (size_t d = 0; d < t.times.size(); ++d) {
    const double time = t.times[d];
    if (std::isnan(time) || time < 0)
      return bad("graph.tasks", i, ".times[" + std::to_string(d) + "]: must be a time of 0 or more, or null");
    runs = runs || (std::isfinite(time) && (t.pinned < 0 || t.pinned == static_cast<int>(d)));
  }
  if (t.pinned < -1 || t.pinned >= devices)
    return bad("graph.tasks", i, ".pinned: no device " + std::to_string(t.pinned));
  if (!runs) return bad("graph.tasks", i, ".times: no device can run this task");
  if (t.units < 0) return bad("graph.tasks", i, ".units: must be 0 or more");
  if (!not_negative(t.bytes)) return bad("graph.tasks", i, ".bytes: must be 0 or more");
  if (!std::isfinite(t.priority)) return bad("graph.tasks", i, ".priority: must be a finite number");
  return {};
}

}  // namespace

Status check(const Problem& problem) {
  if (Status s = check(problem.platform); !s) return s;
  const TaskGraph& g = problem.graph;
  const int devices = static_cast<int>(problem.platform.devices.size());
  const int tasks = static_cast<int>(g.tasks.size());
  for (size_t i = 0; i < g.tasks.size(); ++i)
    if (Status s = check_task(g.tasks[i], i, devices); !s) return s;
  for (size_t i = 0; i < g.edges.size(); ++i) {
    const Edge& e = g.edges[i];
    if (e.src < 0 || e.src >= tasks) return bad("graph.edges", i, ".src: no such task");
    if (e.dst < 0 || e.dst >= tasks) return bad("graph.edges", i, ".dst: no such task");
    if (e.src == e.dst) return bad("graph.edges", i, ": an edge from a task to itself");
    if (!not_negative(e.bytes)) return bad("graph.edges", i, ".bytes: must be 0 or more");
  }
  for (size_t i = 0; i < g.resident.size(); ++i) {
    const Resident& r = g.resident[i];
    if (!problem.platform.has_memory(r.mem))
      return bad("graph.resident", i, ".mem: no device has memory " + std::to_string(r.mem));
    if (!(r.lo >= 0 && r.lo < r.hi && r.hi <= 1))
      return bad("graph.resident", i, ": needs 0 <= lo < hi <= 1");
  }
  return {};
}

}  // namespace mkmd::scheduler
