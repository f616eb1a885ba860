// SPDX-License-Identifier: Apache-2.0
// The trace's line about a planned window: its commands, the graph the policy was given, and the plan.
#include "common/host_clock.hpp"
#include "libinterpose/capture/planner.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/trace.hpp"
#include "platform/json.hpp"
#include "scheduler/json_forms.hpp"

namespace mkmd {

namespace {

// Why a kernel has one piece, and the source line if that says it (0: not).
compiler::Reason why_whole(const KernelLaunch& launch, bool has_pieces_code, bool worth, int cut,
                           const char* not_split) {
  const compiler::KernelInfo& info = *launch.kernel->info;
  if (!info.split_allowed) {
    return info.reasons.empty() ? compiler::Reason{"the compiler does not allow it"} : info.reasons.front();
  }
  if (!has_pieces_code) return {"no code for its pieces could be had"};
  if (!worth) return {"too short to split"};
  if (launch.group_count() < 2) return {"it has one work-group"};
  if (not_split != nullptr) return {not_split};
  if (cut < 0) return {"its work-groups touch the same bytes"};
  return {"the policy found nothing to gain"};
}

platform::Rates rates_of(const DeviceRates& d) {
  return {d.operations_per_second, d.bytes_per_second, d.bytes_per_second, d.bytes_per_second};
}

}  // namespace

void Planner::trace_plan(const scheduler::Schedule* schedule, double planning_seconds) const {
  scheduler::Problem problem = make_problem();
  for (size_t d = 0; d < problem.platform.devices.size(); ++d)
    problem.platform.devices[d].rates = rates_of(runtime_.times_.rates(static_cast<int>(d)));
  nlohmann::json machine = platform::to_json(problem.platform);
  const Process& p = process();
  if (p.home_is_whole()) {
    const DeviceRates& rates = runtime_.times_.rates(p.home_index());
    machine["whole"] = {{"launch", rates.launch_seconds}, {"rates", platform::to_json(rates_of(rates))}};
  }
  trace_platform(machine);

  double in_order_at_home = 0;
  nlohmann::json commands = nlohmann::json::array();
  for (const Task& task : tasks_) {
    const Command& c = *task.command;
    const bool kernel = c.kind == Command::Kind::kernel;
    const double at_home = kernel ? task.at_home : task.seconds[0];
    in_order_at_home += at_home;
    std::vector<double> seconds = task.seconds;
    if (p.home_is_whole()) seconds.push_back(at_home);
    nlohmann::json line = {{"id", c.number}, {"kind", to_string(c.kind)}, {"start", task.start}};
    if (!kernel) {
      line["bytes"] = c.size;
      line["seconds"] = seconds;
      commands.push_back(std::move(line));
      continue;
    }
    line["kernel"] = c.launch.kernel->name;
    line["groups"] = c.launch.groups;
    line["local"] = c.launch.shape.local;
    line["operations"] = c.cost.operations;
    line["bytes"] = c.cost.bytes;
    line["seconds"] = seconds;
    line["pieces"] = nlohmann::json::array();
    for (const Piece& piece : task.pieces)
      line["pieces"].push_back({{"device", piece.device}, {"lo", piece.box.lo}, {"hi", piece.box.hi}});
    if (task.pieces.size() < 2) {
      const compiler::Reason reason =
          why_whole(c.launch, task.footprints != nullptr, runtime_.is_long(task.seconds[0], 0), task.cut,
                    task.not_split);
      line["whole_because"] = reason.text;
      line["line"] = reason.line;
    }
    commands.push_back(std::move(line));
  }
  nlohmann::json window = {{"time", runtime_.now()},
                           {"planning_seconds", planning_seconds},
                           {"kept_plan", taken_over_},
                           {"policy", schedule != nullptr ? p.settings.policy : "home"},
                           {"predicted", schedule != nullptr ? schedule->makespan() : in_order_at_home},
                           {"commands", std::move(commands)},
                           {"graph", scheduler::to_json(problem.graph)}};
  if (schedule != nullptr) window["schedule"] = scheduler::to_json(*schedule, problem);
  trace({{"window", std::move(window)}});
}

}  // namespace mkmd
