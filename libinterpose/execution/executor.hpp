// SPDX-License-Identifier: Apache-2.0
// The Executor carries actions out on lanes: each when those it waits for are complete, in the plan's order
// among those that are ready. What a helper fails at, home does again (Rule 20). It knows nothing of
// commands, plans and traces: its observer hears of every completion.
//
// Asynchronous lanes are fed by whoever calls pump(), one thread at a time; the others leave it their work.
// So a flush costs no thread switch. Threaded lanes have a thread each. Ends of actions only go into a list
// (Posts); whoever waits, or else the conductor thread, takes them from there.
//
// This class has more than 15 fields: the state of lanes, of failures and of threads changes under one mutex.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/execution/devices.hpp"
#include "libinterpose/execution/transfer_order.hpp"

#include <condition_variable>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace mkmd {

inline constexpr double kAllEmitted = std::numeric_limits<double>::infinity();

class Executor : private Devices::Listener {
public:
  class Observer {
  public:
    // With the mutex held. The action has its status and its times, and what waits for it may start.
    virtual void completed(Action& action) = 0;
    // With the mutex held, where losses are made good: the action has not run, or not to its end, because a
    // device or a memory is gone (Action::begun). Nothing new starts.
    virtual void lost(Action& action) = 0;
    // With the mutex held: after halt() or lost(), nothing runs any more. May call resume().
    virtual void halted() = 0;
    // Without the mutex, on the conductor's thread, some time after call_conductor().
    virtual void conduct() = 0;
    // From any thread: there is work that is not complete.
    virtual bool is_busy() const = 0;

  protected:
    ~Observer() = default;
  };

  struct Configuration {
    bool home_excludes_others = false;  // home is the whole of which the other devices are parts (Rule 14)
    bool makes_losses_good = false;     // the observer does; then nothing is done again at home
    bool has_threads = true;            // else whoever waits does their work
  };

  Executor(Observer& observer, Configuration configuration)
      : observer_(observer), configuration_(configuration) {}
  ~Executor() { stop(); }
  void stop();  // nothing is under way; ends its threads, so it may not run on one of them

  // What it works with; all before anything else. `home`: one of the lanes.
  void use(std::unique_ptr<Devices> devices) { devices_ = std::move(devices); }
  Lane& add(std::unique_ptr<Lane> lane);
  void set_home(Lane& home) { home_ = &home; }
  void set_repair(std::unique_ptr<Lane> lane) { repair_ = std::move(lane); }
  void set_program(std::unique_ptr<Lane> lane);

  Devices& devices() const { return *devices_; }
  const Lanes& lanes() const { return lanes_; }  // without that of repairs
  // Those that compute, by index of the device; last, where it is none of them, home.
  const std::vector<Lane*>& compute() const { return compute_; }
  Lane& home() const { return *home_; }
  Lane* repair() const { return repair_.get(); }
  // Its actions stand for commands in the program's own queues. What became of those is the program's
  // business: here they are over, and nothing more.
  Lane& program() const { return *program_; }

  // Guards all actions that are not complete, and the observer's things.
  Mutex& mutex() const RETURN_CAPABILITY(mutex_) { return mutex_; }

  // The error of an action that could neither be done nor done again: from then on nobody knows which bytes
  // are whole, so every later action has it.
  cl_int failed() const { return failed_.load(std::memory_order_acquire); }

  void push(Ref<Action> action) REQUIRES(mutex_);
  // Starts what may start. Lets go of the mutex while devices are called.
  void pump() REQUIRES(mutex_);
  // Actions of this order and after it do not start: earlier ones are not pushed yet. kAllEmitted: all may.
  void hold_from(double order) REQUIRES(mutex_);
  bool holds_back() const REQUIRES(mutex_) { return emitted_ < kAllEmitted; }
  int busy_lanes(int domain, const Lane* besides) const
      REQUIRES(mutex_);  // with `besides`, whatever that does

  void halt() REQUIRES(mutex_) { halted_ = true; }  // nothing starts
  bool is_halted() const REQUIRES(mutex_) { return halted_; }
  bool is_running() const REQUIRES(mutex_) { return running_ > 0; }  // an action, on a thread
  void resume() REQUIRES(mutex_);
  void drop_waiting() REQUIRES(mutex_);  // actions that are not under way are forgotten

  // What nobody needs any more, to be let go of without the mutex: the last reference to an object may be
  // among it.
  struct Dead {
    std::vector<Ref<ActionOwner>> owners;  // announce() is due
    std::vector<Action::Held> held;        // by actions that are complete, or dropped
    std::vector<std::shared_ptr<void>> others;
  };
  void announce_later(ActionOwner& owner) REQUIRES(mutex_) { graveyard_.owners.emplace_back(&owner); }
  void let_go_later(std::shared_ptr<void> what) REQUIRES(mutex_) {
    graveyard_.others.push_back(std::move(what));
  }
  Dead take_dead() REQUIRES(mutex_) { return std::exchange(graveyard_, {}); }
  static void bury(Dead dead);  // without the mutex

  bool start_threads()
      REQUIRES(mutex_);  // false if the system gives no more; nothing where it is to have none

  // With or without the mutex.
  void wake_waiters();    // something happened that they may wait for
  void call_conductor();  // Observer::conduct() is due
  // So many more (or fewer) wait for the completion of any action at once.
  void add_eager(int more) { eager_.fetch_add(more); }

  bool take_posts()
      EXCLUDES(mutex_);  // makes actions complete whose ends were heard of; false: there were none
  void ask_devices() EXCLUDES(mutex_);  // what became of what they were given
  // `done` is called with the mutex held. False if it is not so at the instant `latest` of the host's clock;
  // without one this waits for ever.
  bool wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest = {}) EXCLUDES(mutex_);

private:
  // executor.cpp
  static void tell_owner(Action& action) {
    if (action.owner) action.owner->action_ended();
  }
  void unblock(Action& action) REQUIRES(mutex_);
  void wake_lanes() REQUIRES(mutex_);  // if push() has given their threads more to do
  Lane* next_lane() const REQUIRES(mutex_);
  void start_first(Lane& lane) REQUIRES(mutex_);
  bool flush_lanes() REQUIRES(mutex_);
  bool take_part() REQUIRES(mutex_);
  void take_part(Lane& busy, Lane& idle) REQUIRES(mutex_);
  cl_int refusal(const Action& action) const REQUIRES(mutex_);
  void mark_submitted(Action& action, Devices::Submission submission) REQUIRES(mutex_);
  void mark_over(Action& action, cl_int status) REQUIRES(mutex_);  // the device is done with it
  void mark_complete(Action& action, cl_int status) REQUIRES(mutex_);
  void note_complete(Action& action, cl_int status) REQUIRES(mutex_);
  void end_call(Action& action) REQUIRES(mutex_);  // of a device, that uses its event

  // repair.cpp
  void settle(Action& action) REQUIRES(mutex_);
  void repair_failures() REQUIRES(mutex_);
  void start_repairs(const std::vector<Ref<Action>>& actions) REQUIRES(mutex_);
  void give_up(Action& action, cl_int status) REQUIRES(mutex_);

  // threads.cpp
  void under_way(Action& action) override;
  void ended(Action& action, cl_int status) override;
  bool lacks_threads() const;            // they are parked, or there are none
  void run_threaded() REQUIRES(mutex_);  // all lanes, for want of threads
  void run_threaded(Lane& lane) REQUIRES(mutex_);
  void lane_thread(Lane& lane);
  void conductor_thread();
  bool can_wait(const Action& action, cl_int status);
  std::set<const Action*> stuck_actions() const REQUIRES(mutex_);  // submitted ones that will never start

  Observer& observer_;
  const Configuration configuration_;
  std::unique_ptr<Devices> devices_;
  Lanes lanes_;
  std::vector<Lane*> compute_;
  std::vector<Lane*> fed_;  // what whoever pumps gives actions to, if they are asynchronous
  Lane* home_ = nullptr;
  std::unique_ptr<Lane> repair_;  // where home does again what helpers have failed at; may be null
  std::unique_ptr<Lane> program_;

  mutable Mutex mutex_;
  std::atomic<cl_int> failed_{CL_SUCCESS};
  // To be done again; nothing starts until what came after them is over.
  std::vector<Ref<Action>> failures_ GUARDED_BY(mutex_);
  bool halted_ GUARDED_BY(mutex_) = false;
  int running_ GUARDED_BY(mutex_) = 0;  // actions on threads
  bool pumping_ GUARDED_BY(mutex_) = false;
  double emitted_ GUARDED_BY(mutex_) = kAllEmitted;
  bool lanes_have_more_ GUARDED_BY(mutex_) = false;  // since the threads of lanes were last woken
  std::condition_variable lanes_cv_;
  Dead graveyard_ GUARDED_BY(mutex_);
  std::atomic<int> eager_{0};

  struct Posts {
    Mutex mutex;
    struct Post {
      Ref<Action> action;
      cl_int status;
      cl_ulong at;  // host's clock
    };
    std::vector<Post> list GUARDED_BY(mutex);
    std::condition_variable waiters;
    std::condition_variable conductor;
    int waiting GUARDED_BY(mutex) = 0;
    uint64_t generation GUARDED_BY(mutex) = 0;
    bool wake_conductor GUARDED_BY(mutex) = false;
    bool stop GUARDED_BY(mutex) = false;
  } posts_;

  std::vector<std::thread> threads_;
  bool threads_started_ GUARDED_BY(mutex_) = false;
  bool threads_refused_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
};

}  // namespace mkmd
