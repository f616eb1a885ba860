// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/report.hpp"

#include "common/text.hpp"
#include "scheduler/bounds/area.hpp"
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/simulator.hpp"
#include "scheduler/validator.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace mkmd {

using namespace scheduler;

namespace {

std::string format(const char* pattern, double x) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, x);
  return text;
}

}  // namespace

namespace {

// Empty when the optimum is known.
std::string gap_of(const ExactOptimum& exact) {
  if (exact.optimal) return {};
  if (exact.makespan == kNever) return "lower bound: stopped before any schedule was found";
  return "lower bound: stopped with a schedule of " + format("%.9g s", exact.makespan) + ", a gap of " +
         format("%.2f %%", 100 * (1 - exact.lower_bound / exact.makespan));
}

}  // namespace

std::vector<Bound> bounds_of(const Problem& problem, const BoundOptions& options) {
  std::vector<Bound> bounds;
  Result<ProblemIndex> index = ProblemIndex::make(problem);
  if (!index) return bounds;
  const TwoClass classes(*index);
  const bool two = classes.cpus() > 0 && classes.gpus() > 0;
  const bool divisible = std::any_of(problem.graph.tasks.begin(), problem.graph.tasks.end(),
                                     [](const Task& t) { return t.divisible; });
  const auto add = [&](const char* name, Result<double> value) {
    bounds.push_back({name, value ? std::optional(*value) : std::nullopt});
  };
  const auto work = [&](const std::vector<double>& cpu_share) {
    std::pair<double, double> sum;
    for (size_t t = 0; t < cpu_share.size(); ++t) {
      if (cpu_share[t] > 0) sum.first += cpu_share[t] * classes.cpu_time(static_cast<int>(t));
      if (cpu_share[t] < 1) sum.second += (1 - cpu_share[t]) * classes.gpu_time(static_cast<int>(t));
    }
    return sum;
  };
  if (options.wants("path")) bounds.push_back({"critical path", critical_path(*index)});
  if (options.wants("classes") && two) {
    const AreaSolution area = area_bound(*index, classes);
    bounds.push_back({"area of two classes", area.bound, work(area.cpu_share)});
  }
  if (options.wants("area")) add("area", area_transfer_bound(*index, false, options.seconds_each));
  if (options.wants("transfers"))
    add("area + transfers", area_transfer_bound(*index, true, options.seconds_each));
  if (options.wants("mixed") && !divisible && two) {
    Result<MixedBound> mixed = mixed_bound(*index, options.seconds_each);
    bounds.push_back({"mixed", mixed ? std::optional(mixed->bound) : std::nullopt});
    if (mixed) bounds.back().work = work(mixed->cpu_share);
  }
  if (options.exact_seconds > 0) {
    Result<ExactOptimum> exact = exact_optimum(*index, options.exact_seconds);
    const std::string name = std::string("exact optimum") + (divisible ? " of undivided tasks" : "");
    bounds.push_back({name, exact ? std::optional(exact->lower_bound) : std::nullopt});
    bounds.back().note = exact ? gap_of(*exact) : exact.status().message();
  }
  return bounds;
}

double best_bound(const std::vector<Bound>& bounds) {
  double best = 0;
  for (const Bound& b : bounds)
    best = std::max(best, b.seconds.value_or(0));
  return best;
}

Problem Disturbance::of(const Problem& problem) const {
  if (none()) return problem;
  return with_jitter(with_rate_error(problem, rate_error, seed), jitter, seed);
}

Outcome try_policy(const Problem& predicted, const Problem& actual, const std::string& spec) {
  Outcome outcome;
  Result<std::unique_ptr<Policy>> policy = make_policy(spec);
  if (!policy) {
    outcome.status = policy.status();
    return outcome;
  }
  const bool as_predicted = &predicted == &actual;
  const auto begin = std::chrono::steady_clock::now();
  Result<Schedule> schedule = Status::internal("");
  if (std::unique_ptr<OnlinePolicy> online = as_predicted ? nullptr : (*policy)->online()) {
    Result<ProblemIndex> index = ProblemIndex::make(predicted);
    SimulationOptions options;
    options.actual = &actual;
    schedule = index ? simulate(*index, *online, options) : Result<Schedule>(index.status());
  } else {
    schedule = (*policy)->schedule(predicted, {});
  }
  outcome.planning_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (schedule && !as_predicted && !(*policy)->online()) schedule = replay(actual, *schedule);
  outcome.refused = !schedule;
  outcome.status = schedule ? validate(actual, *schedule) : schedule.status();
  if (schedule) outcome.schedule = std::move(*schedule);
  return outcome;
}

double idle_share(const Problem& problem, const Schedule& schedule) {
  const double makespan = schedule.makespan();
  double busy = 0;
  for (const Entry& e : schedule.entries)
    busy += e.end - e.start;
  for (const Occupation& m : schedule.merges)
    busy += m.end - m.start;
  return makespan > 0 ? 1 - busy / (makespan * static_cast<double>(problem.platform.devices.size())) : 0;
}

void print_outcome(std::ostream& out, const Problem& problem, const Outcome& outcome,
                   const std::vector<Bound>& bounds) {
  const double makespan = outcome.schedule.makespan();
  out << "makespan          " << format("%.9g s", makespan) << "\n";
  out << "idle share        " << format("%.1f %%", 100 * idle_share(problem, outcome.schedule)) << "\n";
  out << "pieces            " << outcome.schedule.entries.size() << ", transfers "
      << outcome.schedule.transfers.size() << ", merges " << outcome.schedule.merges.size()
      << ", aborted runs " << outcome.schedule.aborted.size() << "\n";
  out << "scheduling time   " << format("%.3f ms", 1e3 * outcome.planning_seconds) << "\n";
  for (const Bound& b : bounds) {
    out << "bound: " << b.name << (b.note.empty() || !b.seconds ? "" : " (" + b.note + ")") << "  ";
    if (!b.seconds) {
      out << (b.note.empty() ? "not solved in time" : "not solved: " + b.note) << "\n";
    } else {
      out << format("%.9g s", *b.seconds);
      if (*b.seconds > 0) out << format(", makespan is %.4f times that", makespan / *b.seconds);
      out << "\n";
    }
  }
}

std::string ratio_text(double makespan, double bound) {
  return bound > 0 ? format("%.4f", makespan / bound) : "-";
}

void print_table_head(std::ostream& out) {
  out << "policy               makespan s   ratio to bound   idle %   planning ms\n";
}

void print_table_row(std::ostream& out, std::string_view name, const Problem& problem, const Outcome& outcome,
                     double bound) {
  char line[160];
  if (!outcome.status.ok()) {
    std::snprintf(line, sizeof line, "%-18.*s ", static_cast<int>(name.size()), name.data());
    out << line << printable(outcome.status.message()) << "\n";
    return;
  }
  const double makespan = outcome.schedule.makespan();
  std::snprintf(line, sizeof line, "%-18.*s %12.6g   %14s   %6.1f   %11.3f\n", static_cast<int>(name.size()),
                name.data(), makespan, ratio_text(makespan, bound).c_str(),
                100 * idle_share(problem, outcome.schedule), 1e3 * outcome.planning_seconds);
  out << line;
}

nlohmann::ordered_json bounds_to_json(const std::vector<Bound>& bounds) {
  nlohmann::ordered_json json{{"bounds", nlohmann::ordered_json::array()}};
  for (const Bound& b : bounds) {
    nlohmann::ordered_json& row = json["bounds"].emplace_back();
    row["name"] = b.name;
    if (b.seconds) row["seconds"] = *b.seconds;
    if (!b.note.empty()) row["note"] = b.note;
    if (b.work) row["work"] = {{"CPU", b.work->first}, {"GPU", b.work->second}};
  }
  return json;
}

nlohmann::ordered_json outcome_to_json(const std::string& policy, const Problem& problem,
                                       const Outcome& outcome) {
  nlohmann::ordered_json json{{"policy", policy}, {"tasks", problem.graph.tasks.size()}};
  if (!outcome.status.ok()) {
    json["error"] = outcome.status.message();
    return json;
  }
  const Schedule& schedule = outcome.schedule;
  json["makespan"] = schedule.makespan();
  json["planning"] = outcome.planning_seconds;
  json["idle_share"] = idle_share(problem, schedule);
  nlohmann::ordered_json& idle = json["idle"];
  const auto of_class = [&](size_t d) -> nlohmann::ordered_json& {
    return idle[problem.platform.devices[d].device_class == DeviceClass::cpu ? "CPU" : "GPU"];
  };
  for (size_t d = 0; d < problem.platform.devices.size(); ++d)
    of_class(d) =
        of_class(d).is_null() ? schedule.makespan() : of_class(d).get<double>() + schedule.makespan();
  for (const Entry& e : schedule.entries)
    of_class(e.device) = of_class(e.device).get<double>() - (e.end - e.start);
  for (const Occupation& m : schedule.merges)
    of_class(m.device) = of_class(m.device).get<double>() - (m.end - m.start);
  json["pieces"] = schedule.entries.size();
  json["aborted"] = schedule.aborted.size();
  return json;
}

}  // namespace mkmd
