// SPDX-License-Identifier: Apache-2.0
// An Action is a unit of work of a real device or a copying thread. Examples are a piece of a kernel, a
// transfer, and a read into the program's memory. Actions wait for actions. A Lane carries actions out in
// the plan's order. An asynchronous lane is a vendor's queue: threads that call the runtime submit to it. A
// helped lane is one, too. Its driver computes with the threads that wait, so a thread of its own waits for
// the queue. A threaded lane has its own thread, because its driver executes synchronously, or because its
// transfers block.
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

// The command of which an action is a part. The executor knows nothing else of it.
class ActionOwner {
public:
  virtual ~ActionOwner() = default;
  // Called without any mutex when one of its actions has ended, before the executor's mutex is taken for that
  // end. Several threads may call it.
  virtual void action_ended() {}
  // Called once, without any mutex, after Graveyard::announce_later().
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
  // The work is called without any mutex, by the lane's thread or by Feeder::pump(). `waits` are vendor
  // events of the lane's context. On a lane that is a queue it enqueues a command and returns the
  // command's event. On a threaded lane the action is over when the work returns.
  struct Outcome {
    cl_int status = CL_SUCCESS;
    vendor::Owned<cl_event> event;
    bool begun = false;  // bytes may have been written, even if the status is an error
  };
  using Work = std::function<Outcome(const std::vector<cl_event>& waits)>;

  Action(Lane& lane, ActionOwner* owner, Work work);
  ~Action() override;

  // Makes the same work for other lanes.
  struct Elsewhere {
    // For another lane of the same vendor context. Null: the action has to stay on its lane.
    std::function<Work(Lane&)> moved;
    // The seconds that a movable action takes on that lane. Infinity: it may not run there.
    std::function<double(const Lane&)> seconds_on;
    // For the lane of repairs, which is home's. Null: the action cannot be repeated.
    std::function<Work(Lane&)> redo;
  };

  // The objects that an incomplete action holds. A region map keeps complete actions, too, for the order.
  // These hold nothing: otherwise a buffer would keep itself alive through its last writer. Objects are
  // released without the executor's mutex, because the release of a last reference may call a driver.
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

  int works_in() const;  // the domain whose bytes it uses
  bool is_part() const { return piece.seconds > 0; }
  bool complete() const override { return state == State::complete; }
  bool same_owner(const Ordered& other) const override;

  Lane* lane;
  // Its place in the plan's order. Of a lane's ready actions the smallest starts first.
  double order = 0;
  Work work;
  // The bytes that it uses in its lane's memory. A use without a root is of host memory, by address.
  BufferUses uses;

  struct Origin {
    Ref<ActionOwner> owner;                // null for transfers, on the program's lane, and when complete
    const char* what = "a transfer";       // its name in messages
    std::atomic<int>* of_queue = nullptr;  // the queue's counter like Lane::unposted; the owner keeps it
  } origin;

  // Set for kernel pieces. The time model and the summary read it.
  struct Piece {
    int device = -1;
    uint64_t groups = 0;
    bool ours = false;                   // it runs a sub-kernel, not the program's own code
    double share = 0;                    // of the launch's work-groups
    double bytes = 0;                    // that it moves through memory, at least
    int sharing = 1;                     // devices of the memory that run pieces of the same launch
    bool alone = false;                  // its device runs all of the launch
    std::array<uint64_t, 3> lo{}, hi{};  // the work-groups
    double seconds = 0;                  // predicted; set for parts of long pieces (Rule 18)
  } piece;

  // Set for transfers between memories, or into the program's.
  struct Transfer {
    uint64_t bytes = 0;
    int from_domain = 0;
    uint64_t buffer = 0;    // the number of the buffer it moves
    uint64_t consumer = 0;  // number of the command it is made for
    // Set for transfers between memories: the bytes, and what makes the work for some of them.
    ByteRanges ranges;
    std::function<Work(const ByteRanges&)> some;
    Ref<Memory> memory;          // the root buffer; null when the transfer is complete
    History* history = nullptr;  // of that buffer in the journal; null where no device can be lost
  } transfer;

  Elsewhere elsewhere;

  struct Loss {
    // Its line in the journal (capture/recovery.cpp). Null where no device can be lost.
    std::shared_ptr<Deed> deed;
    bool device_lost = false;  // it has not run to its end, because a device or a memory is lost
    int repaired_in = -1;      // the domain for which home repeats it; -1: its lane's
  } loss;

  enum class State { waiting, ready, submitting, submitted, complete };
  State state = State::waiting;
  cl_int status = CL_SUCCESS;

  // Its state in the driver.
  struct Driver {
    vendor::Owned<cl_event> native;  // until it is complete
    int calls = 0;                   // driver calls under way that use its event
    bool begun = false;              // it may have written bytes, even if it failed or its device is lost
    bool over = false;               // the driver has ended it; its predecessors may be incomplete
    bool spoiled = false;            // it may have read bytes that a failed predecessor should have written
    std::atomic<bool> heard{false};  // a thread has taken the event's end to the posts
  } driver;

  // Nanoseconds of the home's clock.
  struct Times {
    cl_ulong ready = 0;               // when its inputs were there and its plan was made
    cl_ulong started = 0, ended = 0;  // known when complete
  } times;

  // Its place among other actions.
  struct Edges {
    int blockers = 0;  // predecessors that still keep it from being ready
    // Its work begins when it is submitted, and not when the driver runs it. So what wait_for() names while
    // this is set is over by then.
    bool begins_when_submitted = false;
    // Predecessors in the same vendor context. The driver waits for their events.
    std::vector<Ref<Action>> chained;
    std::vector<Ref<Action>> followers;       // the actions that have this one in `chained`
    std::vector<Ref<Action>> on_submit;       // the actions that its submission unblocks
    std::vector<Ref<Action>> on_complete;     // the actions that its completion unblocks
    std::atomic<bool> awaited{false};         // on_complete is not empty
    std::vector<const Action*> predecessors;  // compared, never dereferenced: one edge for each
  } edges;

private:
  void unchain(Action& other);
};

class Lane {
public:
  enum class Kind { asynchronous, helped, threaded };
  Lane(Kind kind, int device, int domain, cl_context native_context, vendor::OwnQueue queue)
      : kind(kind), device(device), domain(domain), native_context(native_context), queue(std::move(queue)) {}

  // Whether the driver can order an action of this lane after one of the other lane, by the latter's event. A
  // lane without a context chains with none.
  bool chains_with(const Lane& other) const {
    return is_queue() && other.is_queue() && native_context == other.native_context &&
           native_context != nullptr;
  }

  bool is_queue() const { return kind != Kind::threaded; }
  bool transfers() const { return device < 0; }

  const Kind kind;
  const int device;  // lane index (Configuration::lane_device); -1 for a transfer lane
  const int domain;
  const cl_context native_context;
  const vendor::OwnQueue queue;
  struct Code {
    size_t place = 0;            // the index of its CodePlace
    bool by_offset = false;      // it is built with kByOffset (compiler/build_options.hpp)
    std::string repair_options;  // the build options on the lane of repairs
  } code;                        // for pieces

  struct Earlier {
    bool operator()(const Ref<Action>& a, const Ref<Action>& b) const { return a->order < b->order; }
  };
  std::multiset<Ref<Action>, Earlier> ready;
  std::vector<const Action*> to_come;  // a transfer lane's actions that are not ready
  // After actions were given to its device. A helped lane is to be waited for when it is flushed.
  enum class Due : uint8_t { nothing, flush, help };
  Due due = Due::nothing;
  Ref<Action> sending;                 // the transfer under way, where ports are exclusive
  int64_t clock_offset = 0;            // its device's clock minus the host's, nanoseconds; 0: not known
  std::vector<Ref<Action>> under_way;  // actions that the driver or the thread has and has not ended
  int parts_in_flight = 0;             // those of them that are parts of long pieces
  std::atomic<int> unposted{0};        // submitted actions whose end the driver has not reported
};

}  // namespace mkmd
