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
bool positive(double x) {
  return std::isfinite(x) && x > 0;
}

bool has_memory(const Platform& platform, int mem) {
  for (const Device& d : platform.devices)
    if (d.mem == mem) return true;
  return false;
}

Status check_platform(const Platform& p) {
  if (p.devices.empty()) return Status::internal("platform.devices: there must be at least one device");
  bool several = false;
  for (size_t i = 0; i < p.devices.size(); ++i) {
    const Device& d = p.devices[i];
    if (!not_negative(d.launch)) return bad("platform.devices", i, ".launch: must be a time of 0 or more");
    if (!not_negative(d.mem_bw)) return bad("platform.devices", i, ".mem_bw: must be 0 or more");
    several = several || d.mem != p.devices[0].mem;
  }
  if (!not_negative(p.lat)) return Status::internal("platform.lat: must be a time of 0 or more");
  if (several && !positive(p.bw)) return Status::internal("platform.bw: must be greater than 0");
  for (size_t i = 0; i < p.links.size(); ++i) {
    const Link& l = p.links[i];
    if (!has_memory(p, l.src))
      return bad("platform.links", i, ".src: no device has memory " + std::to_string(l.src));
    if (!has_memory(p, l.dst))
      return bad("platform.links", i, ".dst: no device has memory " + std::to_string(l.dst));
    if (!positive(l.bw)) return bad("platform.links", i, ".bw: must be greater than 0");
    if (!not_negative(l.lat)) return bad("platform.links", i, ".lat: must be a time of 0 or more");
  }
  for (size_t i = 0; i < p.memories.size(); ++i) {
    const Memory& m = p.memories[i];
    if (!has_memory(p, m.mem))
      return bad("platform.memories", i, ".mem: no device has memory " + std::to_string(m.mem));
    for (size_t j = 0; j < i; ++j)
      if (p.memories[j].mem == m.mem)
        return bad("platform.memories", i, ".mem: memory " + std::to_string(m.mem) + " is there twice");
    if (!not_negative(m.bw_one)) return bad("platform.memories", i, ".bw_one: must be 0 or more");
    if (!not_negative(m.bw_all)) return bad("platform.memories", i, ".bw_all: must be 0 or more");
  }
  return {};
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
  if (Status s = check_platform(problem.platform); !s) return s;
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
    if (!has_memory(problem.platform, r.mem))
      return bad("graph.resident", i, ".mem: no device has memory " + std::to_string(r.mem));
    if (!(r.lo >= 0 && r.lo < r.hi && r.hi <= 1))
      return bad("graph.resident", i, ": needs 0 <= lo < hi <= 1");
  }
  return {};
}

std::string_view to_string(DeviceClass device_class) {
  switch (device_class) {
  case DeviceClass::cpu:
    return "CPU";
  case DeviceClass::gpu:
    return "GPU";
  case DeviceClass::accelerator:
    return "ACCELERATOR";
  }
  return "CPU";
}

}  // namespace mkmd::scheduler
