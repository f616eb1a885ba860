// SPDX-License-Identifier: Apache-2.0
// An Action is one thing a real device or a copying thread does: a piece of a kernel, a transfer, a read into
// the program's memory. Actions wait for actions; a Lane carries them out in the order the plan gives. A Lane
// is a vendor queue fed by whoever calls the runtime, or a thread of its own (a driver that executes
// synchronously, and transfers, which block).
#pragma once

#include "common/byte_ranges.hpp"
#include "libinterpose/memory/buffer_use.hpp"
#include "libinterpose/memory/ordered.hpp"
#include "libinterpose/objects/object.hpp"
#include "libinterpose/vendor/own_queue.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mkmd {

class Lane;
class Memory;
struct Deed;
struct History;

// What an action is a part of: its maker's. The maker hears of every completion (ExecutionObserver).
class ActionOwner {
public:
  virtual ~ActionOwner() = default;
  // Called without any mutex, when one of its actions has ended, before anybody hears of that. Several
  // threads may call it.
  virtual void action_ended() {}
  // Called once it is over, without any mutex, if that was asked for (Graveyard::announce_later).
  virtual void announce() {}

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

private:
  std::atomic<uint32_t> references_{0};
};

class Action final : public Ordered {
public:
  // What to do, called outside every lock on the lane's thread or the pumping one. `waits` are vendor events
  // of the lane's own context. An asynchronous lane's action gives the event of what it enqueued; a threaded
  // lane's action is done when it returns. The cl_int is the outcome.
  struct Outcome {
    cl_int status = CL_SUCCESS;
    vendor::Owned<cl_event> event;
    bool begun = false;  // though it failed, it may have been under way
  };
  using Work = std::function<Outcome(const std::vector<cl_event>& waits)>;

  Action(Lane& lane, ActionOwner* owner, Work work);
  ~Action() override;

  // How it is done on other lanes.
  struct Elsewhere {
    // Makes its work for another lane of the same vendor context; null if it has to stay where it is.
    std::function<Work(Lane&)> moved;
    // Of an action that may be moved: seconds it takes on that lane; infinity if it may not run there.
    std::function<double(const Lane&)> seconds_on;
    // Makes its work for the lane of repairs, which is home's; null if it is not to be done again.
    std::function<Work(Lane&)> redo;
  };

  // What it holds while it is incomplete. Region maps and others may keep a complete action for its place in
  // the order: then it must hold nothing, or a buffer would keep itself alive by its last writer. The runtime
  // gives these back without its mutex: each may be the last reference to an object, or call a driver.
  struct Held {
    Ref<ActionOwner> owner;
    Ref<Memory> memory;
    vendor::Owned<cl_event> native;
    Work work;
    Elsewhere elsewhere;
    BufferUses uses;
    std::shared_ptr<Deed> deed;
  };
  Held let_go();

  // This action may not start before `other` is complete. Both belong to one executor; its mutex is held.
  void wait_for(Ordered& other) override;

  int works_in() const;  // the memory
  bool is_part() const { return piece.seconds > 0; }
  bool complete() const override { return state == State::complete; }
  bool same_owner(const Ordered& other) const override;

  Lane* lane;
  // Where the plan wants it among the lane's ready actions: smaller first.
  double order = 0;
  Work work;
  // What it touches in its lane's memory. A use without a root is of the program's own memory, by address.
  BufferUses uses;

  struct Origin {
    Ref<ActionOwner> owner;                // null for transfers, on the program's lane, and when complete
    const char* what = "a transfer";       // in messages
    std::atomic<int>* of_queue = nullptr;  // its queue's, as Lane::unposted; its owner keeps it
  } origin;

  // For the time model and the summary: set for kernel pieces.
  struct Piece {
    int device = -1;
    uint64_t groups = 0;
    bool ours = false;                   // a sub-kernel, not the program's own code
    double share = 0;                    // of the launch's work-groups
    double bytes = 0;                    // through memory, at least
    int sharing = 1;                     // devices of the memory that run pieces of the same launch
    std::array<uint64_t, 3> lo{}, hi{};  // the work-groups
    double seconds = 0;                  // predicted; set for parts of long pieces (Rule 18)
  } piece;

  // Set for transfers between memories, or into the program's.
  struct Transfer {
    uint64_t bytes = 0;
    int from_domain = 0;
    uint64_t buffer = 0;    // the number of the buffer it moves
    uint64_t consumer = 0;  // number of the command it is made for
    // Of one between memories: what it moves, and the work of moving some of that.
    ByteRanges ranges;
    std::function<Work(const ByteRanges&)> some;
    Ref<Memory> memory;          // the root buffer, until it is complete
    History* history = nullptr;  // where devices can fail: the journal's lines of that buffer
  } transfer;

  Elsewhere elsewhere;

  struct Loss {
    // Where devices can fail: the journal's line of it; see capture's recovery.cpp.
    std::shared_ptr<Deed> deed;
    bool device_lost = false;  // it has not run, because a device or a memory is gone
    int repaired_in = -1;      // the memory for which home does it again; -1: its lane's
  } loss;

  enum class State { waiting, ready, submitting, submitted, complete };
  State state = State::waiting;
  cl_int status = CL_SUCCESS;

  // What its driver has of it.
  struct Driver {
    vendor::Owned<cl_event> native;  // until it is complete
    int calls = 0;                   // under way without the executor's mutex, that use its event
    bool begun = false;              // though it failed, or its device is lost, it may have been under way
    bool over = false;               // the driver is done with it; what it came after may not be
    bool spoiled = false;  // it may have run on bytes that an earlier action, which failed, was to write
    std::atomic<bool> heard{false};  // the event has ended, and somebody has posted that
  } driver;

  // Nanoseconds of the home's clock.
  struct Times {
    cl_ulong ready = 0;               // when its inputs are there, and its plan is made
    cl_ulong started = 0, ended = 0;  // known when complete
  } times;

  // Its place among other actions.
  struct Edges {
    int blockers = 0;  // what still keeps it from being ready
    // Earlier actions of the same vendor context: their events are waited for. Kept until it is complete.
    std::vector<Ref<Action>> chained;
    std::vector<Ref<Action>> followers;       // those that have this one in `chained`
    std::vector<Ref<Action>> on_submit;       // to unblock when this is submitted
    std::vector<Ref<Action>> on_complete;     // to unblock when this is complete
    std::atomic<bool> awaited{false};         // there is something in on_complete
    std::vector<const Action*> predecessors;  // to wait for each once; compared, never followed
  } edges;
};

class Lane {
public:
  enum class Kind { asynchronous, threaded };
  Lane(Kind kind, int device, int domain, cl_context native_context, vendor::OwnQueue queue)
      : kind(kind), device(device), domain(domain), native_context(native_context), queue(std::move(queue)) {}

  // Whether an action here can be given the vendor event of one there instead of waiting for it on the host.
  // Nothing chains with a lane of no context.
  bool chains_with(const Lane& other) const {
    return kind == Kind::asynchronous && other.kind == Kind::asynchronous &&
           native_context == other.native_context && native_context != nullptr;
  }

  bool transfers() const { return device < 0; }

  const Kind kind;
  const int device;  // lane index (Configuration::lane_device); -1 for a transfer lane
  const int domain;
  const cl_context native_context;
  const vendor::OwnQueue queue;
  size_t code = 0;             // which of the runtime's places its sub-kernels are built for
  std::string repair_options;  // of the lane of repairs: its sub-kernels' own, built when first needed

  struct Earlier {
    bool operator()(const Ref<Action>& a, const Ref<Action>& b) const { return a->order < b->order; }
  };
  std::multiset<Ref<Action>, Earlier> ready;
  std::vector<const Action*> to_come;  // of a transfer lane: those that still wait for something
  bool to_flush = false;
  Ref<Action> sending;                 // the transfer under way, where ports are exclusive
  int64_t clock_offset = 0;            // its device's clock minus the host's, nanoseconds; 0: not known
  std::vector<Ref<Action>> under_way;  // what the driver has, or the thread, and has not completed
  int parts_in_flight = 0;             // those among them that are parts of long pieces
  std::atomic<int> unposted{0};        // those of which the driver has not said that they are complete
};

}  // namespace mkmd
