// SPDX-License-Identifier: Apache-2.0
#include "scheduler/simulator.hpp"

#include "scheduler/generators/random_graph.hpp"
#include "scheduler/placement.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace mkmd::scheduler {
namespace {

constexpr double kDone = 1e-12;         // of a task: what is left below this is rounding
constexpr double kSameInstant = 1e-12;  // of the time: what differs by less happens together

class Simulation {
public:
  Simulation(const ProblemIndex& predicted, const ProblemIndex& actual, OnlinePolicy& policy,
             const SimulationOptions& options)
      : predicted_(predicted), actual_(actual), policy_(policy), options_(options), data_(actual),
        speeds_(actual, options.speeds) {
    const int tasks = predicted.task_count(), devices = predicted.device_count();
    state_.index = &predicted;
    state_.queue.resize(devices);
    state_.alive.assign(devices, true);
    state_.device_of.assign(tasks, -1);
    state_.unassigned.assign(tasks, 1.0);
    tasks_.resize(tasks);
    end_.assign(devices, kNever);
    for (int i = 0; i < predicted.item_count(); ++i)
      moves_data_ = moves_data_ || predicted.item(i).bytes > 0;
    schedule_.entries.reserve(tasks);
    state_.inputs_ready = [this](int task, int device, double lo, double hi) {
      if (!moves_data_) return state_.now;
      const Placement::Mark before = data_.mark();
      const double ready = data_.bring_inputs(task, device, lo, hi, Placement::Inputs::needed, state_.now);
      data_.rollback(before);
      return std::max(state_.now, ready);
    };
    std::stable_sort(options_.losses.begin(), options_.losses.end(),
                     [](const DeviceLoss& a, const DeviceLoss& b) { return a.time < b.time; });
  }

  Result<Schedule> run() {
    policy_.begin(state_);
    int left = predicted_.task_count();
    for (int t = 0; t < predicted_.task_count(); ++t) {
      tasks_[t].waiting = static_cast<int>(predicted_.inputs(t).size());
      if (tasks_[t].waiting == 0) policy_.ready(t, state_);
    }
    if (Status s = decide(); !s) return s;
    while (left > 0) {
      if (actual_.shares_bandwidth()) speeds_.ends(end_);
      const double next_end = *std::min_element(end_.begin(), end_.end());
      if (next_loss_ < options_.losses.size() && options_.losses[next_loss_].time <= next_end) {
        state_.now = std::max(state_.now, options_.losses[next_loss_].time);
        speeds_.advance(state_.now);
        lose(options_.losses[next_loss_++].device);
      } else {
        if (next_end == kNever) return stalled();
        const double last = next_end * (1 + kSameInstant);
        for (double end : end_)
          if (end <= last) state_.now = std::max(state_.now, end);
        speeds_.advance(state_.now);
        newly_ready_.clear();
        for (int d = 0; d < predicted_.device_count(); ++d)
          if (end_[d] <= last) left -= end_piece(d);
        std::sort(newly_ready_.begin(), newly_ready_.end());
        for (int t : newly_ready_)
          policy_.ready(t, state_);
      }
      if (Status s = decide(); !s) return s;
    }
    schedule_.algorithm = policy_.name();
    if (moves_data_) schedule_.transfers = data_.schedule("").transfers;
    return std::move(schedule_);
  }

private:
  Status stalled() const {
    for (int t = 0; t < predicted_.task_count(); ++t)
      if (!tasks_[t].done && tasks_[t].waiting == 0)
        return Status::internal(std::string(policy_.name()) + ": task " +
                                std::to_string(predicted_.task(t).id) + " is ready but was never started");
    return Status::internal(std::string(policy_.name()) + ": nothing runs and nothing is ready");
  }

  Status decide() {
    while (std::optional<Work> work = policy_.next(state_))
      if (Status s = give(*work); !s) return s;
    while (moves_data_) {
      const std::optional<Prefetch> wanted = policy_.prefetch(state_);
      if (!wanted) break;
      prefetch(*wanted);
    }
    return {};
  }

  // What has not ended, or does not exist, cannot move: such a wish is dropped.
  void prefetch(const Prefetch& wanted) {
    if (wanted.producer < 0 || wanted.producer >= predicted_.task_count() || wanted.device < 0 ||
        wanted.device >= predicted_.device_count())
      return;
    const auto holds = [&](const Range& r) { return r.lo <= wanted.lo && wanted.hi <= r.hi; };
    if (std::ranges::none_of(tasks_[wanted.producer].ended, holds)) return;
    for (const Output& o : actual_.outputs(wanted.producer))
      if (o.dst == wanted.consumer && !o.row)
        data_.bring_item(o.item, wanted.device, wanted.lo, wanted.hi, state_.now);
  }

  Status refuse(const Work& work, const char* why) const {
    return Status::internal(std::string(policy_.name()) + ": gave task " + std::to_string(work.task) +
                            " to device " + std::to_string(work.device) + ", " + why);
  }

  Status give(const Work& work) {
    if (work.task < 0 || work.task >= predicted_.task_count() || work.device < 0 ||
        work.device >= predicted_.device_count())
      return refuse(work, "one of which does not exist");
    if (!state_.may_run(work.task, work.device)) return refuse(work, "which may not run it");
    if (tasks_[work.task].waiting > 0) return refuse(work, "but it is not ready");
    if (work.spoliate) {
      const int victim = state_.device_of[work.task];
      if (victim < 0 || state_.queue[victim].empty() || state_.queue[victim].front().task != work.task)
        return refuse(work, "but it is not running");
      abort(victim);
      state_.unassigned[work.task] += work.hi - work.lo;
    }
    if (state_.unassigned[work.task] < work.hi - work.lo - kDone)
      return refuse(work, "but all of it is given away");
    state_.unassigned[work.task] -= work.hi - work.lo;
    state_.device_of[work.task] = work.device;
    ++tasks_[work.task].running;
    OnlinePiece piece{work.task, work.lo, work.hi, state_.now, kNever, kNever};
    if (moves_data_)
      piece.arrival = std::max(state_.now, data_.bring_inputs(work.task, work.device, work.lo, work.hi,
                                                              Placement::Inputs::needed, state_.now));
    state_.queue[work.device].push_back(piece);
    if (state_.queue[work.device].size() == 1) start(work.device);
    return {};
  }

  void start(int d) {
    OnlinePiece& piece = state_.queue[d].front();
    piece.start = std::max(state_.now, piece.arrival);
    piece.expected_end = piece.start + predicted_.duration(piece.task, d, piece.hi - piece.lo);
    const double share = piece.hi - piece.lo, seconds = actual_.duration(piece.task, d, share);
    if (actual_.shares_bandwidth()) {
      speeds_.begin(d, piece.start, seconds, share * actual_.task(piece.task).bytes);
    } else {
      end_[d] = speeds_.end_alone(d, piece.start, seconds);
    }
  }

  // Takes the front piece off the device; what waits behind it starts.
  OnlinePiece take(int d) {
    const OnlinePiece piece = state_.queue[d].front();
    state_.queue[d].pop_front();
    --tasks_[piece.task].running;
    end_[d] = kNever;
    speeds_.stop(d);
    if (state_.queue[d].empty()) return piece;
    if (state_.queue[d].size() > 1) {
      const auto chosen = state_.queue[d].begin() + static_cast<std::ptrdiff_t>(policy_.pick(d, state_));
      std::rotate(state_.queue[d].begin(), chosen, chosen + 1);
    }
    start(d);
    return piece;
  }

  void abort(int d) {
    const OnlinePiece piece = take(d);
    if (piece.start < state_.now) schedule_.aborted.push_back({piece.task, d, piece.start, state_.now});
  }

  int end_piece(int d) {
    const double end = end_[d];
    const OnlinePiece piece = take(d);
    schedule_.entries.push_back({piece.task, d, piece.start, end, piece.lo, piece.hi});
    if (moves_data_) data_.publish_results(piece.task, d, piece.lo, piece.hi, end);
    if (moves_data_) tasks_[piece.task].ended.push_back({piece.lo, piece.hi});
    policy_.ended(piece, d, end - piece.start, state_);
    if (tasks_[piece.task].running > 0 || state_.unassigned[piece.task] > kDone) return 0;
    tasks_[piece.task].done = true;
    for (const Output& o : predicted_.outputs(piece.task))
      if (--tasks_[o.dst].waiting == 0) newly_ready_.push_back(o.dst);
    return 1;
  }

  void lose(int d) {
    state_.alive[d] = false;
    const std::deque<OnlinePiece> pieces = std::move(state_.queue[d]);
    state_.queue[d].clear();
    end_[d] = kNever;
    speeds_.stop(d);
    for (const OnlinePiece& piece : pieces) {
      --tasks_[piece.task].running;
      state_.unassigned[piece.task] += piece.hi - piece.lo;
      if (piece.start < state_.now) schedule_.aborted.push_back({piece.task, d, piece.start, state_.now});
    }
    for (const OnlinePiece& piece : pieces)
      policy_.lost(piece, d, state_);
  }

  const ProblemIndex& predicted_;
  const ProblemIndex& actual_;
  OnlinePolicy& policy_;
  SimulationOptions options_;
  Placement data_;
  SharedSpeed speeds_;
  bool moves_data_ = false;
  OnlineState state_;
  struct Range {
    double lo, hi;
  };
  struct TaskState {
    int running = 0;  // pieces given and not ended
    int waiting = 0;  // for predecessors
    bool done = false;
    std::vector<Range> ended{};
  };
  std::vector<TaskState> tasks_;
  std::vector<double> end_;  // per device: when the running piece ends
  std::vector<int> newly_ready_;
  size_t next_loss_ = 0;
  Schedule schedule_;
};

}  // namespace

Result<Schedule> simulate(const ProblemIndex& predicted, OnlinePolicy& policy,
                          const SimulationOptions& options) {
  if (!options.actual) return Simulation(predicted, predicted, policy, options).run();
  Result<ProblemIndex> actual = ProblemIndex::make(*options.actual);
  if (!actual) return actual.status();
  if (actual->task_count() != predicted.task_count() || actual->device_count() != predicted.device_count())
    return Status::internal("the actual problem has other tasks or devices than the predicted one");
  return Simulation(predicted, *actual, policy, options).run();
}

Result<Schedule> replay(const Problem& actual, const Schedule& plan) {
  if (!plan.merges.empty() || !plan.aborted.empty())
    return Status::internal("only schedules without merges and aborted runs can be replayed");
  const auto is_whole = [](const Entry& e) { return e.lo == 0 && e.hi == 1; };
  if (plan.in_order && !std::all_of(plan.entries.begin(), plan.entries.end(), is_whole))
    return Status::internal("of schedules in order, only those of whole tasks can be replayed");
  Result<ProblemIndex> index = ProblemIndex::make(actual);
  if (!index) return index.status();
  std::vector<Entry> order = plan.entries;
  std::vector<int> place(index->task_count());
  for (int i = 0; i < index->task_count(); ++i)
    place[index->order()[i]] = i;
  std::stable_sort(order.begin(), order.end(), [&](const Entry& a, const Entry& b) {
    return a.start != b.start ? a.start < b.start : place[a.task] < place[b.task];
  });
  Placement placement(*index);
  double now = 0;
  for (const Entry& e : order) {
    if (plan.in_order) {
      now = placement.place_in_order(e.task, e.device, now).end;
    } else {
      placement.place(e.task, e.device, e.lo, e.hi, Placement::Inputs::needed,
                      placement.device(e.device).last_end());
    }
  }
  Schedule replayed = placement.schedule(plan.algorithm);
  replayed.in_order = plan.in_order;
  return replayed;
}

Problem with_rate_error(const Problem& problem, double error, uint64_t seed) {
  Problem actual = problem;
  Random random(seed);
  std::map<std::string, std::vector<double>> factors;
  for (Task& t : actual.graph.tasks) {
    std::string kind;
    for (char c : t.name)
      if (!std::isdigit(static_cast<unsigned char>(c))) kind += c;
    std::vector<double>& factor = factors[kind];
    while (factor.size() < t.times.size())
      factor.push_back(random.between(1 - error, 1 + error));
    for (size_t d = 0; d < t.times.size(); ++d)
      t.times[d] *= factor[d];
  }
  return actual;
}

Problem with_jitter(const Problem& problem, double jitter, uint64_t seed) {
  Problem actual = problem;
  Random random(seed);
  for (Task& t : actual.graph.tasks) {
    for (double& seconds : t.times)
      seconds *= random.between(1 - jitter, 1 + jitter);
  }
  return actual;
}

}  // namespace mkmd::scheduler
