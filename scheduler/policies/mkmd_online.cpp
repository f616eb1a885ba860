// SPDX-License-Identifier: Apache-2.0
// mkmd-online divides kernels piece by piece while they run. A device that becomes free divides the rest of
// the most urgent ready kernel over all devices. It does so by water-filling, with the rates measured so
// far. The device gets about a third of its part. So measured rates divide most of a kernel, even if the
// predicted ones were wrong. A device continues where it worked on earlier kernels, so that rows stay in
// its memory.
#include "scheduler/policies/mkmd_coarse.hpp"
#include "scheduler/policies/online_adapter.hpp"
#include "scheduler/water_filling.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace mkmd::scheduler {
namespace {

struct OnlineParameters {
  double quantum = 2e-4;    // seconds: parts shorter than four of these are given out whole
  double smallest = 0.004;  // shares of a kernel below this are given out whole as well
  double whole = 6e-5;      // seconds: kernels shorter than this on their best device are not divided
  int depth = 2;            // pieces on a device, the running one included
  double ahead = 1e-3;      // seconds of transfers for later kernels that a device may have outstanding
  double fraction = 0.35;   // of its part that a device gets at once
};

struct Range {
  double lo = 0, hi = 1;
};

class MkmdOnline : public OnlinePolicy {
public:
  explicit MkmdOnline(const OnlineParameters& parameters) : parameters_(parameters) {}

  std::string_view name() const override { return "mkmd-online"; }

  void begin(const OnlineState& state) override {
    const ProblemIndex& index = *state.index;
    priority_ = mkmd_priorities(index);
    ready_.clear();
    left_.assign(index.task_count(), {});
    worked_.assign(index.device_count(), {});
    std::map<std::string, int> kinds;
    kind_.clear();
    for (int t = 0; t < index.task_count(); ++t) {
      std::string kernel;
      for (char c : index.task(t).name)
        if (!std::isdigit(static_cast<unsigned char>(c))) kernel += c;
      kind_.push_back(kinds.try_emplace(kernel, static_cast<int>(kinds.size())).first->second);
    }
    fetches_.clear();
    fetched_until_.assign(index.device_count(), 0);
    measured_.assign(kinds.size(), std::vector<Rate>(index.device_count()));
  }

  void ready(int task, const OnlineState&) override { add(task, {0, 1}); }
  void lost(const OnlinePiece& piece, int, const OnlineState&) override {
    add(piece.task, {piece.lo, piece.hi});
  }

  void ended(const OnlinePiece& piece, int device, double seconds, const OnlineState& state) override {
    plan_fetches(piece, device, state);
    const double predicted = state.index->duration(piece.task, device, piece.hi - piece.lo) *
                             state.index->slowdown(piece.task, device, state.devices_running(piece.task));
    if (predicted <= 0 || seconds <= 0) return;
    Rate& rate = measured_[kind_[piece.task]][device];
    rate.predicted += predicted;
    rate.taken += seconds;
  }

  std::optional<Work> next(const OnlineState& state) override {
    for (size_t i = 0; i < ready_.size(); ++i) {
      const int t = ready_[i];
      std::optional<Work> work =
          state.index->task(t).divisible && best_alone(t, state).seconds > parameters_.whole
              ? give_part(t, state)
              : give_whole(t, state);
      if (!work) continue;
      if (left_[t].empty()) ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
      return work;
    }
    return std::nullopt;
  }

  // While kernels run, the inputs that later ones need as a whole move ahead. The most urgent come first,
  // and little moves at a time: it must not delay what pieces need now.
  std::optional<Prefetch> prefetch(const OnlineState& state) override {
    for (size_t i = 0; i < fetches_.size();) {
      const Prefetch f = fetches_[i];
      if (fetched_until_[f.device] > state.now + parameters_.ahead) {
        ++i;
        continue;
      }
      fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(i));
      if (!state.may_run(f.consumer, f.device) || state.unassigned[f.consumer] < 1) continue;
      for (const Output& o : state.index->outputs(f.producer))
        if (o.dst == f.consumer && !o.row)
          fetched_until_[f.device] =
              std::max(state.now, fetched_until_[f.device]) +
              (f.hi - f.lo) * state.index->item(o.item).bytes * fastest_link(f.device, state);
      return f;
    }
    return std::nullopt;
  }

private:
  struct Rate {
    double predicted = 0, taken = 0;
  };
  struct Alone {
    int device = -1;
    double end = kNever, seconds = kNever;
  };

  void plan_fetches(const OnlinePiece& piece, int device, const OnlineState& state) {
    const ProblemIndex& index = *state.index;
    for (const Output& o : index.outputs(piece.task)) {
      if (o.row || o.bytes == 0) continue;
      const auto behind = std::find_if(fetches_.begin(), fetches_.end(), [&](const Prefetch& f) {
        return priority_[f.consumer] < priority_[o.dst];
      });
      std::vector<Prefetch> wanted;
      for (int d = 0; d < index.device_count(); ++d) {
        const bool certain = index.task(o.dst).divisible || index.task(o.dst).pinned >= 0;
        if (certain && state.may_run(o.dst, d) && index.memory_of(d) != index.memory_of(device))
          wanted.push_back({piece.task, o.dst, d, piece.lo, piece.hi});
      }
      fetches_.insert(behind, wanted.begin(), wanted.end());
    }
  }

  static double fastest_link(int device, const OnlineState& state) {
    const int to = state.index->memory_of(device);
    double seconds = kNever;
    for (int from = 0; from < state.index->memory_count(); ++from)
      if (from != to) seconds = std::min(seconds, state.index->per_byte(from, to));
    return seconds == kNever ? 0 : seconds;
  }

  void add(int task, Range range) {
    left_[task].push_back(range);
    if (std::find(ready_.begin(), ready_.end(), task) != ready_.end()) return;
    const auto behind = std::find_if(ready_.begin(), ready_.end(), [&](int other) {
      return priority_[other] != priority_[task] ? priority_[other] < priority_[task] : other > task;
    });
    ready_.insert(behind, task);
  }

  double seconds(int t, int d, double share, const OnlineState& state) const {
    const Rate& rate = measured_[kind_[t]][d];
    return state.index->duration(t, d, share) * (rate.predicted > 0 ? rate.taken / rate.predicted : 1);
  }

  // When the device has done what it was given, by measured rates.
  double available(int d, const OnlineState& state) const {
    double time = state.now;
    for (const OnlinePiece& p : state.queue[d])
      time = std::max(time, p.start != kNever ? p.start : std::max(time, p.arrival)) +
             seconds(p.task, d, p.hi - p.lo, state);
    return std::max(time, state.now);
  }

  Alone best_alone(int t, const OnlineState& state) const {
    Alone best;
    for (int d = 0; d < state.index->device_count(); ++d)
      if (state.may_run(t, d)) best.seconds = std::min(best.seconds, seconds(t, d, 1, state));
    return best;
  }

  std::optional<Work> give_whole(int t, const OnlineState& state) {
    Alone best;
    for (int d = 0; d < state.index->device_count(); ++d) {
      if (!state.may_run(t, d)) continue;
      const double end =
          std::max(available(d, state), state.inputs_ready(t, d, 0, 1)) + seconds(t, d, 1, state);
      if (end < best.end) best = {d, end, 0};
    }
    if (best.device < 0 || full(best.device, state)) return std::nullopt;
    const Range range = left_[t].back();
    left_[t].pop_back();
    return Work{t, best.device, range.lo, range.hi};
  }

  // All devices that may run it. Of those in one memory only as many count as its bandwidth is enough for.
  // The ones that have parts of the kernel come first, then the ones that would end it first.
  std::vector<int> devices_for(int t, const OnlineState& state) const {
    std::vector<int> devices;
    for (int d = 0; d < state.index->device_count(); ++d)
      if (state.may_run(t, d)) devices.push_back(d);
    if (!state.index->shares_bandwidth()) return devices;
    const auto later = [&](int d) {
      const bool has_part = std::any_of(state.queue[d].begin(), state.queue[d].end(),
                                        [&](const OnlinePiece& p) { return p.task == t; });
      return std::pair(!has_part, available(d, state) + seconds(t, d, 1, state));
    };
    std::stable_sort(devices.begin(), devices.end(), [&](int a, int b) { return later(a) < later(b); });
    std::vector<int> useful;
    for (int d : devices)
      if (state.index->gains_bandwidth(t, d, useful)) useful.push_back(d);
    std::sort(useful.begin(), useful.end());
    return useful;
  }

  bool full(int d, const OnlineState& state) const {
    return static_cast<int>(state.queue[d].size()) >= parameters_.depth;
  }

  std::optional<Work> give_part(int t, const OnlineState& state) {
    double left = 0;
    for (const Range& r : left_[t])
      left += r.hi - r.lo;
    const std::vector<int> devices = devices_for(t, state);
    std::vector<FillSlot> slots;
    for (int d : devices) {
      // How long inputs take depends on the share. What a small part needs comes first. What the whole
      // needs on top is spread over the share.
      const Range small = place_for(t, d, 0.02 * left, state), whole = place_for(t, d, left, state);
      const double first = state.inputs_ready(t, d, small.lo, small.hi);
      const double all = state.inputs_ready(t, d, whole.lo, whole.hi);
      const double per_share = std::max(0.0, all - first) / std::max(whole.hi - whole.lo, 1e-9) * left;
      const double slow = state.index->slowdown(t, d, devices);
      slots.push_back({std::max(available(d, state), first), seconds(t, d, left, state) * slow + per_share});
    }
    const std::vector<double> share = water_fill(slots);
    if (share.empty()) return std::nullopt;
    // The device that can start first asks first.
    int asks = -1;
    for (size_t k = 0; k < devices.size(); ++k)
      if (share[k] > 1e-6 && !full(devices[k], state) && (asks < 0 || slots[k].start < slots[asks].start))
        asks = static_cast<int>(k);
    if (asks < 0) return std::nullopt;
    const int d = devices[asks];
    double part = share[asks] * left;
    if (part > parameters_.smallest && seconds(t, d, part, state) > 4 * parameters_.quantum)
      part *= parameters_.fraction;
    const Range range = place_for(t, d, part, state);
    take(t, range);
    worked_[d].push_back(range);
    if (worked_[d].size() > 6) worked_[d].erase(worked_[d].begin());
    return Work{t, d, range.lo, range.hi};
  }

  // Where the device would best take `size`: where it worked before, else at the beginning of what is left,
  // whatever has its inputs first.
  Range place_for(int t, int d, double size, const OnlineState& state) const {
    Range best{-1, -1};
    double soonest = kNever;
    const auto consider = [&](double lo, const Range& in) {
      lo = state.index->snap(t, lo);
      if (lo < in.lo || lo >= in.hi - 1e-9) lo = in.lo;
      const int units = state.index->task(t).units;
      Range range{lo, state.index->snap(t, lo + size)};
      if (units > 0 && range.hi <= lo) range.hi = state.index->snap(t, lo + 1.0 / units);
      if (in.hi - range.hi < 1e-6) range.hi = in.hi;
      // Seconds until it could be done per share of it: short ranges must not look cheap.
      const double ready = state.inputs_ready(t, d, range.lo, range.hi) - state.now;
      const double cost = (ready + seconds(t, d, range.hi - range.lo, state)) / (range.hi - range.lo);
      if (cost >= soonest) return;
      soonest = cost;
      best = range;
    };
    for (const Range& in : left_[t]) {
      consider(in.lo, in);
      for (const Range& old : worked_[d])
        if (old.lo > in.lo && old.lo < in.hi) consider(old.lo, in);
    }
    return best;
  }

  void take(int t, const Range& range) {
    std::vector<Range> rest;
    for (const Range& r : left_[t]) {
      if (range.hi <= r.lo || range.lo >= r.hi) {
        rest.push_back(r);
        continue;
      }
      if (range.lo > r.lo) rest.push_back({r.lo, range.lo});
      if (range.hi < r.hi) rest.push_back({range.hi, r.hi});
    }
    left_[t] = std::move(rest);
  }

  const OnlineParameters parameters_;
  std::vector<double> priority_;
  std::vector<int> ready_;                // highest priority first
  std::vector<std::vector<Range>> left_;  // of each task: what no device was given
  std::vector<std::vector<Range>> worked_;
  std::vector<int> kind_;  // tasks of one kernel share their measurements
  std::vector<std::vector<Rate>> measured_;
  std::vector<Prefetch> fetches_;      // most urgent consumer first
  std::vector<double> fetched_until_;  // per device: when the last of its fetches should have ended
};

}  // namespace

MadePolicy make_mkmd_online(ParameterReader& reader) {
  OnlineParameters parameters;
  reader.number("quantum", parameters.quantum, 1e-9, 1e9);
  reader.number("smallest", parameters.smallest, 0, 1);
  reader.number("whole", parameters.whole, 0, 1e9);
  reader.integer("depth", parameters.depth, 1, 64);
  reader.number("ahead", parameters.ahead, 0, 1e9);
  reader.number("fraction", parameters.fraction, 0.01, 1);
  if (Status s = reader.finish(); !s) return s;
  return made_online<MkmdOnline>(parameters);
}

}  // namespace mkmd::scheduler
