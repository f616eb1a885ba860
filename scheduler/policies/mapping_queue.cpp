// SPDX-License-Identifier: Apache-2.0
#include "scheduler/policies/mapping_queue.hpp"

#include "scheduler/policies/online_adapter.hpp"
#include "scheduler/ranks.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::scheduler {

double heterogeneity_ratio(const ProblemIndex& index, int task) {
  double slowest = 0, fastest = kNever;
  for (int d = 0; d < index.device_count(); ++d) {
    if (!index.eligible(task, d)) continue;
    slowest = std::max(slowest, index.time(task, d));
    fastest = std::min(fastest, index.time(task, d));
  }
  if (slowest == fastest) return 1;
  return fastest > 0 ? slowest / fastest : kNever;
}

double structure_rank(const ProblemIndex& index, int task) {
  double heaviest = 0;
  for (const Output& o : index.outputs(task))
    heaviest = std::max(heaviest, mean_transfer_time(index, o.bytes) + index.mean_time(o.dst));
  return index.mean_time(task) + heaviest;
}

void MappingQueue::begin(const OnlineState& state) {
  const ProblemIndex& index = *state.index;
  queue_.clear();
  threshold_ = parameters_.threshold >= 0 ? parameters_.threshold : 2 * index.device_count();
  priority_.assign(index.task_count(), 0.0);
  for (int t = 0; t < index.task_count(); ++t) {
    if (parameters_.order == MappingOrder::heterogeneity) priority_[t] = heterogeneity_ratio(index, t);
    if (parameters_.order == MappingOrder::structure) priority_[t] = structure_rank(index, t);
  }
  const Platform& platform = index.problem().platform;
  per_byte_ = parameters_.a > 0 ? parameters_.a : platform.bw > 0 ? 1 / platform.bw : 0;
  latency_ = parameters_.a > 0 ? parameters_.c : platform.lat;
}

void MappingQueue::push(const Waiting& waiting) {
  const auto behind = std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& w) {
    return priority_[w.task] < priority_[waiting.task];
  });
  queue_.insert(behind, waiting);
}

void MappingQueue::ready(int task, const OnlineState&) {
  push({task, 0, 1});
}

void MappingQueue::lost(const OnlinePiece& piece, int, const OnlineState&) {
  push({piece.task, piece.lo, piece.hi});
}

size_t MappingQueue::pick(int device, const OnlineState& state) {
  if (!parameters_.data_first) return 0;
  const auto& queue = state.queue[device];
  size_t soonest = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].arrival <= state.now) return i;
    if (queue[i].arrival < queue[soonest].arrival) soonest = i;
  }
  return soonest;
}

double MappingQueue::transfer_time(const Waiting& w, int device, const OnlineState& state) const {
  const ProblemIndex& index = *state.index;
  const int mem = index.memory_of(device);
  double longest = 0, bytes = 0;
  for (const Input& in : index.inputs(w.task)) {
    const int from = index.memory_of(state.device_of[in.src]);
    if (from == mem || in.bytes == 0) continue;
    const double part = in.bytes * (in.row ? w.hi - w.lo : 1);
    bytes += part;
    longest = std::max(longest, index.transfer_time(from, mem, part));
  }
  if (!parameters_.power_law) return longest;
  return bytes > 0 ? per_byte_ * std::pow(bytes, parameters_.b) + latency_ : 0;
}

// Replaces the front task by its blocks when it would take longer than the threshold on its best device.
void MappingQueue::partition(const OnlineState& state) {
  const Waiting whole = queue_.front();
  if (parameters_.part_above <= 0 || !state.index->task(whole.task).divisible || whole.hi - whole.lo < 1)
    return;
  double fastest = kNever;
  int at = -1;
  for (int d = 0; d < state.index->device_count(); ++d) {
    if (!state.may_run(whole.task, d) || state.index->time(whole.task, d) >= fastest) continue;
    fastest = state.index->time(whole.task, d);
    at = d;
  }
  if (fastest == kNever || fastest <= parameters_.part_above) return;
  // A second device must gain something where the first may use all the bandwidth of their memory.
  bool gains = state.index->bandwidth_limit(whole.task, at) == 0;
  for (int d = 0; d < state.index->device_count(); ++d)
    gains = gains || (d != at && state.may_run(whole.task, d) &&
                      (state.index->memory_of(d) != state.index->memory_of(at) ||
                       state.index->gains_bandwidth(whole.task, d, {{at}})));
  if (!gains) return;
  queue_.pop_front();
  std::vector<Waiting> blocks;
  double lo = 0;
  for (int b = 1; b <= parameters_.blocks; ++b) {
    const double hi = b == parameters_.blocks
                          ? 1
                          : state.index->snap(whole.task, static_cast<double>(b) / parameters_.blocks);
    if (hi > lo) blocks.push_back({whole.task, lo, hi});
    lo = std::max(lo, hi);
  }
  queue_.insert(queue_.begin(), blocks.begin(), blocks.end());
}

std::optional<Work> MappingQueue::next(const OnlineState& state) {
  if (queue_.empty()) return std::nullopt;
  size_t on_devices = 0;
  for (const auto& queue : state.queue)
    on_devices += queue.size();
  if (threshold_ > 0 && on_devices >= static_cast<size_t>(threshold_)) return std::nullopt;
  partition(state);
  const Waiting w = queue_.front();
  int best = -1;
  double earliest = kNever;
  for (int d = 0; d < state.index->device_count(); ++d) {
    if (!state.may_run(w.task, d)) continue;
    const double end =
        state.available(d) + transfer_time(w, d, state) + state.index->duration(w.task, d, w.hi - w.lo);
    if (best >= 0 && end >= earliest) continue;
    best = d;
    earliest = end;
  }
  if (best < 0) return std::nullopt;
  queue_.pop_front();
  return Work{w.task, best, w.lo, w.hi};
}

namespace {

MadePolicy finish(ParameterReader& reader, const MappingParameters& parameters) {
  if (Status s = reader.finish(); !s) return s;
  return made_online<MappingQueue>(parameters);
}

}  // namespace

MadePolicy make_h_ratio(ParameterReader& reader) {
  MappingParameters p;
  reader.integer("threshold", p.threshold, 0, 1000000);
  return finish(reader, p);
}

MadePolicy make_d_rank(ParameterReader& reader) {
  MappingParameters p{"d-rank", MappingOrder::structure};
  reader.integer("threshold", p.threshold, 0, 1000000);
  return finish(reader, p);
}

MadePolicy make_ad_part(ParameterReader& reader) {
  MappingParameters p{"ad-part", MappingOrder::heterogeneity};
  p.part_above = 1e-3;
  reader.integer("threshold", p.threshold, 0, 1000000);
  reader.number("above", p.part_above, 1e-9, 1e9);
  reader.integer("blocks", p.blocks, 2, 1024);
  return finish(reader, p);
}

MadePolicy make_hratio_part(ParameterReader& reader) {
  MappingParameters p{"hratio-part", MappingOrder::heterogeneity, 0, true};
  reader.number("a", p.a, 0, 1e9);
  reader.number("b", p.b, 0, 10);
  reader.number("c", p.c, 0, 1e9);
  return finish(reader, p);
}

MadePolicy make_dmdar(ParameterReader& reader) {
  MappingParameters p{"dmdar", MappingOrder::arrival, 0};
  p.data_first = true;
  return finish(reader, p);
}

}  // namespace mkmd::scheduler
