// SPDX-License-Identifier: Apache-2.0
// The Runtime runs the commands of one context whose device stands for several real ones. It has two regimes.
// In the native one, commands go straight to the home's queues on the caller's thread (Rule 7: the fast
// path). A launch worth splitting begins the captured one: commands gather in a window, a flush plans the
// window and turns it into actions on lanes. The native regime returns as soon as every captured command is
// complete.
//
// Lock order: regime_ before mutex_ before posts_.mutex. No driver is called with mutex_ held.
#pragma once

#include "libinterpose/capture/command.hpp"
#include "libinterpose/memory/storage.hpp"
#include "libinterpose/runtime/code_places.hpp"
#include "libinterpose/runtime/time_model.hpp"

#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <thread>
#include <vector>

namespace mkmd {

class KeptPlans;

// Parts of commands the journal keeps, and with them the buffers they name. What is older cannot be computed
// again.
inline constexpr size_t kRemembered = 2048;

// Seconds a launch must be predicted to take beyond a device's fixed cost of any launch: below, a second
// piece costs more than it saves. Preparing one takes a core 20 microseconds, and one of the devices may need
// it.
inline constexpr double kWorthSplitting = 60e-6;

inline constexpr double kAllEmitted = std::numeric_limits<double>::infinity();

class Runtime {
public:
  explicit Runtime(Context& context);
  ~Runtime();  // every command is done; may not run on one of the runtime's own threads

  Status start();  // makes the lanes; before anything else

  // What a command does with a memory object it names.
  struct Touched {
    Memory* memory;
    bool written;
    struct Bytes {
      size_t offset, size;
    };
    std::optional<Bytes> only = std::nullopt;  // without: any of the object's
  };
  // The right to call the home's driver for the program. While it lives, nothing captured is unfinished, and
  // the bytes named by `touched` are valid at home (those written: only there).
  class NativeTurn {
  public:
    NativeTurn(Runtime& runtime, std::span<const Touched> touched);
    // An error if bytes that it touches were lost with a device.
    cl_int status() const { return status_; }

  private:
    cl_int status_ = CL_SUCCESS;
    std::shared_lock<std::shared_mutex> lock_;
  };
  bool is_at_home(const Touched& bytes);  // all of them
  void finish_native();                   // everything the program has enqueued on its native queues
  void note_native(Queue& queue);         // something was enqueued on the queue's native queue during a turn
  void note_end(Queue& queue);            // the queue is about to go

  // Captured commands are unfinished, so order and data are ours to keep.
  bool capturing() const { return unfinished_.load(std::memory_order_acquire) > 0; }
  bool separate_memories() const { return domains_.size() > 1; }
  // Why the launch is not worth running over several devices, given what was learned so far: a literal, null
  // if it is.
  const char* why_native(Kernel& kernel, const KernelLaunch& launch);
  // The same for one that takes so many seconds on `device`.
  bool is_long(double seconds, int device) const {
    return regardless_of_gain_ || seconds - times_.rates(device).launch_seconds >= kWorthSplitting;
  }
  // The policy wants kernels divided whatever that brings.
  bool regardless_of_gain() const { return regardless_of_gain_; }

  // Takes the command into the window. `waits` are the program's events; all belong to this context. False:
  // it is the vendor's, because a user event was made meanwhile, behind which the vendor may have work
  // already.
  bool capture(Ref<Command> command, std::span<Event* const> waits);

  void flush();
  void wait(const Command& command);
  void wait(const Event& event);  // of a captured command
  void finish(Queue& queue);      // every captured command of the queue
  void finish_all();              // every captured command

  // at_exit.cpp
  static void settle_all();      // before drivers end: finishes everything captured, and brings bytes home
  static void finish_helpers();  // before a fork: what drivers other than home's were given is over

  void forget_history();  // the program has released the context

  // The error of an action that could neither be done nor done again: from then on nobody knows which bytes
  // are whole, so every later command of the context has it.
  cl_int failed() const { return failed_.load(std::memory_order_acquire); }

private:
  friend class Planner;
  friend class LaunchProfiler;
  friend class Rehearsal;

  // runtime.cpp
  KernelModel& kernel_model(Kernel& kernel);
  // With mutex_ held; plan() lets go of it while it looks at the window. True: there is more to be planned.
  // On an emulated machine planning is paid for in its time, and no loss may come in between.
  bool plan(std::vector<Ref<Command>> window, std::unique_lock<std::mutex>& lock);
  void take_lesson();  // without mutex_
  // Returns when, by the emulated clock, the plan is made.
  cl_ulong plan_emulated(std::vector<Ref<Command>> window);
  void add_predecessors(Command& command, std::span<Event* const> waits);
  // Nanoseconds on the clock whose times the program sees: the home's, or that of the emulated machine.
  cl_ulong now() const;

  // regimes.cpp
  std::vector<vendor::Owned<cl_event>> take_native_work();  // markers behind all that is under way
  void enter_captured_regime();
  void leave_captured_regime();
  void begin_epoch();  // nothing that is known of actions orders new ones any more
  cl_int bring_home(const Touched& bytes);
  void join_epoch(Memory& root);
  void note_places(Storage& storage) const;  // for the fast path

  // executor.cpp; all with mutex_ held
  void push(Ref<Action> action);
  void unblock(Action& action);
  void wake_lanes();  // if push() has given their threads more to do
  void pump(std::unique_lock<std::mutex>& lock);
  bool take_part();
  cl_int refusal(const Action& action) const;
  void mark_submitted(Action& action, cl_int status);
  void mark_over(Action& action, cl_int status);  // the driver is done with it
  void mark_complete(Action& action, cl_int status);
  void note_complete(Action& action, cl_int status);
  void finish_part(Command& command);
  void complete_event(Command& command);
  void leave_queue(Command& command);  // it is done; runtime.cpp
  void note_piece(const Action& action);
  static void note_code(const Action& action);  // at_exit.cpp
  void count_at_home(const Action& action);     // for its command's trial
  void note_trial(const Trial& trial);          // its window is over
  void note_transfer(const Action& action);
  static void trace_memory(const Action& action);
  // What nobody needs any more, to be let go of without mutex_: the last reference to an object may be among
  // it.
  struct Dead {
    std::vector<Ref<Command>> commands;  // done: callbacks on their events may be due
    std::vector<Action::Held> held;      // by complete actions
    void take(Dead other);
  };
  // executor.cpp; without mutex_. Runs what is due on the events of done commands, then lets go of them.
  static void bury(Dead dead);

  // repair.cpp; with mutex_ held
  void settle(Action& action);
  void repair_failures();
  void start_repairs(const std::vector<Ref<Action>>& actions);
  void give_up(Action& action, cl_int status);

  // threads.cpp; without mutex_
  bool start_threads();  // false if the system gives no more
  void lane_thread(Lane& lane);
  void conductor_thread();
  void post(Action* action, cl_int status);
  bool can_wait(const Action& action, cl_int status);
  bool take_posts();
  void ask_drivers();                             // what became of what they were given
  std::set<const Action*> stuck_actions() const;  // with mutex_; submitted ones that will never start
  // False if it is not so at the instant `latest` of the host's clock; without one it waits for ever.
  bool wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest = {});
  Action::Outcome run_emulated(Action& action);
  // threads.cpp; with or without mutex_
  void wake_waiters();  // something happened that they may wait for
  // threads.cpp; with mutex_ held
  void run_threaded(Lane& lane, std::unique_lock<std::mutex>& lock);

  // recovery.cpp; with mutex_ held. Only where a device can fail: journal_ is null elsewhere
  void note_done(Action& action);
  void note_lost(Action& action);
  bool new_loss() const;
  void recover();
  void drop_unfinished_actions();
  void take_loss(Memory& root);
  void fail_unfinished();
  std::vector<Ref<Command>> commands_to_redo(const Journal::Deeds& redo);
  void note_native_write(Memory& root);
  // recovery.cpp; without mutex_
  void notice_losses();

  Context& context_;
  struct Domain {
    cl_context context = nullptr;
    vendor::Owned<cl_context> owned;  // of domains other than the home's
    std::vector<int> devices;
    Lane* transfer = nullptr;  // copies into this domain; and from it into the program's memory
  };
  std::vector<Domain> domains_;
  const LiveNumber number_;  // among runtimes
  std::vector<CodePlace> code_places_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> compute_;  // by index of the device; last, where it is none of them, home
  Lane* home_ = nullptr;        // one of these
  TimeModel& times_;
  bool regardless_of_gain_ = false;
  int64_t clock_offset_ = 0;  // home's clock minus the host's

  std::shared_mutex regime_;
  std::atomic<int> unfinished_{0};
  // Unfinished commands that have an event, or came into a queue somebody waited for, and waits overtaken by
  // other threads' commands: each means that the program may have to hear of any completion at once.
  std::atomic<int> eager_{0};
  std::mutex native_mutex_;  // guards the next two
  // Not references: a queue holds its context, and with it this runtime.
  std::vector<Queue*> native_active_;
  std::vector<vendor::Owned<cl_event>> native_ends_;  // markers behind what is under way on queues since gone

  std::mutex mutex_;
  std::vector<Ref<Command>> window_;
  int lessons_ = 0;                         // windows to come that show how long kernels take
  bool lessons_help_ = true;                // in this epoch: nobody waited for one in vain
  bool home_lesson_due_ = false;            // one of them, or a later window, is to run at home
  bool seems_to_lose_ = false;              // the last window took longer than home is thought to take
  std::atomic<bool> trying_again_ = false;  // a kernel that lost time by being captured: one lesson
  struct Unfinished {
    Ref<Command> last;                     // of an in-order queue; the last barrier of another
    std::map<uint64_t, Ref<Command>> all;  // of an out-of-order queue, by sequence
  };
  std::map<Queue*, Unfinished> unfinished_of_;       // only queues that have such commands, which hold them
  std::map<Event*, Ref<Command>> command_of_event_;  // unfinished ones
  // Counts times without any unfinished action in between. What storages know of actions of earlier ones is
  // void.
  uint64_t epoch_ = 1;
  RegionMap host_memory_;
  struct Cut {
    int device;
    int cut;       // the dimension
    uint64_t end;  // work-groups along it
  };
  std::map<std::pair<const KernelModel*, uint64_t>, std::vector<Cut>>
      cuts_;                                     // last used, by kernel and shape
  const std::unique_ptr<KeptPlans> kept_plans_;  // planners'
  std::vector<Ref<Action>> emulated_;            // made by the plan under way; ready when it is over
  Ref<Action> entry_;          // orders the captured epoch after the native commands before it
  Ref<Action> last_in_order_;  // since a plan of this epoch wanted one action after the other
  std::unique_ptr<Journal> journal_;
  uint32_t lost_domains_ = 0;  // one bit each: noticed
  std::atomic<cl_int> failed_{CL_SUCCESS};
  // Where home does again what helpers have failed at; null on an emulated machine.
  std::unique_ptr<Lane> repair_;
  std::vector<Ref<Action>> failures_;  // to be done again; nothing starts until what came after them is over
  bool halted_ = false;  // a loss was found: nothing starts until what runs is over and it is made good
  int running_ = 0;      // actions on threads
  bool pumping_ = false;
  cl_ulong last_window_end_ = 0;  // nanoseconds of the host's clock
  bool planning_ = false;         // somebody plans, or makes actions, and lets go of mutex_ meanwhile
  double next_order_ = 0;
  // While a plan's actions are made: the first in its order that is not made yet. Later ones do not start;
  // those of earlier windows come before all of them.
  double emitted_ = kAllEmitted;
  std::condition_variable lanes_cv_;
  bool lanes_have_more_ = false;  // since the threads of lanes were last woken
  bool threads_started_ = false;
  bool threads_refused_ = false;
  bool stop_ = false;
  Dead graveyard_;
  std::atomic<cl_ulong> last_capture_{0};

  struct Posts {
    std::mutex mutex;
    struct Post {
      Ref<Action> action;
      cl_int status;
      cl_ulong at;  // host's clock
    };
    std::vector<Post> list;
    std::condition_variable waiters;
    std::condition_variable conductor;
    int waiting = 0;
    uint64_t generation = 0;
    bool wake_conductor = false;
    bool stop = false;
  } posts_;
  std::vector<std::thread> threads_;
};

// Null, with a log line, if the other devices cannot be used: the context then runs at home alone.
std::unique_ptr<Runtime> make_runtime(Context& context);

// Whether drivers may be without compilers from now on; see at_exit.cpp. The user counts as of the first
// call.
bool may_only_repeat();
// Pieces of such a launch that have run on a device which lasts until the process ends. Null: none has.
std::optional<SubKernels::Ran> ran_in_pieces(const KernelLaunch& launch);

// Destroys a runtime on a thread that is none of its own: the last reference to a context may go anywhere.
void retire_runtime(std::unique_ptr<Runtime> runtime);

// What identifies the program a kernel is in, beyond this process.
std::string content_of(const Kernel& kernel);

// What a status query, clFlush and the like do: start what was captured. Nothing if the context captures
// nothing.
void flush(Context& context);

}  // namespace mkmd
