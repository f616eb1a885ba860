// SPDX-License-Identifier: Apache-2.0
// The last step of planning: a plan becomes actions, in the program's order. An action waits for earlier ones
// that touch the same bytes in the same memory. Transfers make bytes valid in the memories where actions need
// them.
#pragma once

#include "libinterpose/capture/epoch.hpp"
#include "libinterpose/capture/estimates.hpp"
#include "libinterpose/commands/command.hpp"
#include "libinterpose/planning/plan.hpp"

#include <map>

namespace mkmd {

struct RemoteMemory;
struct UpdatesApart;

// Of one memory other than home's: pieces of a launch that update copies there.
struct PiecesApart {
  void add(const planning::Piece& piece, Action& action);

  std::shared_ptr<UpdatesApart> copies;
  Ref<Action> begin;  // fills them
  std::vector<compiler::GroupBox> boxes;
  BufferUses reads;
  BufferUses kept;  // what pieces change in place, which is at home as it was before until the merge is over
};

// The lane that takes bytes of that memory to the host's, also where there is one memory.
Lane& reader(const Domains& domains, Executor& executor, int domain);

// With the executor's mutex held.
class Lowering {
public:
  // The plan is of the window's first commands; both must outlive this. `losses`: null where no device can
  // fail.
  Lowering(Session& session, const Domains& domains, Estimates& estimates, Executor& executor, Losses* losses,
           Epoch& epoch, const planning::Machine& machine, planning::Plan& plan,
           const std::vector<Ref<Command>>& window);

  // Makes the actions. After every few commands it calls `some` with those made since, which may release the
  // mutex. Devices can then begin with the plan's first actions (Gate::hold_from says up to which).
  void emit(const std::function<void(const std::vector<Ref<Action>>& made)>& some);

private:
  void emit(size_t i) REQUIRES(executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const KernelCommand& kernel)
      REQUIRES(executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const ReadCommand& read) REQUIRES(executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, WriteCommand& write) REQUIRES(executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const MarkerCommand& marker)
      REQUIRES(executor_.mutex());
  std::vector<std::vector<cl_mem>> places_of(planning::PlannedTask& of, const KernelLaunch& launch)
      REQUIRES(executor_.mutex());
  Ref<Action> new_piece(const planning::PlannedTask& of, const planning::Piece& piece, Command& command,
                        const KernelCommand& kernel, std::vector<cl_mem> memories)
      REQUIRES(executor_.mutex());
  Ref<Action> new_action(Lane& lane, Command* command, Action::Work work) REQUIRES(executor_.mutex());
  std::vector<RegionMap::Source> sources(int domain, Memory& root, const ByteRanges& missing) const;
  void make_valid(int domain, Memory& root, const ByteRanges& ranges) REQUIRES(executor_.mutex());
  static void order_uses(int domain, const BufferUses& uses, Action& action);
  void record_uses(int domain, const BufferUses& uses, Action& action) REQUIRES(executor_.mutex());
  RemoteMemory remote(int domain, const BufferUses& uses) const;

  // lower_losses.cpp
  bool may_begin(planning::PlannedTask& of, Command& command) REQUIRES(executor_.mutex());
  void will_use(const std::vector<planning::Piece>& pieces) REQUIRES(executor_.mutex());
  void overwrite_home(Memory& root, const ByteRanges& ranges) REQUIRES(executor_.mutex());

  // lower_updates.cpp
  using AllApart = std::map<int, PiecesApart>;  // by domain
  AllApart begin_apart(const planning::PlannedTask& of, Command& command) REQUIRES(executor_.mutex());
  void merge(AllApart& all, const KernelCommand& kernel, Command& command,
             const std::vector<Ref<Action>>& pieces) REQUIRES(executor_.mutex());

  // lower_copies.cpp
  struct Share;
  struct Made;
  void emit(planning::PlannedTask& of, Command& command, const CopyCommand& copy) REQUIRES(executor_.mutex());
  void emit(planning::PlannedTask& of, Command& command, const FillCommand& fill) REQUIRES(executor_.mutex());
  std::vector<Share> shares_of(const planning::PlannedTask& of, Memory& destination, const CopyCommand* copy);
  void emit_shares(const std::vector<Share>& shares, Command& command, Memory& destination,
                   const std::function<Made(const Share&)>& make) REQUIRES(executor_.mutex());

  double order_of(size_t place) const { return first_order_ + static_cast<double>(place); }

  Session& session_;
  const Domains& domains_;
  Estimates& estimates_;
  Executor& executor_;
  Losses* const losses_ PT_GUARDED_BY(executor_.mutex());
  Epoch& epoch_ GUARDED_BY(executor_.mutex());
  const planning::Machine& machine_;
  planning::Plan& plan_;
  const std::vector<Ref<Command>>& window_;
  const double first_order_;
  double order_ = 0;               // of the actions being emitted
  uint64_t emitting_ = 0;          // the command's number in traces
  std::vector<Ref<Action>> made_;  // since `some` was called
};

}  // namespace mkmd
