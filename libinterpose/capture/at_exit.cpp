// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/at_exit.hpp"

#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/execution/forks.hpp"
#include "libinterpose/life/callback_thread.hpp"
#include "libinterpose/objects/registry.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

namespace mkmd {

namespace {

// Drivers end in an order of their own. What works after the program's own exit handlers began without us is
// the home's.
bool lasts(const Configuration& p, int lane) {
  return &vendor::table(p.lane_device(static_cast<size_t>(lane)).id) == &vendor::table(p.home.id);
}

uint64_t groups_in(const std::array<uint64_t, 3>& extent) {
  return extent[0] * extent[1] * extent[2];
}

// The live runtimes. None of them is destroyed while this lives.
class Visit {
public:
  explicit Visit(Session& session) : runtimes_(session.runtimes) {
    const Lock lock(runtimes_.mutex);
    ++runtimes_.visitors;
    live_ = runtimes_.live;
  }
  ~Visit() {
    std::vector<Runtime*> retired;
    {
      const Lock lock(runtimes_.mutex);
      if (--runtimes_.visitors == 0) retired = std::exchange(runtimes_.retired, {});
    }
    for (Runtime* const runtime : retired)
      run_callback([runtime] { delete runtime; });
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  const std::vector<Runtime*>& live() const { return live_; }

private:
  Session::Runtimes& runtimes_;
  std::vector<Runtime*> live_;
};

}  // namespace

std::unique_ptr<Runtime> make_runtime(Context& context, Session& session) {
  if (!session.configuration.splits() || process_exiting.load()) return nullptr;
  auto runtime = std::make_unique<Runtime>(context, session);
  if (const Status status = runtime->start(); !status) {
    log(LogLevel::warning, status.message() + "; everything runs on the home device");
    return nullptr;
  }
  const Lock lock(session.runtimes.mutex);
  session.runtimes.live.push_back(runtime.get());
  return runtime;
}

void Runtime::retire() {
  {
    Session::Runtimes& runtimes = session_.runtimes;
    const Lock lock(runtimes.mutex);
    if (process_exiting.load() || runtimes.stay) return;  // another thread may still use it
    std::erase(runtimes.live, this);
    if (runtimes.visitors > 0) return runtimes.retired.push_back(this);
  }
  run_callback([this] { delete this; });
}

// Bare, a kernel that is launched again is compiled by then. Here home may have run pieces of it so far, and
// its driver compiles the whole one in a thread of its own, which must be over before compilers are gone.
void Runtime::finish_native() {
  const std::unique_lock regime(regime_);
  if (!native_work_.may_wait(context_)) native_work_.finish();
}

void finish_all_of(Session& session) {
  session.code.stop();
  std::vector<Runtime*> live;
  {
    const Lock lock(session.runtimes.mutex);
    session.runtimes.stay = true;
    live = session.runtimes.live;
  }
  const Admission::Closed closed(session.admission);
  for (Runtime* runtime : live) {
    runtime->finish_all();
    runtime->finish_native();
    wait_until_left(runtime->executor());
  }
  if (session.trace.on()) session.trace.time_native_kernels();
}

void settle_all(Session& session) {
  const Admission::Closed closed(session.admission);
  finish_all_of(session);
  const Configuration& p = session.configuration;
  auto* const gone = new std::vector<const cl_icd_dispatch*>;
  for (size_t lane = 0; lane < p.lane_count(); ++lane) {
    if (!lasts(p, static_cast<int>(lane))) gone->push_back(&vendor::table(p.lane_device(lane).id));
  }
  if (gone->empty()) {
    delete gone;
    return;
  }
  // Of lost devices.
  if (const auto* before = vendor::gone.load()) gone->insert(gone->end(), before->begin(), before->end());
  for (const Ref<Memory>& memory : live_memories()) {
    if (!memory->storage || !memory->context->runtime) continue;
    const Touched all{memory.get(), true};
    const Runtime::NativeTurn turn(*runtime_of(*memory->context), {&all, 1});
  }
  vendor::gone.store(gone, std::memory_order_release);
}

namespace {

// A fork that is under way in this process. Forks of other threads wait for it.
struct Fork {
  std::timed_mutex one_at_a_time;
  std::optional<Visit> visit;  // a runtime that is released now calls drivers later

  static Fork& only() {
    static auto* const fork = new Fork;
    return *fork;
  }
};
thread_local int forks = 0;  // of this thread; a driver may fork while a fork waits for it
thread_local bool pauses = false;

}  // namespace

// Drivers may wait, when a process exits, for work whose threads a forked child does not have. An event that
// is complete is not enough: the driver's thread may still be about to put the work away, and a thread of
// ours may be in the driver. So no thread submits any more when the queues are finished.
void pause_helpers(Session& session) {
  constexpr std::chrono::seconds kLongest{10};  // a driver's thread may fork while a fork waits for it
  if (forks++ > 0) return;
  session.code.pause();  // a child would wait for ever for a compiler that is at work
  if (process_exiting.load()) return;
  Fork& fork = Fork::only();
  if (!fork.one_at_a_time.try_lock_for(kLongest)) return;
  pauses = true;
  const Visit& visit = fork.visit.emplace(session);
  for (Runtime* runtime : visit.live())
    close(runtime->executor());
  for (Runtime* runtime : visit.live()) {
    for (const auto& lane : runtime->executor().lanes().all()) {
      const cl_command_queue queue = lane->queue.get();
      const auto& table = vendor::table(queue);
      if (&table == &vendor::table(session.configuration.home.id)) continue;
      // Of a lost device nothing ends any more.
      if (vendor::finish_carefully(lane->queue) == CL_SUCCESS) table.clFinish(queue);
    }
    wait_until_left(runtime->executor());
  }
}

void resume_helpers(Session& session) {
  if (forks == 0 || --forks > 0) return;
  if (std::exchange(pauses, false)) {
    Fork& fork = Fork::only();
    for (Runtime* runtime : fork.visit->live())
      open(runtime->executor());
    fork.visit.reset();
    fork.one_at_a_time.unlock();
  }
  session.code.resume();
}

void note_ran(Session& session, const Action& action) {
  if (!action.piece.ours) return;
  const KernelLaunch& launch = command_of(action).kernel()->launch;
  SubKernels& code = *launch.kernel->sub_kernels();
  const Trouble& trouble = session.trouble;
  SubKernels::Ran ran{action.piece.device, {}};
  for (int d = 0; d < 3; ++d)
    ran.groups[d] = action.piece.hi[d] - action.piece.lo[d];
  const Lock lock(code.ran_mutex);
  const auto [known, is_new] = code.ran.try_emplace(
      {launch.kernel->name, launch.shape.local, lasts(session.configuration, action.piece.device)}, ran);
  if (is_new) {
    session.compilers.note_compiled();
  } else if (trouble.left_out(known->second.lane) != trouble.left_out(ran.lane)) {
    if (trouble.left_out(known->second.lane)) known->second = ran;
  } else if (groups_in(known->second.groups) < groups_in(ran.groups)) {
    known->second = ran;
  }
}

std::optional<SubKernels::Ran> ran_in_pieces(const KernelLaunch& launch) {
  SubKernels& code = *launch.kernel->sub_kernels();
  const Lock lock(code.ran_mutex);
  const auto known = code.ran.find({launch.kernel->name, launch.shape.local, true});
  if (known == code.ran.end()) return std::nullopt;
  return known->second;
}

}  // namespace mkmd
