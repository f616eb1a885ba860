// SPDX-License-Identifier: Apache-2.0
// Describes a window of captured commands to the planner, as values: what is predicted of each, what its
// work-groups touch, and the devices there are.
#pragma once

#include "libinterpose/capture/code_for_pieces.hpp"
#include "libinterpose/capture/domains.hpp"
#include "libinterpose/capture/estimates.hpp"
#include "libinterpose/commands/command.hpp"
#include "libinterpose/planning/cuts.hpp"
#include "libinterpose/planning/kept_plans.hpp"
#include "libinterpose/planning/planner.hpp"

#include <nlohmann/json.hpp>

namespace mkmd {

// Lives for one flush; a context has one at a time. It looks at what only planning changes: the executor's
// mutex need not be held.
class WindowPlanning {
public:
  // Kept from window to window.
  struct Kept {
    std::unique_ptr<const planning::Machine> machine;  // made when first planned for
    planning::CutMemory cuts;
    planning::KeptPlans plans;
  };

  // `window` hears what is expected of the commands; null: not needed.
  WindowPlanning(Session& session, const Domains& domains, Estimates& estimates, CodeForPieces& code,
                 const Executor& executor, Kept& kept, bool can_fail, timing::Window* window = nullptr);

  // A plan for the window's first commands, as many as can be looked at in a short time: the devices wait for
  // what is planned.
  planning::Plan plan(const std::vector<Ref<Command>>& window);
  const planning::Machine& machine();  // what is planned for

private:
  const Configuration& configuration() const { return session_.configuration; }
  planning::Purpose purpose_of(bool at_home) const;
  planning::Identity identity_of(const std::vector<Ref<Command>>& window) const;
  bool has_room(const KernelCommand& command, int device) const;
  std::optional<planning::Plan> take_over(const std::vector<Ref<Command>>& window,
                                          const planning::Identity& identity);
  planning::Plan make(const std::vector<Ref<Command>>& window);
  void take_turns(const std::vector<Ref<Command>>& window);
  planning::Task next(const std::vector<Ref<Command>>& window, size_t i);
  planning::Task describe(Command& command);
  void describe_kernel(KernelCommand& command, planning::Task& task);
  void describe_transfer(const Command& command, planning::Task& task) const;
  bool any_has_failed() const;
  bool may_run_on(const KernelCommand& command, int device) const;
  // Whether the kernel may be split and has code for its pieces. Else that is being made, or was refused.
  bool understands(const KernelCommand& command, KernelModel& model) const;
  bool follows_bytes(const Command& command) const;
  double seconds_to_make(const planning::Task& task, int device) const;
  double seconds_to_plan_with(const KernelModel& model, const LaunchCost& cost, int device,
                              double at_home) const;
  void judge(const KernelModel& model, const WholeLaunch& whole, planning::Task& task);
  void note_planned(const Command& command, const planning::Task& task) const;

  Session& session_;
  const Domains& domains_;
  Estimates& estimates_;
  CodeForPieces& code_;
  const Executor& executor_;
  Kept& kept_;
  const bool can_fail_;  // a device
  timing::Window* const window_;
  const planning::Purpose purpose_;
  const planning::BufferOf buffer_of_;
  std::vector<planning::Task> described_;  // of the window's first commands, not yet given to a planner
  bool compares_ =
      false;  // a launch of the window is to show what the best single device takes: one is enough
  bool took_turns_ = false;
  bool several_teams_ = false;  // have turns in this window
  nlohmann::json recorded_;     // what the plan follows from; null: not to be traced
};

// The number of a root buffer in graphs and traces. For whoever plans, or with the executor's mutex held.
uint64_t buffer_number(Numbers& numbers, const Memory& root);

// Whether a device may have launches with such arguments at all: their images, and Rule 11 where it was asked
// for.
bool suits(const Configuration& configuration, int device, const KernelArguments& arguments);

}  // namespace mkmd
