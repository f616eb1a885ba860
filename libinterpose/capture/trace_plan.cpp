// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/trace_plan.hpp"

#include "compiler/groups_apart.hpp"
#include "platform/json.hpp"
#include "scheduler/json_forms.hpp"

namespace mkmd {

namespace {

// Why a kernel has one piece, and the source line if that says it (0: not).
compiler::Reason why_whole(const KernelLaunch& launch, const planning::PlannedTask& of) {
  const compiler::KernelInfo& info = *launch.kernel->info();
  if (!info.split_allowed) {
    return info.reasons.empty() ? compiler::Reason{"the compiler does not allow it"} : info.reasons.front();
  }
  if (!of.task.kernel.understood) return {"no code for its pieces could be had"};
  if (!of.task.kernel.is_long()) return {to_string(timing::Reason::too_short)};
  if (launch.group_count() < 2) return {"it has one work-group"};
  if (of.not_split != nullptr) return {of.not_split};
  if (of.cut < 0 && !launch.inspection && compiler::writes_at_loaded(info))
    return {"what its index buffers hold was not known when it was launched"};
  if (of.cut < 0) return {"its work-groups touch the same bytes"};
  return {"the policy found nothing to gain"};
}

platform::Rates rates_of(const DeviceRates& d) {
  return {d.operations_per_second, d.bytes_per_second, d.bytes_per_second, d.bytes_per_second};
}

nlohmann::json describe(const planning::PlannedTask& of, const Command& c, bool home_is_whole) {
  const planning::Task& task = of.task;
  std::vector<double> seconds = task.seconds;
  if (home_is_whole) seconds.push_back(task.is_kernel() ? task.at_home : task.seconds[0]);
  nlohmann::json line = {{"id", c.number}, {"kind", to_string(c.kind())}, {"start", of.start}};
  const KernelCommand* const kernel = c.kernel();
  if (kernel == nullptr) {
    line["bytes"] = task.transfer.size;
    line["seconds"] = seconds;
    return line;
  }
  line["kernel"] = task.kernel.name;
  line["groups"] = task.kernel.groups;
  line["local"] = kernel->launch.shape.local;
  line["operations"] = kernel->cost.operations;
  line["bytes"] = kernel->cost.bytes;
  line["seconds"] = seconds;
  line["pieces"] = nlohmann::json::array();
  for (const planning::Piece& piece : of.pieces)
    line["pieces"].push_back({{"device", piece.device}, {"lo", piece.box.lo}, {"hi", piece.box.hi}});
  if (of.pieces.size() < 2) {
    const compiler::Reason reason = why_whole(kernel->launch, of);
    line["whole_because"] = reason.text;
    line["line"] = reason.line;
  }
  return line;
}

}  // namespace

void trace_plan(Trace& trace, const planning::Plan& plan, const std::vector<Ref<Command>>& window,
                PlanningFacts facts) {
  const planning::Machine& machine = facts.machine;
  scheduler::Problem problem = make_problem(machine, plan.tasks, facts.buffer_of);
  for (size_t d = 0; d < problem.platform.devices.size(); ++d)
    problem.platform.devices[d].rates = rates_of(facts.times.rates(static_cast<int>(d)));
  nlohmann::json platform = platform::to_json(problem.platform);
  if (machine.home_is_whole) {
    const DeviceRates& rates = facts.times.rates(machine.home);
    platform["whole"] = {{"launch", rates.launch_seconds}, {"rates", platform::to_json(rates_of(rates))}};
  }
  trace.add_platform(platform);

  double in_order = 0;  // on the one device that has all of it
  nlohmann::json commands = nlohmann::json::array();
  for (size_t i = 0; i < plan.tasks.size(); ++i) {
    const planning::PlannedTask& of = plan.tasks[i];
    const double whole = plan.only_device >= 0 ? of.task.seconds[plan.only_device] : of.task.at_home;
    in_order += of.task.is_kernel() ? whole : of.task.seconds[0];
    commands.push_back(describe(of, *window[i], machine.home_is_whole));
  }
  nlohmann::json line = {{"time", facts.now},
                         {"planning_seconds", facts.planning_seconds},
                         {"kept_plan", plan.kept},
                         {"policy", plan.schedule           ? machine.policy_name
                                    : plan.only_device >= 0 ? machine.platform.devices[plan.only_device].name
                                                            : "home"},
                         {"predicted", plan.schedule ? plan.schedule->makespan() : in_order},
                         {"commands", std::move(commands)},
                         {"graph", scheduler::to_json(problem.graph)}};
  if (plan.schedule) line["schedule"] = scheduler::to_json(*plan.schedule, problem);
  if (!facts.planned.is_null()) line["planned"] = std::move(facts.planned);
  trace.add({{"window", std::move(line)}});
}

nlohmann::json transfer_line(const TracedTransfer& transfer) {
  nlohmann::json command;
  if (transfer.command) command = *transfer.command;
  return {{"transfer",
           {{"command", command},
            {"buffer", "b" + std::to_string(transfer.buffer)},
            {"bytes", transfer.bytes},
            {"from", transfer.from},
            {"to", transfer.to},
            {"start", transfer.start},
            {"end", transfer.end}}}};
}

}  // namespace mkmd
