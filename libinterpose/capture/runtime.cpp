// SPDX-License-Identifier: Apache-2.0
// Making a Runtime, taking commands in, planning them, waiting for them.
#include "libinterpose/capture/runtime.hpp"

#include "common/hash.hpp"
#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "compiler/module_file.hpp"
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/capture/window_planning.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/device/emulated_devices.hpp"
#include "libinterpose/emulation/machine.hpp"

#include "scheduler/policy.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace mkmd {

namespace {

constexpr size_t kWindowLimit = 256;  // commands; a program that never flushes must not fill our memory

// What the answers to "is it worth it?" depend on. Who names another policy wants to see what it does, also
// where that is slow; and on an emulated machine the real home is none of its devices.
timing::Setting profitability_setting(Session& session) {
  const Configuration& p = session.configuration;
  const scheduler::Policy* const policy = session.policy();
  timing::Setting setting;
  setting.regardless_of_gain = policy != nullptr && policy->regardless_of_gain();
  setting.may_leave_alone = p.machine == nullptr && session.has_default_policy();
  setting.home_is_sum = p.home_is_sum();
  setting.devices = p.devices.size();
  setting.parts_play_devices = p.settings.separate_memory;
  return setting;
}

vendor::Owned<cl_command_queue> make_queue(cl_context context, cl_device_id device) {
  cl_int error = CL_SUCCESS;
  return vendor::Owned<cl_command_queue>(
      vendor::table(context).clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error));
}

}  // namespace

void flush(Context& context) {
  if (Runtime* const runtime = runtime_of(context)) runtime->flush();
}

Runtime::Runtime(Context& context, Session& session, bool has_threads)
    : context_(context), session_(session), configuration_(session.configuration), number_(session.numbers),
      trace_writer_(new TraceWriter(session.trace)), times_(session.times()),
      profitability_(profitability_setting(session), session.regret, session.rival_teams()),
      executor_(*this, {.home_excludes_others = configuration_.home_is_whole(),
                        .makes_losses_good = configuration_.machine != nullptr &&
                                             configuration_.machine->platform().can_fail(),
                        .has_threads = has_threads}),
      host_memory_(UINT64_MAX, 1, SIZE_MAX) {}

Status Runtime::start() {
  (void)session_.compilers.may_be_gone();  // remembers the user
  const Configuration& p = configuration_;
  domains_.resize(p.domain_count);
  domains_[0].context = context_.native.get();
  for (size_t d = 0; d < p.devices.size(); ++d)
    domains_[p.domain[d]].devices.push_back(static_cast<int>(d));
  for (size_t i = 1; i < domains_.size(); ++i) {
    Domain& domain = domains_[i];
    std::vector<cl_device_id> ids;
    for (const int d : domain.devices) {  // two emulated devices may be one real one
      if (std::find(ids.begin(), ids.end(), p.devices[d].id) == ids.end()) ids.push_back(p.devices[d].id);
    }
    const vendor::Device& first = p.devices[domain.devices.front()];
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(first.platform), 0};
    cl_int error = CL_SUCCESS;
    domain.owned = vendor::Owned<cl_context>(vendor::table(first.id).clCreateContext(
        properties, static_cast<cl_uint>(ids.size()), ids.data(), nullptr, nullptr, &error));
    if (!domain.owned) {
      return Status::internal("no context on device " + first.name + " (" + std::to_string(error) + ")");
    }
    domain.context = domain.owned.get();
  }
  for (size_t d = 0; d < p.lane_count(); ++d) {
    const vendor::Device& device = p.lane_device(d);
    const cl_context context = domains_[p.lane_domain(d)].context;
    auto queue = make_queue(context, device.id);
    if (!queue) return Status::internal("no command-queue on device " + device.name);
    const auto kind = device.synchronous ? Lane::Kind::threaded : Lane::Kind::asynchronous;
    executor_.add(
        std::make_unique<Lane>(kind, static_cast<int>(d), p.lane_domain(d), context, std::move(queue)));
  }
  Lane& home = *executor_.compute()[p.home_index()];
  executor_.set_home(home);
  code_places_ = place_code(p, executor_.compute(), p.home_is_whole() ? &home : nullptr, number_.value());
  for (size_t i = 0; i < domains_.size() && domains_.size() > 1; ++i) {
    // PoCL copies on the workers of the queue's device, so that a copy waits for a kernel on the same
    // sub-device. On the whole device any idle worker takes it: that of the device which waits for the bytes.
    const vendor::Device& first = p.devices[domains_[i].devices.front()];
    vendor::Owned<cl_command_queue> queue;
    if (first.parent != nullptr) queue = make_queue(domains_[i].context, first.parent);
    if (!queue) queue = make_queue(domains_[i].context, first.id);
    if (!queue) return Status::internal("no command-queue for transfers");
    domains_[i].transfer = &executor_.add(std::make_unique<Lane>(
        Lane::Kind::threaded, -1, static_cast<int>(i), domains_[i].context, std::move(queue)));
  }
  const ClockOffset clock = device_clock_offset(home.queue.get());
  clock_offset_ = clock.between;
  for (Lane* lane : executor_.compute()) {
    const ClockOffset offset = device_clock_offset(lane->queue.get());
    lane->clock_offset = offset.may_equal(clock) ? clock.between : offset.between;  // mostly it is one clock
  }
  home.clock_offset = clock.between;
  // Of no context: what waits for its actions waits on the host. Drivers end, run, or never start what waits
  // for a command that has failed.
  executor_.set_program(std::make_unique<Lane>(Lane::Kind::asynchronous, -1, 0, nullptr,
                                               make_queue(home.native_context, p.home.id)));
  if (p.machine != nullptr) {
    if (p.machine->platform().can_fail()) journal_ = std::make_unique<Journal>();
    executor_.use(
        std::make_unique<EmulatedDevices>(*p.machine, clock_offset_, session_.trouble, session_.compilers));
    return {};
  }
  executor_.use(std::make_unique<OpenClDevices>(clock_offset_, session_.trouble, session_.compilers));
  auto queue = make_queue(home.native_context, p.home.id);
  if (!queue) return Status::internal("no command-queue for repairs");
  auto repair =
      std::make_unique<Lane>(Lane::Kind::threaded, p.home_index(), 0, home.native_context, std::move(queue));
  // Drivers that cannot have many queues run one program have one of their own here.
  repair->repair_options = " -D MKMD_COPY=repair" + std::to_string(number_.value());
  repair->clock_offset = clock.between;
  executor_.set_repair(std::move(repair));
  return {};
}

Opaque<Storage> Runtime::make_storage(Memory& root) {
  return Opaque<Storage>(new Storage(root, configuration_.domain_count, configuration_.machine),
                         {[](Storage* storage) { delete storage; }});
}

Runtime::~Runtime() {
  executor_.stop();  // its threads call this runtime
}

const char* Runtime::why_native(Kernel& kernel, const KernelLaunch& launch) {
  if (configuration_.machine != nullptr) return nullptr;  // at home it would run at the real device's speed
  if (session_.compilers.may_be_gone()) {
    if (!ran_in_pieces(launch)) return "drivers may not compile any more";
    const Lock lock(executor_.mutex());
    return process_exiting.load() || executor_.start_threads() ? nullptr : "the system gives no more threads";
  }
  if (kernel.info == nullptr || !kernel.info->split_allowed) return "its code may not be split";
  if (launch.group_count() < 2) return "it has one work-group";
  if (!session_.trouble.helpers_left()) return "the other devices have failed";
  const KernelModel& model = kernel_model(kernel);
  const LaunchCost cost = cost_of(*launch.facts, model);
  timing::Launch predicted{times_.seconds_at_most(model, cost, 0), times_.rates(0).launch_seconds};
  // Without a turn: programs that set arguments before each of their tiny launches come here every time.
  if (!profitability_.is_long(predicted.first_device - predicted.fixed))
    return to_string(timing::Reason::too_short);
  predicted.at_home = times_.seconds(model, cost, configuration_.home_index());
  const timing::Decision decision = profitability()->decide(model.history, predicted, host_seconds());
  if (decision.verdict == timing::Verdict::native) return to_string(decision.reason);
  switch (can_divide(*kernel.sub_kernels, model, cost)) {
  case HasCode::yes:
    break;
  case HasCode::not_yet:
    return kNoCodeYet;
  case HasCode::never:
    return "no code for its pieces could be had";
  }
  const Lock lock(executor_.mutex());
  return executor_.start_threads() ? nullptr : "the system gives no more threads";
}

Runtime::Profitability Runtime::profitability() {
  static auto* const mutex = new std::mutex;
  return {std::unique_lock(*mutex), &profitability_};
}

KernelModel& Runtime::kernel_model(Kernel& kernel) {
  const Lock lock(kernel.mutex);
  if (kernel.model == nullptr) {
    kernel.model = times_.of_kernel(kernel.name, content_of(kernel));
  }
  return *kernel.model;
}

std::string content_of(const Kernel& kernel) {
  return hex(hash_of(kernel.sub_kernels->module.source));
}

void Runtime::add_predecessors(Command& command, std::span<Event* const> waits) {
  auto order = [&](const Ref<Command>& before) {
    if (!before || before->done) return;
    before->successors.emplace_back(&command);
    ++command.pending;
  };
  Queue* queue = command.queue.get();
  for (Event* event : waits) {
    if (const auto it = command_of_event_.find(event); it != command_of_event_.end()) order(it->second);
  }
  Unfinished& unfinished = unfinished_of_[queue];
  order(unfinished.last);
  if (queue->in_order()) {
    unfinished.last = Ref<Command>(&command);
  } else {
    const auto* const marker = std::get_if<MarkerCommand>(&command.what);
    if (marker != nullptr && waits.empty()) {
      for (const auto& [sequence, before] : unfinished.all)
        order(before);
    }
    if (marker != nullptr && marker->is_barrier) unfinished.last = Ref<Command>(&command);
    unfinished.all.emplace(command.sequence, &command);
  }
  if (command.event) command_of_event_[command.event.get()] = Ref<Command>(&command);
}

void Runtime::leave_queue(Command& command) {
  const auto of = unfinished_of_.find(command.queue.get());
  if (of == unfinished_of_.end()) return;
  auto& [last, all] = of->second;
  if (last.get() == &command) last = nullptr;
  all.erase(command.sequence);
  if (!last && all.empty()) unfinished_of_.erase(of);
}

cl_ulong Runtime::now() const {
  return executor_.devices().now();
}

bool Runtime::capture(Ref<Command> command, std::span<Event* const> waits) {
  emulation::Machine* const machine = configuration_.machine;
  std::optional<emulation::HostWork> work;
  if (machine != nullptr) work.emplace(machine->clock());
  bool first = false;
  bool full = false;
  bool exploring = false;
  timing::KernelHistory* kernel = nullptr;
  if (const KernelCommand* const asked = command->kernel(); asked != nullptr && machine == nullptr)
    kernel = &kernel_model(*asked->launch.kernel).history;
  {
    std::unique_lock regime(regime_);
    if (!capturing()) {
      if (context_.unset_user_events.load(std::memory_order_acquire) > 0) return false;
      enter_captured_regime();
    }
    const Lock lock(executor_.mutex());
    executor_.start_threads();
    command->sequence = session_.numbers.next_sequence();
    command->number = command->sequence;
    command->queued = now();
    if (command->event) command->event->times[0] = command->queued;
    command->eager = command->event || command->queue->waiting > 0;
    if (command->eager) executor_.add_eager(1);
    add_predecessors(*command, waits);
    unfinished_.fetch_add(1, std::memory_order_acq_rel);
    window_.push_back(std::move(command));
    first = window_.size() == 1;
    exploring = profitability()->take_in(kernel, host_seconds());
    full = window_.size() >= (exploring ? timing::kLimits.commands_to_explore : kWindowLimit);
    last_capture_.store(host_nanoseconds(), std::memory_order_relaxed);
  }
  if (work) machine->owe(*work);
  if (full) {
    flush();
    if (exploring) wait_for_exploring_window();
  } else if (first) {
    executor_.call_conductor();
  }
  return true;
}

// Rule 7: a window closes when nothing came for so long, by the clock the program's commands run on.
void Runtime::conduct() {
  constexpr double kIdle = 100'000;  // nanoseconds
  const emulation::Machine* machine = configuration_.machine;
  const auto idle =
      static_cast<cl_ulong>(kIdle * (machine != nullptr ? machine->platform().time_scale : 1.0));
  for (;;) {
    const cl_ulong quiet = host_nanoseconds() - last_capture_.load(std::memory_order_relaxed);
    if (quiet >= idle) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(idle - quiet));
  }
  if (!process_exiting.load()) flush();
}

void Runtime::wait_for_exploring_window() {
  constexpr auto kLongest = static_cast<cl_ulong>(timing::kLimits.longest_wait * 1e9);
  if (!executor_.wait_until([&] { return !capturing(); }, host_nanoseconds() + kLongest))
    profitability()->waited_in_vain();
}

void Runtime::flush() {
  if (!capturing()) return;
  cl_ulong over = 0;  // when the emulated host has made the plan
  while (close_window(over)) {
  }
  if (over > 0 && !process_exiting.load()) configuration_.machine->clock().sleep_until(over);
  executor_.take_posts();  // of actions that nobody had to hear of until this plan made others wait for them
}

bool Runtime::close_window(cl_ulong& over) {
  // Windows are planned in the program's order, one at a time, with the times that are known by then.
  executor_.wait_until([&]() REQUIRES(executor_.mutex()) {
    return !planning_ || (window_.empty() && !process_exiting.load());
  });
  // Before the lock: these may be the last references to objects.
  Journal::Deeds dropped;
  std::vector<Ref<Command>> window;
  bool more = false;
  Lock lock(executor_.mutex());
  if (planning_ && !window_.empty()) return true;
  if (journal_) dropped = journal_->trim(kRemembered);
  if (journal_ && !executor_.is_halted() && new_loss()) {
    executor_.halt();
    if (!executor_.is_running()) recover();  // else who runs last does
  }
  if (!executor_.is_halted() && !window_.empty()) {
    window = std::exchange(window_, {});
    if (configuration_.machine != nullptr) {
      over = plan_emulated(window);
    } else {
      more = plan(window);
    }
  }
  executor_.pump();
  Executor::Dead dead = executor_.take_dead();
  lock.unlock();
  Executor::bury(std::move(dead));
  return more;
}

// Lives while somebody plans or makes actions: one does at a time.
class Runtime::PlanningTurn {
public:
  explicit PlanningTurn(Runtime& runtime) : runtime_(runtime) {
    runtime_.executor_.mutex().is_held();
    runtime_.planning_ = true;
  }
  ~PlanningTurn() {
    runtime_.executor_.mutex().is_held();
    runtime_.planning_ = false;
    runtime_.executor_.wake_waiters();
  }
  PlanningTurn(const PlanningTurn&) = delete;
  PlanningTurn& operator=(const PlanningTurn&) = delete;

  // Lets go of the mutex: the devices are still busy with earlier windows, and have only so much to do before
  // somebody with the mutex gives them more. What was not planned goes back into the window; if planning
  // throws, all of it.
  planning::Plan plan(WindowPlanning& planner, std::vector<Ref<Command>>& commands) {
    struct Rest {
      ~Rest() {
        runtime.executor_.mutex().is_held();
        const auto left = commands.begin() + static_cast<std::ptrdiff_t>(planned);
        runtime.window_.insert(runtime.window_.begin(), left, commands.end());
        commands.erase(left, commands.end());
      }
      Runtime& runtime;
      std::vector<Ref<Command>>& commands;
      size_t planned = 0;
    } rest{runtime_, commands};
    runtime_.executor_.mutex().is_held();
    const Unlocked unlocked(runtime_.executor_.mutex());
    planning::Plan plan = planner.plan(commands);
    rest.planned = plan.tasks.size();
    return plan;
  }

private:
  Runtime& runtime_;
};

bool Runtime::plan(std::vector<Ref<Command>>& commands) {
  std::shared_ptr<WindowUnderWay> window;
  if (profitability_.setting().may_leave_alone) {
    window = std::make_shared<WindowUnderWay>(WindowUnderWay{.facts = profitability()->open_window(),
                                                             .began = host_nanoseconds(),
                                                             .entry = entry_,
                                                             .first = commands.front()->number});
    for (const Ref<Command>& command : commands)
      command->window = window;
  }
  WindowPlanning planner(*this, window ? &window->facts : nullptr);
  PlanningTurn turn(*this);
  const size_t count = commands.size();
  planning::Plan plan = turn.plan(planner, commands);
  if (window) window->unfinished = commands.size();
  profitability()->close_window(window ? &window->facts : nullptr, host_seconds());
  Lowering(*this, plan, commands).emit([&]() REQUIRES(executor_.mutex()) {
    if (!executor_.holds_back()) return;  // first the commands, for those who wait; then flush() pumps
    executor_.pump();  // lets go of the mutex while drivers are called: woken threads take it then
  });
  const bool more = commands.size() < count;
  for (const Ref<Command>& command : commands)
    finish_part(*command);
  kept_plans_.keep(std::move(plan));
  return more;
}

cl_ulong Runtime::plan_emulated(std::vector<Ref<Command>>& commands) {
  emulation::Machine& machine = *configuration_.machine;
  std::optional<emulation::HostWork> work(machine.clock());
  {
    WindowPlanning planner(*this);
    PlanningTurn turn(*this);
    planning::Plan plan = turn.plan(planner, commands);
    if (!executor_.is_halted()) {
      cl_ulong over = 0;
      Lowering(*this, plan, commands).emit([&]() REQUIRES(executor_.mutex()) {
        over = machine.pay(*work);  // none of these actions starts before it is made
        for (const Ref<Action>& action : std::exchange(emulated_, {}))
          action->ready_at = std::max(action->ready_at, over);
        work.emplace(machine.clock());
      });
      for (const Ref<Command>& command : commands)
        finish_part(*command);
      kept_plans_.keep(std::move(plan));
      return over;
    }
  }
  // A device was lost meanwhile: the plan is void.
  machine.owe(*work);
  window_.insert(window_.begin(), commands.begin(), commands.end());
  if (!executor_.is_running()) recover();  // else who runs last does
  return 0;
}

// What is traced is in the file before the program learns that all captured work is done.
void Runtime::wait_until(const std::function<bool()>& done) {
  executor_.wait_until(done);
  if (!capturing()) session_.trace.flush();
}

void Runtime::wait(const Command& command) {
  flush();
  Queue& queue = *command.queue;
  bool overtaken = false;  // then other actions of the queue may be with the drivers when this one is done
  {
    const Lock lock(executor_.mutex());
    ++queue.waiting;
    const auto of = unfinished_of_.find(&queue);
    overtaken = !queue.in_order() || of == unfinished_of_.end() || of->second.last.get() != &command;
    if (overtaken) executor_.add_eager(1);
  }
  wait_until([&] { return command.done; });
  const Lock lock(executor_.mutex());
  --queue.waiting;
  if (overtaken) executor_.add_eager(-1);
}

void Runtime::wait(const Event& event) {
  flush();
  wait_until([&] { return event.status.load(std::memory_order_acquire) <= CL_COMPLETE; });
}

void Runtime::finish(Queue& queue) {
  if (!capturing()) return;
  flush();
  Ref<Command> last;
  std::vector<Ref<Command>> others;
  {
    const Lock lock(executor_.mutex());
    ++queue.waiting;
    if (const auto of = unfinished_of_.find(&queue); of != unfinished_of_.end()) {
      last = of->second.last;
      for (const auto& [sequence, command] : of->second.all)
        others.push_back(command);
    }
  }
  wait_until([&] {
    return (!last || last->done) &&
           std::all_of(others.begin(), others.end(), [](const Ref<Command>& c) { return c->done; });
  });
  const Lock lock(executor_.mutex());
  --queue.waiting;
}

void Runtime::finish_all() {
  if (!capturing()) return;
  flush();
  wait_until([&]() REQUIRES(executor_.mutex()) {
    return !capturing() || (!window_.empty() && !executor_.is_halted());
  });
  if (capturing()) finish_all();  // another thread captured meanwhile
}

}  // namespace mkmd
