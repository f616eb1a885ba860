// SPDX-License-Identifier: Apache-2.0
// Making a Runtime, deciding what is captured, taking commands in, waiting for them.
#include "libinterpose/capture/runtime.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "libinterpose/capture/at_exit.hpp"
#include "libinterpose/life/roomy_stack.hpp"
#include "libinterpose/memory/argument_uses.hpp"
#include "libinterpose/objects/shared_virtual.hpp"

#include <algorithm>
#include <optional>

namespace mkmd {

namespace {

constexpr size_t kWindowLimit = 256;  // commands; a program that never flushes must not fill our memory

// Made over shared virtual memory: pointers lead to its bytes, and commands that name none but pointers.
bool is_of_shared_virtual_memory(cl_mem memory) {
  void* host = nullptr;
  vendor::table(memory).clGetMemObjectInfo(memory, CL_MEM_HOST_PTR, sizeof(host), &host, nullptr);
  return host != nullptr && is_shared_virtual(host);
}

// As a plan would find (WindowPlanning::may_run_on): a launch captured for a device that may not have it
// gains nothing, and no outcome would show that.
bool could_run_on(Session& session, int device, const KernelArguments& arguments) {
  return !session.trouble.left_out(device) && suits(session.configuration, device, arguments);
}

timing::Launch predicted_of(Session& session, const Estimates& estimates, const KernelModel& model,
                            const LaunchCost& cost, const KernelArguments& arguments) {
  WholeLaunch whole(session, estimates, model, cost);
  for (int d = 0; d < static_cast<int>(session.configuration.devices.size()); ++d) {
    if (could_run_on(session, d, arguments)) whole.may_run_on(d);
  }
  return whole.predicted(estimates.times().seconds_at_most(model, cost, 0));
}

}  // namespace

void flush(Context& context) {
  if (Runtime* const runtime = runtime_of(context)) runtime->windows().flush();
}

Runtime::Runtime(Context& context, Session& session, bool has_threads)
    : context_(context), session_(session), domains_(context, session), estimates_(session),
      code_(session, estimates_, domains_.code_places()),
      losses_(session.configuration.may_lose_devices() ? std::make_unique<Losses>(session, executor_)
                                                       : nullptr),
      observer_(executor_, losses_.get(), outcomes_, commands_, windows_),
      executor_(observer_, {.home_excludes_others = session_.configuration.home_is_whole(),
                            .makes_losses_good = session_.configuration.may_lose_devices(),
                            .has_threads = has_threads}),
      outcomes_(session, estimates_, domains_, executor_),
      home_bytes_(context, session, domains_, executor_, losses_.get()), epoch_(domains_, losses_.get()),
      commands_(executor_, epoch_, outcomes_),
      windows_(session, domains_, estimates_, code_, executor_, losses_.get(), epoch_, commands_),
      inspector_(context, session, domains_, estimates_, native_work_) {}

Status Runtime::start() {
  (void)session_.compilers.may_be_gone();  // remembers the user
  if (Status status = domains_.make_lanes(executor_); !status) return status;
  if (Status status = domains_.make_repair_lane(executor_); !status) return status;
  if (session_.configuration.may_lose_devices())
    domains_.prepare(executor_);  // losses are looked for all the time
  return {};
}

Opaque<Storage> Runtime::make_storage(Memory& root) {
  // Bytes must be where pointers find them, and hardware may know of none but buffers'. So kernels with these
  // run whole at home where there are other places.
  const bool only_buffers = session_.kind.has_only_buffers();
  if ((domains_.separate() || only_buffers) && is_of_shared_virtual_memory(root.native.get()))
    return Opaque<Storage>(nullptr, {nullptr});
  if (!root.is_buffer && (only_buffers || (domains_.separate() && has_padding(root.image.format))))
    return Opaque<Storage>(nullptr, {nullptr});
  Opaque<Storage> storage(new Storage(root, session_.configuration.domain_count, domains_.of_home(root),
                                      session_.kind, session_.configuration.may_lose_devices()),
                          {[](Storage* made) { delete made; }});
  if (!root.is_buffer) storage->devices_without = domains_.devices_without(root.image);
  return storage;
}

Runtime::~Runtime() {
  executor_.stop();  // its threads call this runtime
}

Runtime::Answer Runtime::why_native(Kernel& kernel, const KernelLaunch& launch) {
  if (!session_.kind.times_native_commands()) return {};
  const auto ready = [this]() -> Answer {
    if (must_stay_native()) return {"earlier work may wait for what the program does next"};
    domains_.prepare(executor_);  // threads look after devices
    const Lock lock(executor_.mutex());
    if (process_exiting.load() || executor_.start_threads()) return {};
    return {"the system gives no more threads"};
  };
  if (session_.compilers.may_be_gone()) {
    if (!ran_in_pieces(launch)) return {"drivers may not compile any more"};
    return ready();
  }
  // One that may not be split gains only on another device, once there is code for it. No device is quicker
  // than all of them at once.
  const auto may_gain_whole = [&] {
    return kernel.info()->runs_anywhere && !session_.configuration.home_is_whole() &&
           code_.can_divide(*kernel.sub_kernels()) == HasCode::yes;
  };
  if (kernel.info() == nullptr || !(kernel.info()->split_allowed || may_gain_whole()))
    return {"its code may not be split"};
  if (launch.group_count() < 2) return {"it has one work-group"};
  if (!session_.trouble.helpers_left()) return {"the other devices have failed"};
  if (!any_helper_can_have_images(session_.configuration.devices.size(), *launch.arguments))
    return {"no other device can have its images"};
  KernelModel& model = estimates_.model_of(kernel);
  const LaunchCost cost = cost_of(*launch.facts, model);
  const timing::Launch predicted = predicted_of(session_, estimates_, model, cost, *launch.arguments);
  // Without a turn: programs that set arguments before each of their tiny launches come here every time.
  if (const timing::Profitability& asked = estimates_.without_turn();
      !asked.is_long(predicted.first_device - predicted.fixed) && !asked.pays_to_move(predicted))
    return {to_string(timing::Reason::too_short)};
  const timing::Decision decision =
      estimates_.profitability()->decide(model.history, predicted, host_seconds());
  // Native launches are not timed.
  if (decision.verdict == timing::Verdict::native && decision.reason != timing::Reason::comparison)
    return {to_string(decision.reason)};
  switch (code_.can_divide(*kernel.sub_kernels(), model, cost)) {
  case HasCode::yes:
    break;
  case HasCode::not_yet:
    return {"its code for pieces is being made", true};
  case HasCode::never:
    return {"no code for its pieces could be had"};
  }
  return ready();
}

// What is done again after a loss must not need more than the first time, when the bytes may have been
// others.
void Runtime::inspect(KernelLaunch& launch) {
  if (losses_ || !Inspector::may_help(launch)) return;
  std::optional<Inspection> now;
  std::vector<NativeEnd> before;
  {
    const std::unique_lock regime(regime_);
    const bool may_read = !process_exiting.load() && !capturing() && !native_work_.may_wait(context_);
    Lock lock(executor_.mutex());
    now = inspector_.now(launch);
    if (!now) return;
    launch.inspection = inspector_.known(launch, *now);
    lock.unlock();
    if (launch.inspection || !may_read || !inspector_.is_due(launch)) return;
    before = native_work_.ends();
  }
  call_with_room([&] { launch.inspection = inspector_.inspect(launch, std::move(*now), before); });
}

bool Runtime::capture(Ref<Command> command, std::span<Event* const> waits) {
  const Hardware::HostWork work = session_.kind.begin_host_work();
  bool first = false;
  bool full = false;
  bool exploring = false;
  timing::KernelHistory* kernel = nullptr;
  double at_home = 0;
  if (const KernelCommand* const asked = command->kernel();
      asked != nullptr && session_.kind.times_native_commands()) {
    KernelModel& model = estimates_.model_of(*asked->launch.kernel);
    kernel = &model.history;
    at_home = estimates_.times().seconds(model, cost_of(*asked->launch.facts, model),
                                         session_.configuration.home_index());
  }
  windows_.let_exploring_window_end();
  session_.admission.wait_until_open();
  give_way();
  {
    std::unique_lock regime(regime_);
    if (!capturing()) {
      if (native_work_.may_wait(context_)) return false;
      domains_.prepare(executor_);
      enter_captured_regime();
    }
    const Lock lock(executor_.mutex());
    executor_.start_threads();
    inspector_.admit(*command);
    command->sequence = session_.numbers.next_sequence();
    command->number = command->sequence;
    command->queued = executor_.devices().now();
    if (command->event) command->event->times[0] = command->queued;
    command->eager = command->event || command->queue->waiting > 0;
    if (command->eager) executor_.posts().add_eager(1);
    commands_.add(*command, waits);
    const size_t count = windows_.take_in(std::move(command));
    first = count == 1;
    const Estimates::Turn asked = estimates_.profitability();
    exploring = asked->take_in(kernel, at_home, host_seconds());
    full = count >= kWindowLimit || asked->shows_enough(count);
  }
  session_.kind.owe(work);
  if (full) {
    windows_.flush();
    if (exploring) windows_.wait_for_exploring_window();
  } else if (first) {
    executor_.posts().call_conductor();
  }
  return true;
}

// What is traced is in the file before the program learns that all captured work is done.
void Runtime::wait_until(const std::function<bool()>& done) {
  executor_.wait_until(done);
  if (!capturing()) session_.trace.flush();
}

void Runtime::wait(const Command& command) {
  windows_.flush();
  Queue& queue = *command.queue;
  bool overtaken = false;  // then other actions of the queue may be with the drivers when this one is done
  {
    const Lock lock(executor_.mutex());
    ++queue.waiting;
    overtaken = !commands_.is_last(command);
    if (overtaken) executor_.posts().add_eager(1);
  }
  wait_until([&] { return command.done; });
  const Lock lock(executor_.mutex());
  --queue.waiting;
  if (overtaken) executor_.posts().add_eager(-1);
}

void Runtime::wait(const Event& event) {
  windows_.flush();
  wait_until([&] { return event.status.load(std::memory_order_acquire) <= CL_COMPLETE; });
}

void Runtime::finish(Queue& queue) {
  if (!capturing()) return;
  windows_.flush();
  std::vector<Ref<Command>> commands;
  {
    const Lock lock(executor_.mutex());
    ++queue.waiting;
    commands = commands_.of(queue);
  }
  wait_until([&] {
    return std::all_of(commands.begin(), commands.end(), [](const Ref<Command>& c) { return c->done; });
  });
  const Lock lock(executor_.mutex());
  --queue.waiting;
}

void Runtime::finish_all() {
  if (!capturing()) return;
  windows_.flush();
  wait_until([&]() REQUIRES(executor_.mutex()) {
    return !capturing() || (!windows_.is_empty() && !executor_.gate().is_halted());
  });
  if (capturing()) finish_all();  // another thread captured meanwhile
}

}  // namespace mkmd
