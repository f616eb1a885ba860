// SPDX-License-Identifier: Apache-2.0
// A Command is one captured clEnqueue*. It is a snapshot of everything it needs, so that the program may
// change arguments and release objects at once (Rule 12 of docs/architecture.md). It is complete when its
// own actions are complete and every command that the program ordered before it is. Byte ranges decide when
// its actions may run.
#pragma once

#include "compiler/footprint.hpp"
#include "libinterpose/execution/action.hpp"
#include "libinterpose/memory/inspection.hpp"
#include "libinterpose/memory/journal.hpp"
#include "libinterpose/objects/objects.hpp"
#include "libinterpose/planning/window.hpp"
#include "libinterpose/timing/launch_facts.hpp"
#include "libinterpose/timing/profitability.hpp"
#include "libinterpose/timing/time_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace mkmd {

// A kernel launch as the program asked for it, local size chosen.
struct KernelLaunch {
  Ref<Kernel> kernel;
  std::shared_ptr<const KernelArguments> arguments;
  compiler::Launch shape;
  std::shared_ptr<const LaunchFacts> facts;
  std::shared_ptr<const Inspection> inspection;  // of its index buffers; may be null
  std::array<uint64_t, 3> groups{1, 1, 1};

  uint64_t group_count() const { return groups[0] * groups[1] * groups[2]; }
  compiler::GroupBox whole() const { return {{0, 0, 0}, groups}; }
};

// Commands that were planned together, until the last one is complete.
struct WindowUnderWay {
  timing::Window facts;
  cl_ulong began = 0;                 // when planning did; nanoseconds of the host's clock
  Ref<Action> entry;                  // of the captured regime, behind what was under way then; may be null
  uint64_t first = 0;                 // the number of its first command
  size_t unfinished = 0;              // commands
  cl_ulong ended = 0;                 // the last of their actions so far, on the clock that actions have
  std::vector<double> alone = {};     // seconds that its kernels would take on each device alone
  std::vector<double> measured = {};  // of these: where the kernel has run
};

// What the program has asked for: one alternative each, in the order of planning::CommandKind.
struct KernelCommand {
  KernelLaunch launch;
  LaunchCost cost = {};
  // It is a part of the launch that shows how long another device takes; the device is -1 otherwise.
  timing::Rivalry::Sample sample = {.device = -1};
  // After a device has failed: only these work-groups are to be executed (again), at home. Empty: all.
  std::vector<compiler::GroupBox> redo = {};
};

// Where the bytes of a command begin in a memory object.
struct Place {
  Ref<Memory> memory;
  size_t offset = 0;
  Memory& root() const { return *memory->root(); }
  uint64_t in_root() const { return memory->origin + offset; }
};

struct ReadCommand {
  Place source;
  size_t size;
  void* host;
  // After a loss: only these bytes of the root buffer are still to be read. Empty: all.
  ByteRanges redo = {};
};

struct WriteCommand {
  Place destination;
  size_t size;
  const void* host;
  // Where a device may be lost, the bytes, since the write is submitted. The write may have to be done
  // again when the program's memory holds others.
  using Kept = std::vector<unsigned char>;
  std::shared_ptr<Kept> kept = {};

  void keep() const {
    if (kept && kept->empty())
      kept->assign(static_cast<const unsigned char*>(host), static_cast<const unsigned char*>(host) + size);
  }
  const void* bytes() const { return kept ? kept->data() : host; }
};

struct CopyCommand {
  Place source, destination;
  size_t size;
  // From a byte of the destination's root to that of the source's, modulo 2^64.
  uint64_t source_ahead() const { return source.in_root() - destination.in_root(); }
};

struct FillCommand {
  Place destination;
  size_t size;
  std::vector<unsigned char> pattern;
};

struct MarkerCommand {
  bool is_barrier = false;  // later commands of the queue wait for it, too
};

// A visitor made of one function for each alternative.
template <typename... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

// This class has more than 15 fields: what was asked for, the program's order, and progress, of which traces
// tell.
class Command : public ActionOwner {
public:
  using Kind = planning::CommandKind;
  using What =
      std::variant<KernelCommand, ReadCommand, WriteCommand, CopyCommand, FillCommand, MarkerCommand>;

  Command(What what, Queue* queue) : what(std::move(what)), queue(queue) {}

  What what;
  uint64_t sequence = 0;  // its place among all captured commands of the process
  uint64_t number =
      0;  // what traces call it: the same, but another one when it is planned again after a loss
  const Ref<Queue> queue;
  Ref<Event> event;               // null if the program did not ask for one
  std::vector<Ref<Event>> waits;  // the events of its wait list that had not ended when it was captured
  bool eager = false;             // its end is told at once: it has an event, or its queue is waited for

  Kind kind() const { return static_cast<Kind>(what.index()); }
  // Null if it is no kernel.
  KernelCommand* kernel() { return std::get_if<KernelCommand>(&what); }
  const KernelCommand* kernel() const { return std::get_if<KernelCommand>(&what); }
  // What it makes, any device can make in its own memory: a fill or a copy.
  bool can_be_made_anywhere() const {
    return std::holds_alternative<CopyCommand>(what) || std::holds_alternative<FillCommand>(what);
  }
  // After it is complete, too: what it needs of the program's own memory is kept, and it makes nothing there.
  bool is_repeatable() const {
    const auto* const write = std::get_if<WriteCommand>(&what);
    return kernel() != nullptr || can_be_made_anywhere() || (write != nullptr && write->kept);
  }

  // Progress; guarded by the executor's mutex.
  int pending = 1;  // incomplete actions and predecessors, and one until it is planned
  bool planned = false;
  bool done = false;
  cl_int status = CL_SUCCESS;
  cl_ulong queued = 0, submitted = 0, started = 0, ended = 0;  // nanoseconds of the home's clock
  cl_ulong not_before = 0;  // the latest end of what the program ordered before it
  std::vector<Ref<Command>> successors;
  std::shared_ptr<WindowUnderWay> window;  // null: no outcome of it is wanted

  // The error that its wait list gives it (OpenCL 3.0, 5.11). All events of the list have ended, and of
  // native ones action_ended() has asked the driver.
  cl_int error_of_waits() const {
    const auto has_failed = [](const Ref<Event>& event) {
      return !event->native && event->status.load(std::memory_order_acquire) < 0;
    };
    const bool failed = native_wait_failed_.load(std::memory_order_acquire) ||
                        std::any_of(waits.begin(), waits.end(), has_failed);
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
  }
  bool waits_for_native() const {
    return std::any_of(waits.begin(), waits.end(), [](const Ref<Event>& event) { return !!event->native; });
  }

  // Its actions come after all native commands before it. So native events of its wait list have ended.
  void action_ended() override {
    for (const Ref<Event>& event : waits) {
      if (event->native && vendor::execution_status(event->native.get()) < 0)
        native_wait_failed_.store(true, std::memory_order_release);
    }
  }
  void announce() override {
    if (event) event_status_changed(*event);
  }

private:
  std::atomic<bool> native_wait_failed_{false};
};

// What the journal keeps of a part of a command, or of one that ran natively.
struct CommandDeed : Deed {
  Ref<Command> command;        // null: native
  Ref<Memory> written;         // native
  compiler::GroupBox box;      // kernel
  std::vector<Memory*> roots;  // of `uses`; kept alive by `command` or `written`
};

// The command of which an action is a part; each action here has one.
inline Command& command_of(const Action& action) {
  return static_cast<Command&>(*action.origin.owner);
}

}  // namespace mkmd
