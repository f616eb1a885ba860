// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/window_planning.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "libinterpose/capture/at_exit.hpp"
#include "libinterpose/capture/describe_machine.hpp"
#include "libinterpose/capture/trace_plan.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/memory/argument_uses.hpp"
#include "libinterpose/memory/storage.hpp"
#include "libinterpose/planning/record.hpp"
#include "libinterpose/planning/turns.hpp"

#include <algorithm>
#include <atomic>

namespace mkmd {

namespace {

using planning::Purpose;

void add_memory(Numbers& numbers, std::vector<uint64_t>& words, Memory* memory) {
  if (memory != nullptr) {
    words.insert(words.end(), {buffer_number(numbers, *memory->root()), memory->origin, memory->size});
  } else {
    words.push_back(0);
  }
}

// Of a command that is no kernel: which bytes it moves or makes.
struct BytesOf {
  Place source, destination;
  size_t size = 0, pattern_size = 0;
};

BytesOf bytes_of(const Command& c) {
  return std::visit(Visitor{[](const KernelCommand&) { return BytesOf{}; },
                            [](const ReadCommand& read) {
                              return BytesOf{read.source, {}, read.size};
                            },
                            [](const WriteCommand& write) {
                              return BytesOf{{}, write.destination, write.size};
                            },
                            [](const CopyCommand& copy) {
                              return BytesOf{copy.source, copy.destination, copy.size};
                            },
                            [](const FillCommand& fill) {
                              return BytesOf{{}, fill.destination, fill.size, fill.pattern.size()};
                            },
                            [](const MarkerCommand&) { return BytesOf{}; }},
                    c.what);
}

}  // namespace

uint64_t buffer_number(Numbers& numbers, const Memory& root) {
  uint64_t& number = root.storage->number;
  if (number == 0) number = numbers.next_buffer();
  return number;
}

bool suits(const Configuration& configuration, int device, const KernelArguments& arguments) {
  return (!configuration.settings.exact ||
          shares_code_generator(configuration.devices[device], configuration.home)) &&
         can_have_images(device, arguments);
}

WindowPlanning::WindowPlanning(Session& session, const Domains& domains, Estimates& estimates,
                               CodeForPieces& code, const Executor& executor, Kept& kept, bool can_fail,
                               timing::Window* window)
    : session_(session), domains_(domains), estimates_(estimates), code_(code), executor_(executor),
      kept_(kept), can_fail_(can_fail), window_(window),
      purpose_(purpose_of(window != nullptr && window->measures_home())),
      buffer_of_([&numbers = session.numbers](Memory* root) {
        return planning::Buffer{buffer_number(numbers, *root), root->size, &root->storage->regions};
      }) {}

// What identifies the commands, as far as plans depend on them.
planning::Identity WindowPlanning::identity_of(const std::vector<Ref<Command>>& window) const {
  Numbers& numbers = session_.numbers;
  planning::Identity identity;
  std::vector<uint64_t>& words = identity.words;
  for (const Ref<Command>& command : window) {
    const Command& c = *command;
    words.push_back(static_cast<uint64_t>(c.kind()));
    const KernelCommand* const kernel = c.kernel();
    if (kernel == nullptr) {
      const BytesOf bytes = bytes_of(c);
      add_memory(numbers, words, bytes.source.memory.get());
      add_memory(numbers, words, bytes.destination.memory.get());
      words.insert(words.end(),
                   {bytes.source.offset, bytes.destination.offset, bytes.size, bytes.pattern_size});
      continue;
    }
    if (!kernel->redo.empty()) return {};
    const KernelLaunch& launch = kernel->launch;
    words.push_back(reinterpret_cast<uintptr_t>(launch.facts.get()));  // the kernel, its shape and scalars
    words.push_back(launch.inspection ? launch.inspection->number : 0);
    identity.named.emplace_back(launch.facts);
    for (const KernelArgument& a : *launch.arguments)
      add_memory(numbers, words, a.tracked());
  }
  return identity;
}

bool WindowPlanning::has_room(const KernelCommand& c, int device) const {
  const int domain = configuration().domain[device];
  if (domain == 0) return true;
  std::vector<const Memory*> roots;
  uint64_t bytes = 0;
  for (const KernelArgument& a : *c.launch.arguments) {
    if (a.tracked() == nullptr) continue;
    Memory* const root = a.tracked()->root();
    if (!root->storage->is_new_in(domain) || std::find(roots.begin(), roots.end(), root) != roots.end())
      continue;
    roots.push_back(root);
    bytes += root->size;
  }
  return bytes == 0 || session_.kind.has_room(domain, bytes);
}

Purpose WindowPlanning::purpose_of(bool at_home) const {
  // Where native commands are not timed, all are captured, also what has not run yet.
  if (session_.compilers.may_be_gone() && session_.kind.times_native_commands()) return Purpose::repeats;
  return at_home ? Purpose::home_times : Purpose::speed;
}

const planning::Machine& WindowPlanning::machine() {
  if (kept_.machine == nullptr) {
    planning::Machine machine = describe_machine(session_, estimates_.times(), can_fail_);
    if (purpose_ != Purpose::repeats) ask_about_memory(machine, session_);
    kept_.machine = std::make_unique<const planning::Machine>(std::move(machine));
  }
  return *kept_.machine;
}

planning::Plan WindowPlanning::plan(const std::vector<Ref<Command>>& window) {
  const cl_ulong began = host_nanoseconds();
  planning::Identity identity;
  // Devices that fail are not to be planned on again.
  if (purpose_ == Purpose::speed && !any_has_failed()) identity = identity_of(window);
  std::optional<planning::Plan> kept = take_over(window, identity);
  planning::Plan plan = kept ? std::move(*kept) : make(window);
  plan.identity = std::move(identity);
  for (size_t i = 0; i < plan.tasks.size(); ++i) {
    const planning::PlannedTask& of = plan.tasks[i];
    note_planned(*window[i], of.task);
    if (!of.pieces.empty()) session_.summary.add_kernel(of.pieces.size() > 1);
  }
  if (!session_.trace.on()) return plan;
  const double seconds = static_cast<double>(host_nanoseconds() - began) * 1e-9;
  const Hardware::Standstill standstill(session_.kind);
  trace_plan(
      session_.trace, plan, window,
      {machine(), buffer_of_, estimates_.times(), executor_.devices().now(), seconds, std::move(recorded_)});
  return plan;
}

std::optional<planning::Plan> WindowPlanning::take_over(const std::vector<Ref<Command>>& window,
                                                        const planning::Identity& identity) {
  std::optional<planning::Plan> kept = kept_.plans.take(identity);
  if (!kept) return std::nullopt;
  for (size_t i = 0; i < window.size(); ++i) {
    window[i]->submitted = executor_.devices().now();
    described_.push_back(describe(*window[i]));
  }
  take_turns(window);
  if (!still_holds(*kept, described_, machine(), buffer_of_)) return std::nullopt;
  return kept;
}

planning::Plan WindowPlanning::make(const std::vector<Ref<Command>>& window) {
  constexpr size_t kFew = 16;  // commands: a plan of fewer is not worth much
  const double began = host_seconds();
  std::optional<planning::Record> record;
  if (session_.trace.on() && configuration().settings.trace_planning)
    record.emplace(machine(), buffer_of_, kept_.cuts, purpose_);
  planning::Planner planner(record ? record->machine() : machine(), record ? record->buffer_of() : buffer_of_,
                            kept_.cuts, purpose_);
  take_turns(window);
  bool again = false;
  while (planner.size() < window.size()) {
    planning::Task task = next(window, planner.size());
    again |= task.kernel.is_retry();
    planner.add(record ? record->watch(std::move(task)) : std::move(task));
    if (planner.size() < kFew) continue;
    // No further retries before the outcome of these is known, unless they have to pay for transfers.
    if (again && !domains_.separate()) break;
    if (host_seconds() - began > session_.kind.seconds_to_look()) break;
  }
  const bool complete = planner.size() == window.size();
  planning::Plan plan = std::move(planner).make(complete);
  plan.one_at_a_time |= several_teams_;
  if (record) recorded_ = record->finish(plan, complete);
  // Once: what a policy does not accept, it accepts of no window.
  static std::atomic<bool> said{false};
  if (!plan.trouble.empty())
    log(said.exchange(true) ? LogLevel::info : LogLevel::warning,
        "MKMD_POLICY (--policy) " + configuration().settings.policy + " gives no schedule: " + plan.trouble +
            "; kernels run whole on the home device");
  return plan;
}

// Between drivers that share cores, with the window's first commands in view.
void WindowPlanning::take_turns(const std::vector<Ref<Command>>& window) {
  constexpr size_t kInView = 64;
  if (!estimates_.without_turn().rivalry().exists() || purpose_ != Purpose::speed || took_turns_) return;
  took_turns_ = true;
  for (size_t i = described_.size(); i < std::min(window.size(), kInView); ++i) {
    window[i]->submitted = executor_.devices().now();
    described_.push_back(describe(*window[i]));
  }
  several_teams_ = planning::take_turns(described_, machine(), buffer_of_, kept_.cuts,
                                        estimates_.profitability()->rivalry(), host_seconds());
  for (size_t i = 0; i < described_.size(); ++i) {
    if (const auto& sample = described_[i].kernel.sample)
      window[i]->kernel()->sample = {sample->device, sample->share, sample->budgeted};
  }
}

planning::Task WindowPlanning::next(const std::vector<Ref<Command>>& window, size_t i) {
  if (i < described_.size()) return std::move(described_[i]);
  window[i]->submitted = executor_.devices().now();
  planning::Task task = describe(*window[i]);
  if (took_turns_)
    planning::offer_to(estimates_.without_turn().rivalry().current(), task,
                       estimates_.without_turn().rivalry());
  return task;
}

planning::Task WindowPlanning::describe(Command& c) {
  planning::Task task;
  task.kind = c.kind();
  task.seconds.assign(configuration().devices.size(), scheduler::kNever);
  if (KernelCommand* const kernel = c.kernel()) {
    describe_kernel(*kernel, task);
  } else {
    describe_transfer(c, task);
  }
  return task;
}

bool WindowPlanning::any_has_failed() const {
  for (size_t d = 0; d < configuration().devices.size(); ++d) {
    if (executor_.devices().has_failed(static_cast<int>(d))) return true;
  }
  return false;
}

bool WindowPlanning::may_run_on(const KernelCommand& c, int device) const {
  if (!suits(configuration(), device, *c.launch.arguments)) return false;
  if (executor_.devices().has_failed(device) && purpose_ != Purpose::repeats) return false;
  return device == 0 || c.redo.empty();
}

void WindowPlanning::describe_kernel(KernelCommand& c, planning::Task& task) {
  const int home = configuration().home_index();
  const TimeModel& times = estimates_.times();
  Kernel& kernel = *c.launch.kernel;
  KernelModel& model = estimates_.model_of(kernel);
  c.cost = cost_of(*c.launch.facts, model);
  task.kernel.name = kernel.name;
  task.kernel.groups = c.launch.groups;
  task.kernel.redo = c.redo;
  task.kernel.number = model.number;
  task.kernel.shape = c.cost.shape;
  if (kernel.info() != nullptr && !kernel.info()->cost.irregular) task.kernel.most_bytes = c.cost.bytes;
  WholeLaunch whole(session_, estimates_, model, c.cost);
  task.at_home = whole.at_home();
  bool known_together = true;
  task.kernel.experience = estimates_.experience_of(model);
  if (understands(c, model) &&
      any_helper_can_have_images(configuration().devices.size(), *c.launch.arguments)) {
    for (size_t i = 0; i < task.seconds.size(); ++i) {
      const int d = static_cast<int>(i);
      if (!may_run_on(c, d) || !code_.can_divide_on(*kernel.sub_kernels(), d)) continue;
      if (!has_room(c, d)) {
        task.may_keep = false;  // there may be room the next time
        continue;
      }
      task.kernel.understood = true;
      task.seconds[d] = seconds_to_plan_with(model, c.cost, d, task.at_home);
      whole.may_run_on(d);
      const std::optional<double> together = times.together(model, c.cost, d);
      known_together &= together.has_value();
      task.kernel.together.resize(task.seconds.size());
      task.kernel.together[d] = together.value_or(1);
    }
  }
  if (!known_together) task.kernel.together.clear();
  if (!task.kernel.understood) task.seconds[0] = task.at_home;
  judge(model, whole, task);
  task.kernel.long_at_home =
      estimates_.without_turn().is_long(task.at_home - times.rates(home).launch_seconds);
  if (purpose_ == Purpose::repeats) {
    if (const std::optional<SubKernels::Ran> ran = ran_in_pieces(c.launch))
      task.kernel.ran = planning::RanBefore{ran->lane, ran->groups};
  }
  // Also of what is done again where no other device is left: it must not need more than the first time.
  const bool known = kernel.info()->split_allowed && (task.kernel.understood || can_fail_);
  const Inspection* const shown = known && !can_fail_ ? c.launch.inspection.get() : nullptr;
  task.kernel.uses_of = [&launch = c.launch, known, shown](const compiler::GroupBox& box,
                                                           size_t most_blocks) {
    const auto footprints = known ? launch.facts->of(box, most_blocks) : nullptr;
    BufferUses uses = buffer_uses(*launch.arguments, footprints.get());
    if (shown != nullptr) tell_apart(uses, *shown, box, most_blocks);
    return uses;
  };
}

// Parts of home are as quick as home, and rivals show by samples how quick they are.
double WindowPlanning::seconds_to_plan_with(const KernelModel& model, const LaunchCost& cost, int device,
                                            double at_home) const {
  const TimeModel& times = estimates_.times();
  const double predicted = times.seconds(model, cost, device);
  if (configuration().is_of_home(device) || times.knows(model, device)) return predicted;
  const Estimates::Turn asked = estimates_.profitability();
  return asked->rivalry().exists() ? predicted : asked->cautious(predicted, at_home, host_seconds());
}

void WindowPlanning::judge(const KernelModel& model, const WholeLaunch& whole, planning::Task& task) {
  // Where the first device waits for its turn, it is home.
  const double first = task.seconds[0] < scheduler::kNever ? task.seconds[0] : task.at_home;
  task.kernel.predicted = whole.predicted(first);
  if (compares_) task.kernel.predicted.best_was_measured.reset();
  task.kernel.decision =
      estimates_.profitability()->judge(model.history, task.kernel.predicted, host_seconds());
  compares_ |= task.kernel.decision.reason == timing::Reason::comparison;
  if (task.kernel.is_moved() && !estimates_.without_turn().rivalry().exists())  // teams take turns
    planning::move_whole(task, whole.device());
}

void WindowPlanning::describe_transfer(const Command& c, planning::Task& task) const {
  const BytesOf bytes = bytes_of(c);
  if (bytes.source.memory) {
    task.transfer.source = &bytes.source.root();
    task.transfer.source_begin = bytes.source.in_root();
  }
  if (bytes.destination.memory) {
    task.transfer.destination = &bytes.destination.root();
    task.transfer.destination_begin = bytes.destination.in_root();
  }
  task.transfer.size = bytes.size;
  task.transfer.pattern_size = bytes.pattern_size;
  task.follows_bytes = follows_bytes(c);
  const int home = configuration().home_index();
  if (task.follows_bytes) {
    for (size_t d = 0; d < task.seconds.size(); ++d)
      task.seconds[d] = seconds_to_make(task, static_cast<int>(d));
    task.at_home = seconds_to_make(task, home);
    return;
  }
  const DeviceRates& rates = estimates_.times().rates(home);
  task.at_home = static_cast<double>(task.transfer.size) / rates.copy_bytes_per_second;
  if (c.can_be_made_anywhere()) task.at_home += rates.launch_seconds;
  task.seconds[0] = task.at_home;
}

// A window that has to do without the code runs the kernel whole. Home does the missing parts of a launch
// also where no other device is left.
bool WindowPlanning::understands(const KernelCommand& c, KernelModel& model) const {
  const Kernel& kernel = *c.launch.kernel;
  const bool wants_pieces =
      session_.trouble.helpers_left() || purpose_ == Purpose::repeats || !c.redo.empty();
  if (!wants_pieces) return false;
  // Nothing is missed while there is no code for what is not split.
  if (!kernel.info()->split_allowed)
    return kernel.info()->runs_anywhere && code_.can_divide(*kernel.sub_kernels()) == HasCode::yes;
  const HasCode has = code_.can_divide(*kernel.sub_kernels(), model, c.cost);
  if (has == HasCode::not_yet) code_.make_beside(kernel.sub_kernels());
  return has == HasCode::yes;
}

// Where a device may be lost, a copy is made in one place, and so after all that reads what it overwrites.
// Made in parts, one would overwrite bytes that a device still reads in its own memory, and that would be
// lost with it.
bool WindowPlanning::follows_bytes(const Command& c) const {
  return c.can_be_made_anywhere() && domains_.separate() && !can_fail_;
}

double WindowPlanning::seconds_to_make(const planning::Task& task, int device) const {
  const DeviceRates& rates = estimates_.times().rates(device);
  const double bytes = static_cast<double>(task.transfer.size) * (task.transfer.source != nullptr ? 2 : 1);
  return rates.launch_seconds + bytes / rates.bytes_per_second;
}

// Of a kept plan, what was predicted when it was made.
void WindowPlanning::note_planned(const Command& c, const planning::Task& task) const {
  if (window_ == nullptr) return;
  if (task.follows_bytes) window_->plan(task.at_home);
  if (!task.is_kernel()) return;
  const auto model = estimates_.model_of(*c.kernel()->launch.kernel).shared_from_this();
  window_->plan({model, &model->history}, task.kernel.predicted, task.kernel.decision);
  if (!task.kernel.left_alone()) estimates_.note_gain(*model, task.seconds, task.at_home);
}

}  // namespace mkmd
