// SPDX-License-Identifier: Apache-2.0
// The Planner turns a window of captured commands into actions. It makes the kernel graph, asks the
// scheduling policy which share of each kernel goes to which device, proves each split safe with the pieces'
// own byte ranges (Rule 5), and adds the transfers that bring every piece what it needs. Lives for one flush;
// a runtime has one at a time.
#pragma once

#include "libinterpose/memory/buffer_use.hpp"
#include "libinterpose/runtime/runtime.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/problem.hpp"
#include "scheduler/schedule.hpp"

#include <optional>

namespace mkmd {

struct RemoteMemory;

// Of a part of a long piece (Rule 18).
inline constexpr double kShortestPart = 1e-3;  // seconds

// To policies, fills and copies consist of blocks of so many bytes.
inline constexpr uint64_t kCopiedAtOnce = 4096;

// Sets of more blocks are handled as their hulls.
inline constexpr size_t kFewBlocks = 16;

// What work-groups with these footprints do to their buffers; null: anything may happen to every buffer.
BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints);

// The same of the work-groups in `box`.
BufferUses buffer_uses(const KernelArguments& arguments, const LaunchFacts& facts,
                       const compiler::GroupBox& box, size_t most_blocks);

// Neither writes what the other touches.
bool independent(const BufferUses& a, const BufferUses& b);

// Along which dimension a launch may be split, if along any, and what its first half there does.
struct Cut {
  int dimension = -1;
  BufferUses first_half;
};
Cut best_cut(const KernelArguments& arguments, const LaunchFacts& facts);

// Rule 11: only then are results the same to the last bit.
bool shares_code_generator(const vendor::Device& a, const vendor::Device& b);

class Planner {
public:
  // `at_home`: every kernel runs there, so that it is known how long they take.
  explicit Planner(Runtime& runtime, bool at_home = false);
  // Of the window's first commands, as many as can be looked at in a short time: the devices wait for what is
  // planned. Says how many. Looks at what only planners change: the runtime's mutex need not be held.
  size_t plan(const std::vector<Ref<Command>>& window);
  // Makes the plan's actions, in the program's order; with the mutex held. `some` is called after every few
  // commands, and the mutex may be let go of there: devices can begin with what comes first in the plan
  // (Executor::hold_from says up to where).
  void emit(const std::function<void()>& some);

private:
  struct Piece {
    int device = 0;
    compiler::GroupBox box;
    BufferUses uses;
    double seconds = 0;  // predicted; of parts of long pieces only
    double start = 0;    // where the plan puts it
    double order = 0;    // its place among all of the plan
  };
  // Bytes of a fill's or copy's destination that the window needs in the memory of a device.
  struct Wanted {
    int device = 0;
    ByteRange bytes;
  };
  struct Task {
    Command* command = nullptr;
    const LaunchFacts* footprints = nullptr;  // of kernels our compiler understands
    BufferUses whole;
    BufferUses first_half;        // along `cut`
    int cut = -1;                 // the dimension it may be split along; -1: not at all
    std::vector<double> seconds;  // by device
    double at_home = 0;           // seconds, whole
    double bytes = 0;             // that it must move to and from memory; 0: they may stay in caches
    std::vector<Piece> pieces;
    std::vector<Wanted> wanted;       // of a fill or copy
    double start = 0;                 // where the plan puts its first piece
    double order = 0;                 // of a command without pieces; see first_order()
    bool left_alone = false;          // capturing such launches has lost time
    bool as_before = false;           // in pieces whose code has run; see repeat()
    const char* not_split = nullptr;  // why a split is not offered to the policy, or not made
    double first_order() const;       // of its actions
  };

  struct PlannedSource {
    int domain;
    double lo, hi;  // shares of the buffer
  };
  using PlannedSources =
      std::map<std::pair<uint64_t, int>, std::vector<PlannedSource>>;  // buffer, destination
  friend class KeptPlans;

  // planner.cpp
  void make_plan(const std::vector<Ref<Command>>& window);
  void analyse(Task& task);
  bool understands(const Kernel& kernel) const;  // its code, and has code for its pieces
  bool is_left_alone(const Task& task, const KernelModel& model) const;
  bool is_tried_again(const Task& task, const KernelModel& model) const;
  void enter_trial(const Task& task, KernelModel& model) const;
  static void find_cut(Task& task);
  // Few blocks are enough, but to show that pieces are independent.
  static BufferUses uses_of(const Task& task, const compiler::GroupBox& box, size_t most_blocks);
  static void find_uses(Task& task, size_t most_blocks);  // of its pieces
  bool has_room(const Command& command, int device) const;
  // Long, and not to be split by us: runs on the whole of which the devices are parts (Rule 14).
  bool on_whole(const Task& task) const;
  bool stays_home(const Task& task) const;
  void assign(const scheduler::Schedule& schedule);
  static double memory_bytes(const Task& task);
  std::optional<double> profiled_gain(const Task& task) const;
  bool bandwidth_allows_gain(const Task& task) const;
  void assign_home();
  static void assign_home(Task& task);
  static void repeat(Task& task);  // runtime/at_exit.cpp
  void keep_cuts(Task& task);
  static void cut_in_parts(Task& task);
  void put_in_order();
  void note_planned_sources(const scheduler::Schedule& schedule);
  bool split_is_safe(const Task& task) const;
  bool coarsen(BufferUses& uses) const;
  bool coarsen_pieces(Task& task) const;

  // fill_copy.cpp
  bool follows_bytes(const Task& task) const;
  double seconds_to_make(const Command& command, int device) const;
  void find_wanted();
  struct Share;
  std::vector<Share> shares_of(const Task& task);
  void emit_fill_or_copy(Task& task);

  // kept_plans.cpp
  bool take_over(const std::vector<Ref<Command>>& window);
  void keep();
  bool still_holds(const std::vector<Task>& tasks) const;
  std::vector<ByteRanges> places(const std::vector<Task>& tasks) const;

  // graph.cpp
  scheduler::Problem make_problem() const;
  void add_links(scheduler::Problem& problem) const;

  // trace_plan.cpp; only while tracing
  void trace_plan(const scheduler::Schedule* schedule, double planning_seconds) const;

  // emit.cpp
  void emit(Task& task);
  bool doomed(Task& task);
  void journal(Action& action, const BufferUses& uses, const compiler::GroupBox& box = {});
  void emit_kernel(Task& task);
  void emit_read(Task& task);
  void emit_write(Task& task);
  Ref<Action> new_action(Lane& lane, Command* command, Action::Work work);
  std::vector<RegionMap::Source> sources(int domain, Memory& root, const ByteRanges& missing) const;
  void make_valid(int domain, Memory& root, const ByteRanges& ranges);
  static void order_uses(int domain, const BufferUses& uses, Action& action);
  void record_uses(int domain, const BufferUses& uses, Action& action);
  RemoteMemory remote(int domain, const BufferUses& uses) const;
  std::vector<cl_mem> memories_in(int domain, const KernelLaunch& launch) const;

  Runtime& runtime_;
  const bool at_home_;
  const bool repeats_;  // drivers may have no compilers any more
  // Where all devices share one memory and none can fail, byte sets only order commands and show that pieces
  // are independent.
  const bool order_only_;
  std::vector<Task> tasks_;
  bool taken_over_ = false;  // from an earlier window
  std::optional<scheduler::Schedule> schedule_;
  PlannedSources planned_sources_;
  // What it is made for: commands (none if it is not to be kept), and where the bytes lie that they find.
  std::vector<uint64_t> words_;
  std::vector<ByteRanges> places_;
  double order_ = 0;       // of the actions being emitted
  uint64_t emitting_ = 0;  // the command's number in traces
};

// The number of a root buffer in graphs and traces. For the runtime's planner, or with its mutex held.
uint64_t buffer_number(const Memory& root);

// The policy the settings name; null if it is unknown (one log line).
const scheduler::Policy* chosen_policy();

}  // namespace mkmd
