// SPDX-License-Identifier: Apache-2.0
// The Runtime runs the commands of one context whose device stands for several real ones. It has two regimes.
// In the native one, commands go straight to the home's queues on the caller's thread (Rule 7: the fast
// path). A launch worth splitting begins the captured one: commands gather in a window, a flush plans the
// window and turns it into actions on lanes. The native regime returns as soon as every captured command is
// complete.
//
// It owns the parts of both, and each says what it decides. HomeBytes and NativeWork know which bytes and
// work are native. Estimates and CodeForPieces know kernels and their code. CapturedCommands and Windows
// keep the captured commands. Start reading there.
//
// Lock order: regime_ before the executor's mutex, which guards the parts, too. No driver is called with that
// mutex held.
#pragma once

#include "libinterpose/capture/home_bytes.hpp"
#include "libinterpose/capture/inspector.hpp"
#include "libinterpose/capture/native_work.hpp"
#include "libinterpose/capture/observer.hpp"
#include "libinterpose/capture/session.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>

namespace mkmd {

// This class has more than 15 fields and more than 25 methods: each field is a part that
// makes one decision, and others ask for these parts.
class Runtime final : public ContextRuntime {
public:
  // A runtime without threads of its own leaves their work to threads that wait.
  Runtime(Context& context, Session& session, bool has_threads = true);
  ~Runtime() override;  // every command is done; may not run on one of the runtime's own threads

  Status start();  // makes the lanes; before anything else

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
  // What the context's objects ask for.
  Opaque<Storage> make_storage(Memory& root) override;
  void note_end(Queue& queue) override { native_work_.note_end(queue); }
  void retire() override;

  // The parts that others use.
  const Domains& domains() const { return domains_; }
  Estimates& estimates() { return estimates_; }
  CodeForPieces& code() { return code_; }
  Executor& executor() { return executor_; }
  NativeWork& native_work() { return native_work_; }
  HomeBytes& home_bytes() { return home_bytes_; }
  Windows& windows() { return windows_; }
  const Session& session() const { return session_; }

  // Captured commands are unfinished, so order and data are ours to keep.
  bool capturing() const { return commands_.any(); }
  // Whether the launch is worth running over several devices, given what was learned so far.
  struct Answer {
    const char* why_not = nullptr;  // a literal; null: it is
    // Until the code for its pieces is there. Whoever gets this answer calls CodeForPieces::ran_without()
    // once the launch is on home's queue.
    bool for_want_of_code = false;
  };
  Answer why_native(Kernel& kernel, const KernelLaunch& launch);

  // Looks into the launch's index buffers if that may show that it can be split. It is about to be captured.
  void inspect(KernelLaunch& launch);

  // Takes the command into the window. `waits` are the program's events; all belong to this context. False:
  // the command is the vendor's. Then a user event was made meanwhile, behind which the vendor may have
  // work already, or work under way may wait for this command.
  bool capture(Ref<Command> command, std::span<Event* const> waits);
  // Whether the native regime must stay, since native work may wait for what the program does next. The
  // caller has no native turn.
  bool must_stay_native();

  void wait(const Command& command);
  void wait(const Event& event);  // of a captured command
  void finish(Queue& queue);      // every captured command of the queue
  void finish_all();              // every captured command
  void finish_native();           // what home's own queues have, unless it may wait for the program

  void forget_history();  // the program has released the context

private:
  void wait_until(const std::function<bool()>& done) EXCLUDES(executor_.mutex());

  // regimes.cpp
  class WantsTurn;
  void give_way();  // to threads that wait for a native turn
  void enter_captured_regime() EXCLUDES(executor_.mutex());
  // Only where a device can fail. False: not now, since the native regime must stay.
  bool notice_losses() EXCLUDES(executor_.mutex());

  Context& context_;
  Session& session_;
  Domains domains_;
  Estimates estimates_;
  CodeForPieces code_;
  // Null where no device can fail.
  const std::unique_ptr<Losses> losses_ PT_GUARDED_BY(executor_.mutex());
  CaptureObserver observer_;
  Executor executor_;
  Outcomes outcomes_ GUARDED_BY(executor_.mutex());
  HomeBytes home_bytes_;
  Epoch epoch_ GUARDED_BY(executor_.mutex());
  CapturedCommands commands_;
  Windows windows_;

  // Drivers are called with it held. Natively, that is because a turn lasts as long as the program's call.
  // Where the captured regime begins, it is because no native command may come after the markers.
  std::shared_mutex regime_;
  struct Turns {
    std::atomic<int> wanted{0};      // threads that wait for a native turn
    std::atomic<uint32_t> taken{0};  // counts those that have waited
  } turns_;
  NativeWork native_work_;
  Inspector inspector_;
};

// Null, with a log line, if the other devices cannot be used: the context then runs at home alone.
std::unique_ptr<Runtime> make_runtime(Context& context, Session& session);

// The runtime of the context; null if it has none.
inline Runtime* runtime_of(const Context& context) {
  return static_cast<Runtime*>(context.runtime.get());
}

// What a status query, clFlush and the like do: start what was captured. Nothing if the context captures
// nothing.
void flush(Context& context);

}  // namespace mkmd
