// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/trace_input.hpp"

#include "common/text.hpp"
#include "scheduler/json_forms.hpp"
#include "scheduler/simulator.hpp"
#include "tools/inspect/analysis.hpp"
#include "tools/simulate/other_hardware.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace mkmd {

using namespace scheduler;

namespace {

constexpr int kNoSchedule = 1;

struct Window {
  Problem problem;                     // as predicted
  Problem actual;                      // disturbed
  double recorded = 0, predicted = 0;  // seconds; recorded 0: the trace ends within it
  double bound = 0;
};

Counts counts_of(const inspect::Trace& trace, const inspect::Window& window) {
  Counts counts;
  for (const inspect::Device& d : trace.devices)
    counts.rates.push_back({d.operations_per_second, d.bytes_per_second});
  counts.operations = counts.bytes = {0};  // of the source
  for (size_t c = window.first_command; c < window.first_command + window.commands; ++c) {
    counts.operations.push_back(trace.commands[c].operations);
    counts.bytes.push_back(trace.commands[c].bytes);
  }
  return counts;
}

Result<std::vector<Window>> windows_of(const TraceRequest& request) {
  Result<inspect::Trace> trace = inspect::read_trace(request.trace);
  if (!trace) return trace.status();
  if (trace->windows.empty())
    return Status::internal(request.trace +
                            ": nothing was captured in this trace, so nothing can be scheduled");
  const inspect::Analysis analysis = inspect::analyse(*trace);
  BoundOptions options = request.bounds;
  options.seconds_each /= static_cast<double>(trace->windows.size());
  options.exact_seconds /= static_cast<double>(trace->windows.size());
  std::vector<Window> windows;
  for (size_t i = 0; i < trace->windows.size(); ++i) {
    const inspect::Window& recorded = trace->windows[i];
    Window w;
    w.problem = recorded.problem;
    w.predicted = recorded.predicted;
    if (analysis.windows[i].complete) w.recorded = analysis.windows[i].measured();
    if (!request.platform.empty()) {
      const Status moved = move_to_platform(w.problem, request.platform, counts_of(*trace, recorded));
      if (!moved) return moved;
    }
    w.actual = request.disturbance.of(w.problem);
    w.bound = best_bound(bounds_of(w.actual, options));
    windows.push_back(std::move(w));
  }
  return windows;
}

struct Sum {
  double makespan = 0, bound = 0, idle = 0, planning = 0, recorded = 0, predicted = 0;
  size_t tasks = 0;
  void add(const Window& w, const Outcome& outcome) {
    const double seconds = outcome.schedule.makespan();
    makespan += seconds;
    bound += w.bound;
    idle += seconds * idle_share(w.actual, outcome.schedule);
    planning += outcome.planning_seconds;
    recorded += w.recorded;
    predicted += w.predicted;
    tasks += w.actual.graph.tasks.size() - 1;
  }
};

__attribute__((format(printf, 2, 3))) void print(std::ostream& out, const char* format, ...) {
  char line[200];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  out << line;
}

void print_row(std::ostream& out, const char* name, const Sum& s) {
  print(out, "%-8s %6zu %12.6g %12.6g %12.6g   %14s   %6.1f   %11.3f\n", name, s.tasks, s.recorded,
        s.predicted, s.makespan, ratio_text(s.makespan, s.bound).c_str(),
        s.makespan > 0 ? 100 * s.idle / s.makespan : 0, 1e3 * s.planning);
}

// try_policy plans with the predicted times when both problems are the same object.
Outcome outcome_of(const Window& w, const TraceRequest& request, const std::string& policy) {
  return try_policy(w.problem, request.disturbance.none() ? w.problem : w.actual, policy);
}

Status one_policy(const TraceRequest& request, const std::vector<Window>& windows, const std::string& policy,
                  std::ostream& out) {
  out << "policy  " << policy << "\n"
      << "window    tasks   recorded s  predicted s   makespan s   ratio to bound   idle %   planning ms\n";
  Sum total;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (size_t i = 0; i < windows.size(); ++i) {
    const Outcome outcome = outcome_of(windows[i], request, policy);
    if (!outcome.status.ok())
      return {kNoSchedule, "window " + std::to_string(i + 1) + ": " + outcome.status.message()};
    Sum row;
    row.add(windows[i], outcome);
    total.add(windows[i], outcome);
    print_row(out, std::to_string(i + 1).c_str(), row);
    if (request.output.empty()) continue;
    nlohmann::ordered_json json = to_json(windows[i].actual);
    json["schedule"] = to_json(outcome.schedule, windows[i].actual);
    all.push_back(std::move(json));
  }
  print_row(out, "all", total);
  return request.output.empty() ? Status{} : write_file(request.output, {{"windows", std::move(all)}});
}

Status several(const TraceRequest& request, const std::vector<Window>& windows,
               const std::vector<std::string>& policies, std::ostream& out) {
  print_table_head(out);
  Status failed;
  for (const std::string& policy : policies) {
    Sum total;
    Status status;
    for (const Window& w : windows) {
      const Outcome outcome = outcome_of(w, request, policy);
      status = outcome.status;
      if (!status.ok()) break;
      total.add(w, outcome);
    }
    print(out, "%-18s ", policy.c_str());
    if (status.ok()) {
      print(out, "%12.6g   %14s   %6.1f   %11.3f\n", total.makespan,
            ratio_text(total.makespan, total.bound).c_str(),
            total.makespan > 0 ? 100 * total.idle / total.makespan : 0, 1e3 * total.planning);
    } else {
      out << printable(status.message()) << "\n";
      failed = Status(kNoSchedule, "some policies gave no schedule");
    }
  }
  return failed;
}

}  // namespace

Status simulate_trace(const TraceRequest& request, std::ostream& out) {
  std::vector<std::string> policies;
  for (const std::string& spec : request.policies) {
    if (spec.empty()) return Status::internal("needs --policy (see mkmd simulate --list)");
    if (spec == "all") {
      for (const PolicyInfo& p : scheduler::policies())
        policies.emplace_back(p.name);
    } else if (Result<std::unique_ptr<Policy>> policy = make_policy(spec); !policy) {
      return policy.status();
    } else {
      policies.push_back(spec);
    }
  }
  if (policies.size() > 1 && !request.output.empty()) return Status::internal("--output needs one policy");
  Result<std::vector<Window>> windows = windows_of(request);
  if (!windows) return windows.status();
  if (policies.size() == 1) return one_policy(request, *windows, policies.front(), out);
  double recorded = 0;
  for (const Window& w : *windows)
    recorded += w.recorded;
  print(out, "%s, recorded %.6g s\n", counted(windows->size(), "window").c_str(), recorded);
  return several(request, *windows, policies, out);
}

}  // namespace mkmd
