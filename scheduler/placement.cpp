// SPDX-License-Identifier: Apache-2.0
#include "scheduler/placement.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

constexpr double kSliver = 1e-12;  // of a buffer: less than this is rounding, not data

bool covers(const Slice& s, double x) {
  return s.lo <= x + kSliver && s.hi > x + kSliver;
}

// Of a memory: the slice that has x, if any, and where the next one after x begins; `hi`: none does before.
struct Here {
  const Slice* slice;
  double next;
};
Here here_at(std::span<const Slice> slices, double x, double hi, int mem) {
  Here found{nullptr, hi};
  for (const Slice& s : slices) {
    if (s.mem != mem || s.hi <= x + kSliver) continue;
    if (s.lo > x + kSliver) {
      found.next = std::min(found.next, s.lo);
    } else if (!found.slice || s.hi > found.slice->hi) {
      found.slice = &s;
    }
  }
  return found;
}

// A slice and its neighbours in the same memory that are there by then: they travel together, with one
// latency instead of several. None that begin behind `hi` are wanted. `at`: when all are there.
Slice with_neighbours(std::span<const Slice> slices, const Slice& first, double by, double hi) {
  Slice all = first;
  for (bool grown = true; grown && all.hi < hi;) {
    grown = false;
    for (const Slice& s : slices)
      if (s.mem == all.mem && s.at <= by && covers(s, all.hi)) {
        all.at = std::max(all.at, s.at);
        all.hi = s.hi;
        grown = true;
      }
  }
  return all;
}

}  // namespace

Placement::Placement(const ProblemIndex& index)
    : index_(&index), lanes_(index.device_count() + 2 * index.memory_count()), slices_(index.item_count()),
      finish_(index.task_count(), 0.0) {
  pieces_.reserve(index.task_count() + 16);
  for (int i = 0; i < index.item_count(); ++i) {
    const auto resident = index.resident(i);
    slices_[i].assign(resident.begin(), resident.end());
  }
}

void Placement::reserve(int lane, double start, double end) {
  if (end <= start) return;
  lanes_[lane].reserve(start, end);
  undo_.push_back({Undo::lane, lane, start, end});
}

void Placement::publish(int item, const Slice& slice) {
  slices_[item].push_back(slice);
  undo_.push_back({Undo::slice, item});
}

void Placement::finish_at(int task, double time) {
  if (time <= finish_[task]) return;
  undo_.push_back({Undo::finish, task, finish_[task]});
  finish_[task] = time;
}

void Placement::rollback(const Mark& mark) {
  while (undo_.size() > mark.undo) {
    const Undo& u = undo_.back();
    switch (u.what) {
    case Undo::lane:
      lanes_[u.index].release(u.a, u.b);
      break;
    case Undo::slice:
      slices_[u.index].pop_back();
      break;
    case Undo::finish:
      finish_[u.index] = u.a;
      break;
    }
    undo_.pop_back();
  }
  pieces_.resize(mark.pieces);
  moves_.resize(mark.moves);
  merges_.resize(mark.merges);
}

double Placement::move(int item, int src, int dst, double lo, double hi, double ready) {
  const double length = index_->transfer_time(src, dst, (hi - lo) * index_->item(item).bytes);
  const double start = first_fit(lanes_[out_port(src)], lanes_[in_port(dst)], ready, length);
  const double end = start + length;
  reserve(out_port(src), start, end);
  reserve(in_port(dst), start, end);
  moves_.push_back({item, src, dst, start, end, lo, hi});
  return end;
}

Placement::Source Placement::source_of(int item, double lo, double hi, int mem, double not_before) const {
  const double bytes = index_->item(item).bytes;
  Source from{nullptr, 0};
  double best = kNever;
  for (const Slice& s : slices_[item]) {
    if (s.mem == mem || !covers(s, lo)) continue;
    const double part = index_->transfer_time(s.mem, mem, (std::min(s.hi, hi) - lo) * bytes);
    const double start =
        first_fit(lanes_[out_port(s.mem)], lanes_[in_port(mem)], std::max(s.at, not_before), part);
    const double score = start + index_->transfer_time(s.mem, mem, (hi - lo) * bytes);
    if (score < best || (score == best && s.hi > from.slice->hi)) {
      best = score;
      from = {&s, start};
    }
  }
  return from;
}

double Placement::acquire(int item, double lo, double hi, int mem, double not_before) {
  double ready = 0;
  if (index_->item(item).bytes == 0) {  // an order only: wherever the producer ran
    for (const Slice& s : slices_[item])
      if (s.lo < hi - kSliver && s.hi > lo + kSliver) ready = std::max(ready, s.at);
    return ready;
  }
  for (double x = lo; hi - x > kSliver;) {
    const Here here = here_at(slices_[item], x, hi, mem);
    if (here.slice) {
      ready = std::max(ready, here.slice->at);
      x = here.slice->hi;
      continue;
    }
    const Source from = source_of(item, x, here.next, mem, not_before);
    if (!from.slice)
      return kNever;  // a predecessor has not been placed: a policy's mistake, seen by the validator
    const Slice source = with_neighbours(slices_[item], *from.slice, from.begins, here.next);
    const double y = std::min(source.hi, here.next);
    const double end = move(item, source.mem, mem, x, y, std::max(source.at, not_before));
    publish(item, {mem, x, y, end});
    ready = std::max(ready, end);
    x = y;
  }
  return ready;
}

// Where a piece fits on the device. Where it shares the bandwidth of its memory with other pieces of its
// task, it fits beside those. It runs at full speed, or slower and earlier, whichever ends first.
Timeline::Busy Placement::fit(int task, int device, double share, double ready, double slow) const {
  const double length = index_->duration(task, device, share);
  const double limit = index_->bandwidth_limit(task, device);
  if (limit == 0) {
    const double start = lanes_[device].first_fit(ready, length);
    return {start, start + length};
  }
  const double slowed = length + share * index_->time(task, device) * (slow - 1);
  const double bytes = share * index_->task(task).bytes;
  std::vector<const Piece*> beside;
  std::vector<double> starts{ready};  // bandwidth becomes free only when a piece ends
  for (const Piece& p : pieces_) {
    if (p.task != task || index_->memory_of(p.device) != index_->memory_of(device)) continue;
    if (p.end <= ready || p.end <= p.start) continue;
    beside.push_back(&p);
    starts.push_back(p.end);
  }
  std::sort(starts.begin(), starts.end());
  const auto used_at = [&](double time) {
    double used = 0;
    for (const Piece* p : beside)
      if (p->start <= time && time < p->end)
        used += (p->hi - p->lo) * index_->task(task).bytes / (p->end - p->start);
    return used;
  };
  Timeline::Busy best{0, kNever};
  for (double from : starts) {
    if (from + slowed >= best.end) break;
    double duration = slowed;
    for (bool fits = false; !fits;) {
      const double start = lanes_[device].first_fit(from, duration);
      double most = used_at(start);
      for (const Piece* p : beside)
        if (p->start > start && p->start < start + duration) most = std::max(most, used_at(p->start));
      const double free = limit - most;
      fits = bytes <= duration * free * (1 + 1e-9);
      if (fits && start + duration < best.end) best = {start, start + duration};
      if (free <= 1e-6 * limit) break;
      duration = std::max(duration, bytes / free);
    }
  }
  return best;
}

Placement::Piece Placement::place(int task, int device, double lo, double hi, Inputs inputs,
                                  double not_before, double slow) {
  const int mem = index_->memory_of(device);
  const double ready = std::max(not_before, bring_inputs(task, device, lo, hi, inputs));
  const Timeline::Busy when = fit(task, device, hi - lo, ready, slow);
  const Piece piece{task, device, lo, hi, when.start, when.end};
  reserve(device, piece.start, piece.end);
  pieces_.push_back(piece);
  for (int item : index_->produced(task))
    publish(item, {mem, lo, hi, piece.end});
  finish_at(task, piece.end);
  return piece;
}

Placement::Piece Placement::place_in_order(int task, int device, double now) {
  const int mem = index_->memory_of(device);
  for (const Input& in : index_->inputs(task))
    now = std::max(now, acquire(in.item, 0, 1, mem, now));
  return place(task, device, 0, 1, Inputs::needed, now);
}

double Placement::place_merged(int task, int home, std::span<const Share> shares) {
  const int mem = index_->memory_of(home);
  const size_t first = pieces_.size();
  double done = 0;
  std::vector<int> devices;
  if (index_->shares_bandwidth())
    for (const Share& s : shares)
      devices.push_back(s.device);
  for (const Share& s : shares) {
    const double ready = bring_inputs(task, s.device, 0, 1, Inputs::whole);
    const Timeline::Busy when =
        fit(task, s.device, s.hi - s.lo, ready, index_->slowdown(task, s.device, devices));
    reserve(s.device, when.start, when.end);
    pieces_.push_back({task, s.device, s.lo, s.hi, when.start, when.end});
    done = std::max(done, when.end);
  }
  double foreign = 0;  // bytes the merge kernel stores
  for (int item : index_->produced(task)) {
    for (size_t i = first; i < pieces_.size(); ++i) {
      const Piece p = pieces_[i];
      const int there = index_->memory_of(p.device);
      if (there == mem || index_->item(item).bytes == 0) continue;
      done = std::max(done, move(item, there, mem, p.lo, p.hi, p.end));
      foreign += (p.hi - p.lo) * index_->item(item).bytes;
    }
  }
  const Device& d = index_->problem().platform.devices[home];
  if (foreign > 0 && d.mem_bw > 0) {
    const double length = d.launch + 2 * foreign / d.mem_bw;  // the merge kernel reads and writes
    const double start = lanes_[home].first_fit(done, length);
    reserve(home, start, start + length);
    done = start + length;
    merges_.push_back({task, home, 0, 1, start, done});
  }
  for (int item : index_->produced(task))
    publish(item, {mem, 0, 1, done});
  finish_at(task, done);
  return done;
}

double Placement::bring_inputs(int task, int device, double lo, double hi, Inputs inputs, double not_before) {
  const int mem = index_->memory_of(device);
  double ready = 0;
  for (const Input& in : index_->inputs(task)) {
    const bool part = in.row && inputs == Inputs::needed;
    ready = std::max(ready, acquire(in.item, part ? lo : 0, part ? hi : 1, mem, not_before));
  }
  return ready;
}

void Placement::publish_results(int task, int device, double lo, double hi, double at) {
  for (int item : index_->produced(task))
    publish(item, {index_->memory_of(device), lo, hi, at});
}

double Placement::missing_row_time(int task, int device) const {
  const int mem = index_->memory_of(device);
  double time = 0;
  for (const Input& in : index_->inputs(task)) {
    if (!in.row) continue;
    double missing = 1, per_byte = 0;
    for (const Slice& s : slices_[in.item]) {
      if (s.mem == mem) {
        missing -= s.hi - s.lo;
      } else {
        per_byte = std::max(per_byte, index_->per_byte(s.mem, mem));
      }
    }
    time += std::max(0.0, missing) * index_->item(in.item).bytes * per_byte;
  }
  return time;
}

double Placement::makespan() const {
  double last = 0;
  for (double f : finish_)
    last = std::max(last, f);
  return last;
}

Schedule Placement::schedule(std::string_view algorithm) const {
  Schedule s;
  s.algorithm = algorithm;
  s.entries.reserve(pieces_.size());
  for (const Piece& p : pieces_)
    s.entries.push_back({p.task, p.device, p.start, p.end, p.lo, p.hi});
  for (const Move& m : moves_) {
    const Item& item = index_->item(m.item);
    s.transfers.push_back({*item.buffer, item.producer, index_->memory_id(m.src), index_->memory_id(m.dst),
                           m.start, m.end, (m.hi - m.lo) * item.bytes, m.lo, m.hi});
  }
  for (const Piece& p : merges_)
    s.merges.push_back({p.task, p.device, p.start, p.end});
  return s;
}

}  // namespace mkmd::scheduler
