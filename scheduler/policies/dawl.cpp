// SPDX-License-Identifier: Apache-2.0
// dawl: idle devices take chunks of a kernel. Chunk sizes follow a time estimate, mixed from a model and from
// measurements. The last tenth is divided in proportion to the work that each device has done. From Geng,
// Amaris, Zuckerman, Goldman, Gao, Gaudiot: A Profile-Based AI-Assisted Dynamic Scheduling Approach for
// Heterogeneous Architectures. Chunk size, the weights' schedule and the thresholds on r are not in the
// paper: they are parameters here.
#include "scheduler/policies/online_adapter.hpp"
#include "scheduler/two_class.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace mkmd::scheduler {
namespace {

struct DawlParameters {
  double favour = 10;  // r = CPU time / GPU time above this: GPUs only; below its inverse: CPUs only
  double chunk = 0.1;  // of a kernel, given out per round over all devices together
  double last = 0.1;   // what remains for the division by work done
  double decay = 0.5;  // weight of the model after the n-th measurement: decay^n
};

class Dawl : public OnlinePolicy {
public:
  explicit Dawl(const DawlParameters& parameters) : parameters_(parameters) {}

  std::string_view name() const override { return "dawl"; }

  void begin(const OnlineState& state) override {
    const ProblemIndex& index = *state.index;
    classes_.emplace(index);
    ready_.clear();
    jobs_.assign(index.task_count(), {});
    std::map<std::string, int> kinds;
    kind_.clear();
    for (int t = 0; t < index.task_count(); ++t) {
      std::string kernel;
      for (char c : index.task(t).name)
        if (!std::isdigit(static_cast<unsigned char>(c))) kernel += c;
      kind_.push_back(kinds.try_emplace(kernel, static_cast<int>(kinds.size())).first->second);
    }
    history_.assign(kinds.size(), std::vector<History>(index.device_count()));
  }

  void ready(int task, const OnlineState& state) override {
    Job& job = jobs_[task];
    job.left = {{0, 1}};
    job.done.assign(state.index->device_count(), 0.0);
    ready_.push_back(task);
  }

  void lost(const OnlinePiece& piece, int, const OnlineState&) override {
    Job& job = jobs_[piece.task];
    if (job.left.empty()) ready_.push_back(piece.task);
    job.left.push_back({piece.lo, piece.hi});
  }

  void ended(const OnlinePiece& piece, int device, double seconds, const OnlineState& state) override {
    const double share = piece.hi - piece.lo;
    jobs_[piece.task].done[device] += share;
    const double predicted = state.index->duration(piece.task, device, share);
    if (predicted <= 0) return;
    History& h = history_[kind_[piece.task]][device];
    // The kernel's size may differ from the last one's: what is remembered is measured against predicted.
    h.ratio = (h.ratio * h.count + seconds / predicted) / (h.count + 1);
    ++h.count;
  }

  std::optional<Work> next(const OnlineState& state) override {
    for (size_t i = 0; i < ready_.size(); ++i) {
      const int t = ready_[i];
      for (int d : classes_->workers()) {
        if (!state.idle(d) || !state.may_run(t, d) || !takes_part(t, d, state)) continue;
        if (!state.index->gains_bandwidth(t, d, state.devices_running(t))) continue;
        const Range range = state.index->task(t).divisible ? chunk(t, d, state) : jobs_[t].left.back();
        take(t, range);
        if (jobs_[t].left.empty()) ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
        return Work{t, d, range.lo, range.hi};
      }
    }
    return std::nullopt;
  }

private:
  struct Range {
    double lo = 0, hi = 1;
  };
  struct History {
    double ratio = 0;  // mean of measured / predicted
    int count = 0;
  };
  struct Job {
    std::vector<Range> left;
    std::vector<double> done;  // per device
  };

  // Equations 1 and 2: nothing overlaps; inputs travel, the kernel runs, results travel back.
  double model(int t, int d, const OnlineState& state) const {
    const ProblemIndex& index = *state.index;
    double seconds = index.duration(t, d, 1);
    if (!classes_->is_gpu(d)) return seconds;
    seconds += state.inputs_ready(t, d, 0, 1) - state.now;
    for (int host = 0; host < index.device_count(); ++host) {
      if (classes_->is_gpu(host) || index.memory_of(host) == index.memory_of(d)) continue;
      for (int item : index.produced(t))
        seconds += index.transfer_time(index.memory_of(d), index.memory_of(host), index.item(item).bytes);
      break;
    }
    return seconds;
  }

  // alpha * model + beta * history, the model's weight falling with every measurement.
  double estimate(int t, int d, const OnlineState& state) const {
    const History& h = history_[kind_[t]][d];
    double alpha = 1;
    for (int i = 0; i < std::min(h.count, 60); ++i)
      alpha *= parameters_.decay;
    const double predicted = state.index->duration(t, d, 1);
    return alpha * model(t, d, state) + (1 - alpha) * predicted * h.ratio;
  }

  bool takes_part(int t, int d, const OnlineState& state) const {
    double best[2] = {kNever, kNever};
    for (int other = 0; other < state.index->device_count(); ++other)
      if (state.may_run(t, other)) {
        double& time = best[classes_->is_gpu(other)];
        time = std::min(time, model(t, other, state));
      }
    if (best[0] == kNever || best[1] == kNever) return true;
    return classes_->is_gpu(d) ? best[0] * parameters_.favour >= best[1]
                               : best[1] * parameters_.favour >= best[0];
  }

  Range chunk(int t, int d, const OnlineState& state) const {
    const Job& job = jobs_[t];
    double left = 0, done = 0, speed = 0;
    int devices = 0;
    for (const Range& r : job.left)
      left += r.hi - r.lo;
    for (double share : job.done)
      done += share;
    for (int other = 0; other < state.index->device_count(); ++other)
      if (state.may_run(t, other) && takes_part(t, other, state)) {
        speed += 1 / std::max(estimate(t, other, state), 1e-12);
        ++devices;
      }
    double size = parameters_.chunk / std::max(estimate(t, d, state), 1e-12) / speed * devices;
    if (left <= parameters_.last && done > 0) size = job.done[d] / done * left;
    const Range& from = job.left.back();
    const int units = state.index->task(t).units;
    size = std::max(size, units > 0 ? 1.0 / units : 1e-3);
    Range range{from.lo, state.index->snap(t, from.lo + size)};
    if (range.hi <= range.lo || from.hi - range.hi < 1e-3) range.hi = from.hi;
    return range;
  }

  void take(int t, const Range& range) {
    std::vector<Range>& left = jobs_[t].left;
    left.back().lo = range.hi;
    if (left.back().hi - left.back().lo < 1e-12) left.pop_back();
  }

  const DawlParameters parameters_;
  std::optional<TwoClass> classes_;
  std::vector<int> ready_, kind_;
  std::vector<Job> jobs_;
  std::vector<std::vector<History>> history_;  // by kernel and device
};

}  // namespace

MadePolicy make_dawl(ParameterReader& reader) {
  DawlParameters parameters;
  reader.number("favour", parameters.favour, 1, 1e9);
  reader.number("chunk", parameters.chunk, 1e-3, 1);
  reader.number("last", parameters.last, 0, 1);
  reader.number("decay", parameters.decay, 0, 1);
  if (Status s = reader.finish(); !s) return s;
  return made_online<Dawl>(parameters);
}

}  // namespace mkmd::scheduler
