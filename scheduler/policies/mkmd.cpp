// SPDX-License-Identifier: Apache-2.0
// mkmd and mkmd-slices begin with the coarse schedule. Then they offload every divisible kernel, in the
// order of its start, piece by piece into idle stretches of other devices. These are Algorithms 1 and 2 of
// Lee, Samadi, Mahlke. They choose the candidate that finishes the kernel earliest, and keep the best
// state. mkmd moves whole inputs and merges the results on the kernel's device. mkmd-slices moves needed
// slices only and leaves results in place.
#include "scheduler/planning_clock.hpp"
#include "scheduler/policies/factories.hpp"
#include "scheduler/policies/mkmd_coarse.hpp"
#include "scheduler/water_filling.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

struct MkmdParameters {
  int steps = 100;  // offloading moves 1/steps of the work-groups at a time
};

// One idle stretch of a device that a kernel may use, and what the hill climbing has put there.
struct Slot {
  int device = 0;
  double start = 0;       // when work can start there
  double limit = kNever;  // when the stretch ends
  double seconds = 0;     // of the whole kernel on this device
  double launch = 0;
  int steps = 0;    // work put here
  double slow = 1;  // because of what works beside it in the same memory

  double end(double step) const {
    return steps == 0 ? start : start + launch + steps * step * seconds * slow;
  }
};

// Algorithm 2: step by step, work goes from the stretch that ends the kernel last to the one with which it
// then ends first.
class HillClimb {
public:
  // The first slot is the kernel's own: results are merged on its device.
  HillClimb(const ProblemIndex& index, int task, int steps, std::vector<Slot> slots)
      : index_(index), task_(task), steps_(steps), slots_(std::move(slots)) {
    for (int item : index.produced(task))
      out_bytes_ += index.item(item).bytes;
  }

  // By slot, of the best state on the way.
  std::vector<double> shares() {
    slots_[0].steps = steps_;
    End now = end();
    std::vector<Slot> best = slots_;
    double best_end = now.time;
    for (int i = 0; i < steps_; ++i) {
      now = move_step(now.blame);
      if (now.time == kNever) break;
      if (now.time >= best_end) continue;
      best_end = now.time;
      best = slots_;
    }
    std::vector<double> share(best.size());
    for (size_t s = 0; s < best.size(); ++s)
      share[s] = best[s].steps * step_;
    return share;
  }

private:
  struct End {  // of the kernel
    double time = 0;
    size_t blame = 0;  // the slot whose results come last
  };

  End end() {
    share_bandwidth();
    const int merged_in = index_.memory_of(slots_[0].device);
    End last;
    double port = 0;
    for (size_t s = 0; s < slots_.size(); ++s) {
      const Slot& slot = slots_[s];
      if (slot.steps == 0) continue;
      double done = slot.end(step_);
      if (done > slot.limit) return {kNever, s};
      const int memory = index_.memory_of(slot.device);
      if (memory != merged_in) {
        const double bytes = slot.steps * step_ * out_bytes_;
        done = port = std::max(port, done) + index_.transfer_time(memory, merged_in, bytes);
      }
      if (done > last.time) last = {done, s};
    }
    return last;
  }

  void share_bandwidth() {
    if (index_.bandwidth_limit(task_, slots_[0].device) == 0) return;
    working_.clear();
    for (const Slot& s : slots_)
      if (s.steps > 0) working_.push_back(s.device);
    for (Slot& s : slots_)
      s.slow = index_.slowdown(task_, s.device, working_);
  }

  // The end that the best move makes; never: none is possible.
  End move_step(size_t from) {
    --slots_[from].steps;
    size_t to = slots_.size();
    End best{kNever, 0};
    double best_done = kNever;
    for (size_t s = 0; s < slots_.size(); ++s) {
      if (s == from) continue;
      ++slots_[s].steps;
      const End tried = end();
      const double done = slots_[s].end(step_);
      if (tried.time < best.time || (tried.time == best.time && done < best_done)) {
        to = s;
        best = tried;
        best_done = done;
      }
      --slots_[s].steps;
    }
    if (to < slots_.size()) ++slots_[to].steps;
    return best;
  }

  const ProblemIndex& index_;
  const int task_, steps_;
  const double step_ = 1.0 / steps_;
  std::vector<Slot> slots_;
  double out_bytes_ = 0;
  std::vector<int> working_;
};

class Fine {
public:
  // An eager run keeps every split that ends its kernel earlier. The other one keeps a split only if the
  // rest of the schedule, re-timed, does not end later.
  Fine(const ProblemIndex& index, const MkmdParameters& parameters, bool in_place, bool eager,
       const PlanningClock& clock)
      : index_(index), parameters_(parameters), in_place_(in_place), eager_(eager), clock_(clock),
        now_(index) {}

  Schedule run() {
    Placement coarse(index_);
    home_ = mkmd_place_coarse(index_, coarse);
    order_by_start(coarse);
    for (size_t i = 0; i < order_.size(); ++i)
      step(i);
    return now_.schedule(in_place_ ? "mkmd-slices" : "mkmd");
  }

private:
  void order_by_start(const Placement& coarse) {
    for (const Placement::Piece& p : coarse.pieces())
      order_.push_back(p.task);  // in list order
    std::vector<double> start(index_.task_count());
    for (const Placement::Piece& p : coarse.pieces())
      start[p.task] = p.start;
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return start[a] < start[b]; });
  }

  // Everything after the i-th task goes whole to its device of the coarse phase, as early as it now can.
  void place_rest(size_t i) {
    for (size_t j = i + 1; j < order_.size(); ++j)
      now_.place(order_[j], home_[order_[j]]);
  }

  void step(size_t i) {
    const int t = order_[i];
    const Placement::Mark before = now_.mark();
    const Placement::Piece whole = now_.place(t, home_[t]);
    // Out of time, the rest stays whole.
    if (!index_.task(t).divisible || whole.end <= whole.start || clock_.over()) return;

    place_rest(i);
    const double makespan = now_.makespan();
    std::vector<Slot> slots = idle_slots(t, whole);
    now_.rollback(before);
    const std::vector<Share> shares = in_place_ ? fill(t, slots) : climb(t, slots);
    if (shares.size() > 1) {
      const double end = put(t, shares);
      const Placement::Mark split = now_.mark();
      place_rest(i);
      const double better = now_.makespan();
      now_.rollback(split);
      if (end < whole.end && (eager_ || better <= makespan)) return;
      now_.rollback(before);
    }
    now_.place(t, home_[t]);
  }

  double put(int t, std::span<const Share> shares) {
    if (!in_place_) return now_.place_merged(t, home_[t], shares);
    const std::vector<int> devices = devices_of(shares);
    for (const Share& s : shares)
      now_.place(t, s.device, s.lo, s.hi, Placement::Inputs::needed, 0,
                 index_.slowdown(t, s.device, devices));
    return now_.finish(t);
  }

  static std::vector<int> devices_of(const auto& places) {
    std::vector<int> devices;
    for (const auto& p : places)
      devices.push_back(p.device);
    return devices;
  }

  // The kernel's own stretch first, then idle stretches of the others before its end.
  std::vector<Slot> idle_slots(int t, const Placement::Piece& whole) {
    double ready = 0;
    for (const Input& in : index_.inputs(t))
      ready = std::max(ready, now_.finish(in.src));
    std::vector<Slot> slots;
    slots.push_back(slot(t, whole.device, whole.start, kNever));
    for (int d = 0; d < index_.device_count(); ++d) {
      if (d == whole.device || !index_.eligible(t, d)) continue;
      if (!index_.gains_bandwidth(t, d, devices_of(slots))) continue;
      double from = ready;
      for (const Timeline::Busy& b : now_.device(d).busy()) {
        if (b.end <= from) continue;
        if (b.start > from && from < whole.end) slots.push_back(slot(t, d, from, b.start));
        from = std::max(from, b.end);
      }
      if (from < whole.end) slots.push_back(slot(t, d, from, kNever));
    }
    return slots;
  }

  Slot slot(int t, int d, double start, double limit) const {
    return {d, start, limit, index_.time(t, d), index_.problem().platform.devices[d].launch, 0, 1};
  }

  // Inputs travel whole, so a stretch is usable from the arrival of the inputs on its device.
  std::vector<Share> climb(int t, std::vector<Slot>& slots) {
    const Placement::Mark before = now_.mark();
    int last = -1;
    double ready = 0;
    for (Slot& s : slots) {
      if (s.device != last) ready = now_.bring_inputs(t, s.device, 0, 1, Placement::Inputs::whole);
      last = s.device;
      s.start = std::max(s.start, ready);
    }
    now_.rollback(before);
    return cut(t, slots, HillClimb(index_, t, parameters_.steps, slots).shares());
  }

  // The same end without steps: pieces of one kernel should end together (see water_filling.hpp). How long
  // inputs take depends on the shares, so place, look at the starts, and fill again.
  std::vector<Share> fill(int t, std::vector<Slot>& slots) {
    std::vector<Share> best;
    double best_end = kNever;
    std::vector<FillSlot> vessels(slots.size());
    const std::vector<int> devices = devices_of(slots);
    for (size_t s = 0; s < slots.size(); ++s) {
      const double row = now_.missing_row_time(t, slots[s].device);
      slots[s].slow = index_.slowdown(t, slots[s].device, devices);
      vessels[s] = {slots[s].start + slots[s].launch, slots[s].seconds * slots[s].slow + row, slots[s].limit};
    }
    const std::vector<FillSlot> floor = vessels;
    for (int round = 0; round < 6; ++round) {
      const std::vector<double> share = water_fill(vessels);
      if (share.empty()) break;
      const std::vector<Share> shares = cut(t, slots, share);
      const Placement::Mark before = now_.mark();
      double end = 0;
      bool fits = true;
      std::vector<int> at;
      for (size_t s = 0; s < slots.size(); ++s)
        if (share[s] > 0) at.push_back(static_cast<int>(s));
      for (size_t k = 0; k < shares.size(); ++k) {
        const Placement::Piece p =
            now_.place(t, shares[k].device, shares[k].lo, shares[k].hi, Placement::Inputs::needed, 0,
                       index_.slowdown(t, shares[k].device, devices));
        end = std::max(end, p.end);
        if (shares.size() == at.size()) {
          FillSlot& v = vessels[at[k]];
          if (p.end > v.limit + 1e-12) {
            fits = false;
            if (round > 0) v.limit = 0;  // its inputs come too late for this stretch
          }
          v.start = std::max(floor[at[k]].start, p.end - (p.hi - p.lo) * v.seconds);
        }
      }
      now_.rollback(before);
      if (fits && end < best_end) {
        best_end = end;
        best = shares;
      }
    }
    return best;
  }

  // Slots' shares as ranges, the kernel's own device first.
  std::vector<Share> cut(int t, std::span<const Slot> slots, std::span<const double> share) const {
    std::vector<Share> shares;
    double sum = 0, lo = 0;
    for (size_t s = 0; s < slots.size(); ++s) {
      if (share[s] <= 0) continue;
      sum += share[s];
      const double hi = sum > 1 - 1e-9 ? 1 : index_.snap(t, sum);
      if (hi <= lo) continue;
      shares.push_back({slots[s].device, lo, hi});
      lo = hi;
    }
    if (!shares.empty()) shares.back().hi = 1;
    return shares;
  }

  const ProblemIndex& index_;
  const MkmdParameters parameters_;
  const bool in_place_, eager_;
  const PlanningClock& clock_;
  Placement now_;
  std::vector<int> home_, order_;
};

class Mkmd : public Policy {
public:
  Mkmd(const MkmdParameters& parameters, bool in_place) : parameters_(parameters), in_place_(in_place) {}

  Result<Schedule> schedule(const Problem& problem, const Options& options) const override {
    const PlanningClock clock(options);
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    Schedule careful = Fine(*index, parameters_, in_place_, false, clock).run();
    if (!in_place_ || clock.over()) return careful;
    // Without merges a split that looks bad now is often made good by later splits: neither way always wins.
    Schedule eager = Fine(*index, parameters_, in_place_, true, clock).run();
    return eager.makespan() < careful.makespan() ? std::move(eager) : std::move(careful);
  }

private:
  MkmdParameters parameters_;
  bool in_place_;
};

}  // namespace

MadePolicy make_mkmd(ParameterReader& reader) {
  MkmdParameters parameters;
  reader.integer("steps", parameters.steps, 2, 10000);
  if (Status s = reader.finish(); !s) return s;
  return made<Mkmd>(parameters, false);
}

MadePolicy make_mkmd_slices(ParameterReader& reader) {
  if (Status s = reader.finish(); !s) return s;
  return made<Mkmd>(MkmdParameters{}, true);
}

}  // namespace mkmd::scheduler
