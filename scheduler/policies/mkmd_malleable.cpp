// SPDX-License-Identifier: Apache-2.0
// mkmd-malleable: list scheduling in the order of MKMD's priorities. A divisible kernel is cut into chunks of
// rows. Each chunk is divided over the set of devices on which it ends first. Transfers of one chunk overlap
// the computation of another, from which memory-bound graphs gain.
#include "scheduler/planning_clock.hpp"
#include "scheduler/policies/factories.hpp"
#include "scheduler/policies/mkmd_coarse.hpp"
#include "scheduler/water_filling.hpp"

#include <algorithm>
#include <bit>

namespace mkmd::scheduler {
namespace {

constexpr int kMostPieces = 400;  // of one try, before pieces are divided over devices
constexpr double kGrowth = 3;     // the next try takes about this many times as long as the last
constexpr double kWorth = 0.01;   // of the makespan: all planning together, where it counts
constexpr double kGain = 1e-6;    // of its end: what a split must gain where memory bandwidth is shared

struct MalleableParameters {
  int chunks = 0;  // per divisible kernel; 0: several numbers are tried, the best schedule is kept
  int rounds = 3;  // place, look when inputs arrive, divide again
};

class Malleable {
public:
  Malleable(const ProblemIndex& index, const MalleableParameters& parameters, const PlanningClock& clock)
      : index_(index), parameters_(parameters), clock_(clock), now_(index) {}

  Schedule run() {
    for (int t : mkmd_list(index_)) {
      const int chunks =
          index_.task(t).divisible && index_.mean_time(t) > 0 && !clock_.over() ? parameters_.chunks : 1;
      double lo = 0;
      for (int c = 1; c <= chunks; ++c) {
        const double hi = c == chunks ? 1 : index_.snap(t, static_cast<double>(c) / chunks);
        if (hi <= lo) continue;
        place_chunk(t, lo, hi, index_.task(t).divisible && !clock_.over());
        lo = hi;
      }
    }
    return now_.schedule("mkmd-malleable");
  }

private:
  // Tries the chunk on every device alone, then on sets of those where it ends first.
  void place_chunk(int t, double lo, double hi, bool divisible) {
    const Placement::Mark before = now_.mark();
    best_.clear();
    double best_end = kNever;
    std::vector<std::pair<double, int>> alone;
    for (int d = 0; d < index_.device_count(); ++d) {
      if (!index_.eligible(t, d)) continue;
      const double end = now_.place(t, d, lo, hi).end;
      now_.rollback(before);
      alone.push_back({end, d});
      if (end < best_end) {
        best_end = end;
        best_ = {{{d, lo, hi}, 1}};
      }
    }
    if (divisible && alone.size() > 1) {
      std::sort(alone.begin(), alone.end());
      const unsigned sets = 1u << std::min<size_t>(alone.size(), 3);
      for (unsigned set = 1; set < sets; ++set) {
        if (std::popcount(set) < 2) continue;
        devices_.clear();
        for (size_t d = 0; d < alone.size(); ++d)
          if (set >> d & 1) devices_.push_back(alone[d].second);
        try_set(t, lo, hi, best_end);
      }
      for (size_t d = 3; d < alone.size(); ++d) {  // beyond three only the best four, the best five, ...
        devices_.clear();
        for (size_t k = 0; k <= d; ++k)
          devices_.push_back(alone[k].second);
        try_set(t, lo, hi, best_end);
      }
    }
    for (const auto& [s, slow] : best_)
      now_.place(t, s.device, s.lo, s.hi, Placement::Inputs::needed, 0, slow);
  }

  // Pieces of one chunk should end together. When each can start depends on what it must fetch, and that on
  // its share: divide, place, look, and divide again.
  void try_set(int t, double lo, double hi, double& best_end) {
    const Placement::Mark before = now_.mark();
    vessels_.clear();
    std::sort(devices_.begin(), devices_.end());
    slow_.clear();
    double worth = 1;
    for (int d : devices_) {
      const double row = now_.missing_row_time(t, d) * (hi - lo);
      slow_.push_back(index_.slowdown(t, d, devices_));
      vessels_.push_back(
          {now_.device(d).last_end(), index_.time(t, d) * slow_.back() * (hi - lo) + row, kNever});
      if (slow_.back() > 1) worth = 1 - kGain;
    }
    for (int round = 0; round < parameters_.rounds; ++round) {
      const std::vector<double> share = water_fill(vessels_);
      if (share.empty()) return;
      tried_.clear();
      double from = lo, sum = 0, end = 0;
      for (size_t k = 0; k < share.size(); ++k) {
        if (share[k] <= 0) continue;
        sum += share[k];
        const double to = sum > 1 - 1e-9 ? hi : index_.snap(t, lo + sum * (hi - lo));
        if (to <= from) continue;
        const Placement::Piece p =
            now_.place(t, devices_[k], from, to, Placement::Inputs::needed, 0, slow_[k]);
        tried_.push_back({{devices_[k], from, to}, slow_[k]});
        vessels_[k].start = std::max(0.0, p.end - (to - from) / (hi - lo) * vessels_[k].seconds);
        end = std::max(end, p.end);
        from = to;
      }
      now_.rollback(before);
      if (from == hi && end < best_end * worth) {
        best_end = end;
        best_ = tried_;
      }
    }
  }

  const ProblemIndex& index_;
  const MalleableParameters parameters_;
  const PlanningClock& clock_;
  Placement now_;
  struct Part {
    Share share;
    double slow = 1;  // because of the others
  };
  std::vector<Part> best_, tried_;
  std::vector<double> slow_;
  std::vector<int> devices_;
  std::vector<FillSlot> vessels_;
};

class MkmdMalleable : public Policy {
public:
  explicit MkmdMalleable(const MalleableParameters& parameters) : parameters_(parameters) {}

  Result<Schedule> schedule(const Problem& problem, const Options& options) const override {
    const PlanningClock clock(options);
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    if (parameters_.chunks > 0) return Malleable(*index, parameters_, clock).run();
    // Few chunks cost little and already give most of the gain, so they come first. More are tried while the
    // work stays small. That limit is in pieces, so that the same input always gets the same schedule. A
    // caller with a budget counts planning as part of the run. It gets another try only if planning takes a
    // small part of the makespan.
    Schedule best;
    double earliest = kNever, before = 0, last = 0;
    for (int chunks : {1, 2, 4, 12}) {
      if (chunks > 2 && index->task_count() * chunks > kMostPieces) break;
      const bool worth = options.planning_budget == kNever || before + kGrowth * last <= kWorth * earliest;
      if (earliest < kNever && (clock.over() || !worth)) break;
      MalleableParameters parameters = parameters_;
      parameters.chunks = chunks;
      Schedule schedule = Malleable(*index, parameters, clock).run();
      last = clock.seconds() - before;
      before += last;
      const double end = schedule.makespan();
      if (end >= earliest) continue;
      earliest = end;
      best = std::move(schedule);
    }
    return best;
  }

private:
  MalleableParameters parameters_;
};

}  // namespace

MadePolicy make_mkmd_malleable(ParameterReader& reader) {
  MalleableParameters parameters;
  reader.integer("chunks", parameters.chunks, 0, 256);
  reader.integer("rounds", parameters.rounds, 1, 20);
  if (Status s = reader.finish(); !s) return s;
  return made<MkmdMalleable>(parameters);
}

}  // namespace mkmd::scheduler
