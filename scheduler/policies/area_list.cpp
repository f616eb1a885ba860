// SPDX-License-Identifier: Apache-2.0
// area-list: the linear program of the mixed bound gives the share of every task on the CPUs. Rounding it
// gives each task a class. The classes' lists are served by priority (Kedad-Sidhoum, Monna, Trystram:
// Scheduling Tasks with Precedence Constraints on Hybrid Multi-core Machines). area-list-steal lets an idle
// GPU restart a task that runs on a CPU. The linear program's solution is not unique, so a file may give it
// (x=FILE).
#include "common/files.hpp"
#include "common/json.hpp"
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/policies/class_list.hpp"
#include "scheduler/policies/factories.hpp"
#include "scheduler/simulator.hpp"

namespace mkmd::scheduler {
namespace {

struct AreaListParameters {
  std::string x;  // file with {"mixed_x": [CPU share of each task]}; empty: solve the program
  bool steal = false;
};

Result<std::vector<double>> read_shares(const std::string& path, int tasks) {
  const Result<std::string> text = read_file(path);
  if (!text) return Status::internal("area-list: cannot read " + path + ": give a file with \"mixed_x\"");
  const Result<nlohmann::json> json = parse_json(*text);
  if (!json) return Status::internal("area-list: " + path + ": not JSON: " + json.status().message());
  const nlohmann::json list = json->is_object() ? json->value("mixed_x", nlohmann::json()) : *json;
  std::vector<double> shares;
  if (list.is_array())
    for (const nlohmann::json& x : list)
      if (x.is_number()) shares.push_back(x.get<double>());
  if (static_cast<int>(shares.size()) != tasks)
    return Status::internal("area-list: " + path + " needs \"mixed_x\" with " + std::to_string(tasks) +
                            " numbers");
  return shares;
}

class AreaList : public Policy {
public:
  explicit AreaList(const AreaListParameters& parameters) : parameters_(parameters) {}

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
    const TwoClass classes(*index);
    std::vector<bool> to_gpu(index->task_count());
    for (int t = 0; t < index->task_count(); ++t) {
      const double p = classes.cpu_time(t), q = classes.gpu_time(t);
      to_gpu[t] = p == kNever || (q != kNever && shares[t] < 0.5);
    }
    ClassList policy(parameters_.steal ? "area-list-steal" : "area-list", std::move(to_gpu),
                     parameters_.steal);
    return simulate(*index, policy);
  }

private:
  AreaListParameters parameters_;
};

MadePolicy make(ParameterReader& reader, bool steal) {
  AreaListParameters parameters;
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
