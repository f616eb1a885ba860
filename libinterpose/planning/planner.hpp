// SPDX-License-Identifier: Apache-2.0
// The Planner turns a window of commands into a Plan. It makes the kernel graph, and asks the scheduling
// policy for the devices' shares of each kernel. It proves each split safe with the byte ranges of the pieces
// (Rule 5). It sees values only: its decisions follow from the machine, the tasks, residency, and the cuts of
// earlier launches.
#pragma once

#include "libinterpose/planning/cuts.hpp"
#include "libinterpose/planning/kept_plans.hpp"
#include "libinterpose/planning/plan.hpp"

namespace mkmd::planning {

class Planner {
public:
  // All must outlive it.
  Planner(const Machine& machine, const BufferOf& buffer_of, CutMemory& cuts, Purpose purpose)
      : machine_(machine), buffer_of_(buffer_of), cuts_(cuts), purpose_(purpose) {}

  // The window's next command.
  void add(Task task);
  size_t size() const { return tasks_.size(); }
  // Of the commands so far. `complete`: they are the whole window.
  Plan make(bool complete) &&;

private:
  void analyse(PlannedTask& of);
  void analyse_kernel(PlannedTask& of);
  void analyse_redo(PlannedTask& of);
  void find_cut(PlannedTask& of);
  void find_who_updates(PlannedTask& of);
  const char* why_not_in_pieces(PlannedTask& of);
  static void find_uses(PlannedTask& of, size_t most_blocks);  // of its pieces
  // The one that may run the window's kernels, where rivals take turns or launches move; -1: a policy has a
  // choice.
  int only_device() const;
  void assign_whole(int device);
  bool is_worth_a_policy() const;
  void ask_policy(Plan& plan);
  void assign_home(PlannedTask& of) const;
  void assign_home();
  void assign(const scheduler::Schedule& schedule);
  void assign(PlannedTask& of, const std::vector<scheduler::Entry>& entries);
  void make_pieces(PlannedTask& of);
  bool take_sample(PlannedTask& of) const;  // true: it has one

  const Machine& machine_;
  const BufferOf& buffer_of_;
  CutMemory& cuts_;
  const Purpose purpose_;
  std::vector<PlannedTask> tasks_;
};

// Long, and not to be split by us: runs on the whole of which the devices are parts (Rule 14).
bool on_whole(const PlannedTask& task, const Machine& machine);
// Leaves to a launch that moves only the device that it moves to.
void move_whole(Task& task, int device);
// It is not offered to the policy.
bool stays_home(const PlannedTask& task, const Machine& machine);

// Where the bytes lie that the tasks find, of buffers they need some of.
std::vector<ByteRanges> places(const std::vector<PlannedTask>& tasks, const Machine& machine,
                               const BufferOf& buffer_of);

}  // namespace mkmd::planning
