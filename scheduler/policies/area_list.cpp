// SPDX-License-Identifier: Apache-2.0
// area-list: the linear program of the mixed bound says which share of every task belongs on the CPUs;
// rounding it gives each task a class, and the classes' lists are served by priority (Kedad-Sidhoum, Monna,
// Trystram: Scheduling Tasks with Precedence Constraints on Hybrid Multi-core Machines). area-list-steal lets
// an idle GPU restart a task that runs on a CPU. The program's solution may be given (x=FILE), because it is
// not unique.
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/policies/online_adapter.hpp"
#include "scheduler/two_class.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

namespace mkmd::scheduler {
namespace {

struct Parameters {
  std::string x;  // file with {"mixed_x": [CPU share of each task]}; empty: solve the program
  bool steal = false;
};

Result<std::vector<double>> read_shares(const std::string& path, int tasks) {
  std::ifstream in(path);
  if (!in) return Status::internal("area-list: cannot read " + path);
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  const nlohmann::json list = json.is_object() ? json.value("mixed_x", nlohmann::json()) : json;
  std::vector<double> shares;
  if (list.is_array())
    for (const nlohmann::json& x : list)
      if (x.is_number()) shares.push_back(x.get<double>());
  if (static_cast<int>(shares.size()) != tasks)
    return Status::internal("area-list: " + path + " needs \"mixed_x\" with " + std::to_string(tasks) +
                            " numbers");
  return shares;
}

class AreaListOnline : public OnlinePolicy {
public:
  AreaListOnline(const Parameters& parameters, std::vector<double> cpu_share)
      : parameters_(parameters), cpu_share_(std::move(cpu_share)) {}

  std::string_view name() const override { return parameters_.steal ? "area-list-steal" : "area-list"; }

  void begin(const OnlineState& state) override {
    const ProblemIndex& index = *state.index;
    classes_.emplace(index);
    to_gpu_.resize(index.task_count());
    for (int t = 0; t < index.task_count(); ++t) {
      const double p = classes_->cpu_time(t), q = classes_->gpu_time(t);
      to_gpu_[t] = p == kNever || (q != kNever && cpu_share_[t] < 0.5);
    }
    // The longest way to the end, every task taking the time of its class.
    priority_.assign(index.task_count(), 0.0);
    const auto order = index.order();
    for (auto t = order.rbegin(); t != order.rend(); ++t) {
      for (const Output& o : index.outputs(*t))
        priority_[*t] = std::max(priority_[*t], priority_[o.dst]);
      priority_[*t] += classes_->class_time(*t, to_gpu_[*t]);
    }
    for (auto& list : list_)
      list.clear();
  }

  void ready(int task, const OnlineState&) override { list_[to_gpu_[task]].insert({-priority_[task], task}); }

  std::optional<Work> next(const OnlineState& state) override {
    for (int worker : classes_->workers()) {
      if (!state.idle(worker)) continue;
      const bool gpu = classes_->is_gpu(worker);
      for (const auto& entry : list_[gpu])
        if (state.may_run(entry.second, worker)) {
          const int t = entry.second;
          list_[gpu].erase(entry);
          return Work{t, worker};
        }
      if (parameters_.steal && gpu)
        if (const int t = victim(worker, state); t >= 0) return Work{t, worker, 0, 1, true};
    }
    return std::nullopt;
  }

private:
  int victim(int worker, const OnlineState& state) const {
    int best = -1;
    for (int d : classes_->cpu_devices()) {
      if (state.queue[d].empty()) continue;
      const OnlinePiece& piece = state.queue[d].front();
      if (piece.start > state.now || !state.may_run(piece.task, worker)) continue;
      const double end = state.now + state.index->duration(piece.task, worker, 1);
      if (end >= piece.expected_end - 1e-12 * std::max(1.0, piece.expected_end)) continue;
      if (best < 0 || std::pair(-priority_[piece.task], piece.task) < std::pair(-priority_[best], best))
        best = piece.task;
    }
    return best;
  }

  const Parameters parameters_;
  const std::vector<double> cpu_share_;
  std::optional<TwoClass> classes_;
  std::vector<double> priority_;
  std::vector<bool> to_gpu_;
  std::set<std::pair<double, int>> list_[2];
};

class AreaList : public Policy {
public:
  explicit AreaList(const Parameters& parameters) : parameters_(parameters) {}

  Result<Schedule> schedule(const Problem& problem, const Options& options) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    std::vector<double> shares;
    if (!parameters_.x.empty()) {
      Result<std::vector<double>> read = read_shares(parameters_.x, index->task_count());
      if (!read) return read.status();
      shares = std::move(*read);
    } else {
      Result<MixedBound> mixed = mixed_bound(*index, options.planning_budget);
      if (!mixed) return mixed.status();
      shares = std::move(mixed->cpu_share);
    }
    AreaListOnline policy(parameters_, std::move(shares));
    return simulate(*index, policy);
  }

private:
  Parameters parameters_;
};

MadePolicy make(ParameterReader& reader, bool steal) {
  Parameters parameters;
  parameters.steal = steal;
  reader.text("x", parameters.x, "FILE");
  if (Status s = reader.finish(); !s) return s;
  return made<AreaList>(parameters);
}

}  // namespace

MadePolicy make_area_list(ParameterReader& reader) {
  return make(reader, false);
}
MadePolicy make_area_list_steal(ParameterReader& reader) {
  return make(reader, true);
}

}  // namespace mkmd::scheduler
