// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem_index.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

namespace mkmd::scheduler {

PlatformIndex::PlatformIndex(const Platform& platform) {
  for (const Device& d : platform.devices) {
    int m = memory_index(d.mem);
    if (m < 0) {
      m = memory_count();
      memory_ids_.push_back(d.mem);
    }
    memory_of_.push_back(m);
    launch_.push_back(d.launch);
  }
  const size_t n = memory_ids_.size();
  lat_.assign(n * n, platform.lat);
  per_byte_.assign(n * n, platform.bw > 0 ? 1 / platform.bw : 0);
  for (const Link& l : platform.links) {
    const size_t at = memory_index(l.src) * n + memory_index(l.dst);
    lat_[at] = l.lat;
    per_byte_[at] = 1 / l.bw;
  }
}

int PlatformIndex::memory_index(int id) const {
  for (size_t m = 0; m < memory_ids_.size(); ++m)
    if (memory_ids_[m] == id) return static_cast<int>(m);
  return -1;
}

Result<ProblemIndex> ProblemIndex::make(const Problem& problem) {
  if (Status s = check(problem); !s) return s;
  ProblemIndex index(problem);
  index.index_times(index.share_memories());
  index.index_resident();
  if (Status s = index.index_order(); !s) return s;
  return index;
}

// Returns, by memory, the seconds per byte that even the only piece in it needs.
std::vector<double> ProblemIndex::share_memories() {
  const bool moves_bytes =
      std::ranges::any_of(problem_->graph.tasks, [](const Task& t) { return t.bytes > 0; });
  std::vector<double> alone(memory_count());
  for (const Memory& memory : problem_->platform.memories) {
    const int m = memory_index(memory.mem);
    for (double bw : {memory.bw_one, memory.bw_all})
      if (bw > 0) alone[m] = std::max(alone[m], 1 / bw);
    int devices = 0;
    for (int d = 0; d < device_count(); ++d)
      devices += memory_of(d) == m ? 1 : 0;
    if (memory.bw_all == 0 || !moves_bytes || devices < 2) continue;
    shared_.resize(memory_count());
    shared_[m] = memory.bw_all;
  }
  return alone;
}

void ProblemIndex::index_times(const std::vector<double>& alone) {
  const TaskGraph& g = problem_->graph;
  times_.reserve(g.tasks.size() * device_count());
  mean_times_.reserve(g.tasks.size());
  for (const Task& t : g.tasks) {
    double sum = 0;
    int able = 0;
    for (int d = 0; d < device_count(); ++d) {
      double time = t.pinned < 0 || t.pinned == d ? t.times[d] : kNever;
      if (t.bytes > 0) time = std::max(time, t.bytes * alone[memory_of(d)]);
      times_.push_back(time);
      if (time == kNever) continue;
      sum += time;
      ++able;
    }
    mean_times_.push_back(sum / able);
  }
}

double ProblemIndex::slowdown(int t, int d, std::span<const int> others) const {
  const double limit = bandwidth_limit(t, d);
  return limit == 0 ? 1 : std::max(1.0, demand(t, memory_of(d), others, d) / limit);
}

bool ProblemIndex::gains_bandwidth(int t, int d, std::span<const int> others) const {
  constexpr double kNothing = 1e-6;  // of the limit
  const double limit = bandwidth_limit(t, d);
  return limit == 0 || demand(t, memory_of(d), others, -1) < (1 - kNothing) * limit;
}

// Bytes/s that pieces of the task on these devices of the memory would move at full speed.
double ProblemIndex::demand(int t, int mem, std::span<const int> devices, int also) const {
  double sum = 0;
  for (int d = 0; d < device_count(); ++d) {
    const bool runs = d == also || std::find(devices.begin(), devices.end(), d) != devices.end();
    if (runs && memory_of(d) == mem && eligible(t, d)) sum += task(t).bytes / time(t, d);
  }
  return sum;
}

void GraphIndex::index_items() {
  const TaskGraph& g = *graph_;
  const int tasks = task_count();
  input_begin_.assign(tasks + 1, 0);
  output_begin_.assign(tasks + 1, 0);
  produced_begin_.assign(tasks + 1, 0);
  for (const Edge& e : g.edges) {
    ++input_begin_[e.dst + 1];
    ++output_begin_[e.src + 1];
  }
  for (int t = 0; t < tasks; ++t) {
    input_begin_[t + 1] += input_begin_[t];
    output_begin_[t + 1] += output_begin_[t];
  }
  std::vector<int> next_in(input_begin_.begin(), input_begin_.end() - 1);
  std::vector<int> next_out(output_begin_.begin(), output_begin_.end() - 1);
  inputs_.resize(g.edges.size());
  outputs_.resize(g.edges.size());
  std::vector<int> edge_of(g.edges.size());  // of each output
  for (size_t i = 0; i < g.edges.size(); ++i)
    edge_of[next_out[g.edges[i].src]++] = static_cast<int>(i);

  std::vector<int> item_of(g.edges.size());
  std::unordered_map<std::string_view, int> by_name;
  for (int t = 0; t < tasks; ++t) {
    const int first = item_count();
    by_name.clear();
    const bool many = output_begin_[t + 1] - output_begin_[t] > 32;
    for (int o = output_begin_[t]; o < output_begin_[t + 1]; ++o) {
      const Edge& e = g.edges[edge_of[o]];
      int item = first;  // most tasks produce few buffers: a linear search beats a map
      if (many) {
        item = by_name.try_emplace(e.buffer, item_count()).first->second;
      } else {
        while (item < item_count() && *items_[item].buffer != e.buffer)
          ++item;
      }
      if (item == item_count()) items_.push_back({t, 0, &e.buffer});
      items_[item].bytes = std::max(items_[item].bytes, e.bytes);
      item_of[edge_of[o]] = item;
      outputs_[o] = {e.dst, item, e.access == Access::row, e.bytes};
    }
    for (int item = first; item < item_count(); ++item)
      produced_.push_back(item);
    produced_begin_[t + 1] = static_cast<int>(produced_.size());
  }
  for (size_t i = 0; i < g.edges.size(); ++i) {
    const Edge& e = g.edges[i];
    inputs_[next_in[e.dst]++] = {e.src, item_of[i], e.access == Access::row, e.bytes};
  }
}

void ProblemIndex::index_resident() {
  const TaskGraph& g = problem_->graph;
  resident_begin_.assign(item_count() + 1, 0);
  if (g.resident.empty()) return;
  for (int i = 0; i < item_count(); ++i) {
    if (is_source(item(i).producer))
      for (const Resident& r : g.resident)
        if (r.buffer == *item(i).buffer) resident_slices_.push_back({memory_index(r.mem), r.lo, r.hi, 0});
    resident_begin_[i + 1] = static_cast<int>(resident_slices_.size());
  }
}

std::span<const Slice> ProblemIndex::resident(int item) const {
  return range(resident_slices_, resident_begin_, item);
}

bool ProblemIndex::is_source(int t) const {
  return inputs(t).empty() && mean_times_[t] == 0;
}

double ProblemIndex::snap(int t, double share) const {
  share = std::clamp(share, 0.0, 1.0);
  const int units = task(t).units;
  return units > 0 ? std::round(share * units) / units : share;
}

Status GraphIndex::index_order() {
  const int tasks = task_count();
  std::vector<int> waiting(tasks);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int t = 0; t < tasks; ++t) {
    waiting[t] = static_cast<int>(inputs(t).size());
    if (waiting[t] == 0) ready.push(t);
  }
  order_.reserve(tasks);
  while (!ready.empty()) {
    const int t = ready.top();
    ready.pop();
    order_.push_back(t);
    for (const Output& o : outputs(t))
      if (--waiting[o.dst] == 0) ready.push(o.dst);
  }
  if (static_cast<int>(order_.size()) == tasks) return {};
  // Name a task on the cycle: going back from any task that still waits must end in one.
  int t = 0;
  while (waiting[t] == 0)
    ++t;
  for (int step = 0; step < tasks; ++step)
    for (const Input& in : inputs(t))
      if (waiting[in.src] > 0) {
        t = in.src;
        break;
      }
  return Status::internal("graph.edges: a cycle goes through task " + std::to_string(task(t).id) + " (" +
                          task(t).name + ")");
}

}  // namespace mkmd::scheduler
