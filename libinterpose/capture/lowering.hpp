// SPDX-License-Identifier: Apache-2.0
// The last step of planning: a plan becomes actions, in the program's order, each waiting for those before it
// that touch the same bytes in the same memory, and the transfers that make bytes valid where they are
// needed.
#pragma once

#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/planning/plan.hpp"

namespace mkmd {

struct RemoteMemory;

// With the runtime's mutex held.
class Lowering {
public:
  // The plan is of the window's first commands; both must outlive this.
  Lowering(Runtime& runtime, planning::Plan& plan, const std::vector<Ref<Command>>& window);

  // Makes the actions. `some` is called after every few commands, and the mutex may be let go of there:
  // devices can begin with what comes first in the plan (Executor::hold_from says up to where).
  void emit(const std::function<void()>& some);

private:
  void emit(size_t i) REQUIRES(runtime_.executor_.mutex());
  bool doomed(const planning::PlannedTask& of, Command& command) REQUIRES(runtime_.executor_.mutex());
  void journal(Action& action, const BufferUses& uses, const compiler::GroupBox& box = {})
      REQUIRES(runtime_.executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const KernelCommand& kernel)
      REQUIRES(runtime_.executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const ReadCommand& read)
      REQUIRES(runtime_.executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const WriteCommand& write)
      REQUIRES(runtime_.executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const MarkerCommand& marker)
      REQUIRES(runtime_.executor_.mutex());
  std::vector<std::vector<cl_mem>> places_of(planning::PlannedTask& of, const KernelLaunch& launch)
      REQUIRES(runtime_.executor_.mutex());
  Ref<Action> new_piece(const planning::PlannedTask& of, const planning::Piece& piece, Command& command,
                        const KernelCommand& kernel, std::vector<cl_mem> memories)
      REQUIRES(runtime_.executor_.mutex());
  Ref<Action> new_action(Lane& lane, Command* command, Action::Work work)
      REQUIRES(runtime_.executor_.mutex());
  std::vector<RegionMap::Source> sources(int domain, Memory& root, const ByteRanges& missing) const;
  void make_valid(int domain, Memory& root, const ByteRanges& ranges) REQUIRES(runtime_.executor_.mutex());
  static void order_uses(int domain, const BufferUses& uses, Action& action);
  void record_uses(int domain, const BufferUses& uses, Action& action) REQUIRES(runtime_.executor_.mutex());
  RemoteMemory remote(int domain, const BufferUses& uses) const;
  std::vector<cl_mem> memories_in(int domain, const KernelLaunch& launch) const;

  // lower_copies.cpp
  struct Share;
  struct Made;
  void emit(planning::PlannedTask& of, Command& command, const CopyCommand& copy)
      REQUIRES(runtime_.executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const FillCommand& fill)
      REQUIRES(runtime_.executor_.mutex());
  std::vector<Share> shares_of(const planning::PlannedTask& of, Memory& destination, const CopyCommand* copy);
  void emit_shares(const std::vector<Share>& shares, Command& command, Memory& destination,
                   const std::function<Made(const Share&)>& make) REQUIRES(runtime_.executor_.mutex());

  double order_of(size_t place) const { return first_order_ + static_cast<double>(place); }

  Runtime& runtime_;
  planning::Plan& plan_;
  const std::vector<Ref<Command>>& window_;
  const double first_order_;
  double order_ = 0;       // of the actions being emitted
  uint64_t emitting_ = 0;  // the command's number in traces
};

}  // namespace mkmd
