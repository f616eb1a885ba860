// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/planner.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/submit.hpp"
#include "libinterpose/runtime/summary.hpp"
#include "libinterpose/runtime/trace.hpp"
#include "libinterpose/runtime/trouble.hpp"
#include "scheduler/policy.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

namespace mkmd {

namespace {

BufferUse& use_of(BufferUses& uses, Memory* root) {
  for (BufferUse& use : uses) {
    if (use.root == root) return use;
  }
  uses.push_back({root, {}, {}, {}});
  return uses.back();
}

// From a pointer argument's offsets to the root buffer's, without what lies beyond the end of the argument.
ByteRanges in_root(ByteRanges ranges, const Memory& memory) {
  ranges.clip(0, memory.size);
  ranges.shift(memory.origin);
  return ranges;
}

ByteRanges all_of(const Memory& memory) {
  return {memory.origin, memory.origin + memory.size};
}

void add_memory_uses(BufferUses& uses, const Memory* source, uint64_t source_offset,
                     const Memory* destination, uint64_t destination_offset, uint64_t size) {
  if (source != nullptr) {
    const ByteRanges ranges(source->origin + source_offset, source->origin + source_offset + size);
    BufferUse& use = use_of(uses, const_cast<Memory*>(source)->root());
    use.reads.unite(ranges);
    use.needed.unite(ranges);
  }
  if (destination != nullptr) {
    use_of(uses, const_cast<Memory*>(destination)->root())
        .writes.add(destination->origin + destination_offset,
                    destination->origin + destination_offset + size);
  }
}

}  // namespace

BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints) {
  BufferUses uses;
  if (footprints == nullptr) {
    for (const KernelArgument& a : arguments) {
      if (a.kind != KernelArgument::Kind::memory || !a.memory) continue;
      BufferUse& use = use_of(uses, a.memory->root());
      for (ByteRanges* set : {&use.reads, &use.writes, &use.needed})
        set->unite(all_of(*a.memory));
    }
    return uses;
  }
  for (const compiler::Footprint& f : *footprints) {
    const Ref<Memory>& memory = arguments[f.argument].memory;
    if (!memory) continue;
    BufferUse& use = use_of(uses, memory->root());
    const ByteRanges reads = f.reads_unknown ? all_of(*memory) : in_root(f.reads, *memory);
    const ByteRanges writes = f.writes_unknown ? all_of(*memory) : in_root(f.may_writes, *memory);
    ByteRanges needed = writes;
    if (!f.writes_unknown) needed.subtract(in_root(f.sure_writes, *memory));
    needed.unite(reads);
    use.reads.unite(reads);
    use.writes.unite(writes);
    use.needed.unite(needed);
  }
  return uses;
}

BufferUses buffer_uses(const KernelArguments& arguments, const LaunchFacts& facts,
                       const compiler::GroupBox& box, size_t most_blocks) {
  return buffer_uses(arguments, facts.of(box, most_blocks).get());
}

bool shares_code_generator(const vendor::Device& a, const vendor::Device& b) {
  return a.platform == b.platform && a.device_name == b.device_name;
}

bool independent(const BufferUses& a, const BufferUses& b) {
  for (const BufferUse& x : a) {
    for (const BufferUse& y : b) {
      if (x.root != y.root) continue;
      if (x.writes.overlaps(y.writes) || x.writes.overlaps(y.reads) || y.writes.overlaps(x.reads))
        return false;
    }
  }
  return true;
}

const scheduler::Policy* chosen_policy() {
  static const scheduler::Policy* const policy = []() -> const scheduler::Policy* {
    auto made = scheduler::make_policy(process().settings.policy);
    if (made) return made->release();
    log(LogLevel::warning,
        "MKMD_POLICY: " + made.status().message() + "; kernels run whole on the home device");
    return nullptr;
  }();
  return policy;
}

Planner::Planner(Runtime& runtime, bool at_home)
    : runtime_(runtime), at_home_(at_home), repeats_(may_only_repeat() && process().machine == nullptr),
      order_only_(!runtime.separate_memories() && !runtime.journal_) {}

bool Planner::on_whole(const Task& task) const {
  return task.command->kind == Command::Kind::kernel && process().home_is_whole() && task.cut < 0 &&
         runtime_.is_long(task.at_home, process().home_index());
}

bool Planner::stays_home(const Task& task) const {
  if (follows_bytes(task)) return false;
  return !task.footprints || task.left_alone || on_whole(task) || !task.command->redo.empty();
}

BufferUses Planner::uses_of(const Task& task, const compiler::GroupBox& box, size_t most_blocks) {
  const KernelArguments& arguments = *task.command->launch.arguments;
  return task.footprints != nullptr ? buffer_uses(arguments, *task.footprints, box, most_blocks)
                                    : buffer_uses(arguments, nullptr);
}

void Planner::find_uses(Task& task, size_t most_blocks) {
  for (Piece& piece : task.pieces)
    piece.uses = task.pieces.size() == 1 ? task.whole : uses_of(task, piece.box, most_blocks);
}

void Planner::find_cut(Task& task) {
  const KernelLaunch& launch = task.command->launch;
  unsigned among = 0;
  for (int d = 0; d < 3; ++d)
    among |= launch.groups[d] > 1 ? 1u << d : 0;
  Kernel::LastCut& last = launch.kernel->last_cut;
  if (last.dimension >= 0 && last.among == among) {  // the pieces themselves will show whether it may
    task.cut = last.dimension;
    compiler::GroupBox half = launch.whole();
    half.hi[task.cut] /= 2;
    task.first_half = uses_of(task, half, kFewBlocks);
    return;
  }
  Cut cut = best_cut(*launch.arguments, *task.footprints);
  task.cut = cut.dimension;
  task.first_half = std::move(cut.first_half);
  last = {task.cut, among};
}

void Planner::analyse(Task& task) {
  Command& c = *task.command;
  const size_t devices = process().devices.size();
  task.seconds.assign(devices, scheduler::kNever);
  const int home = process().home_index();
  if (c.kind != Command::Kind::kernel) {
    add_memory_uses(task.whole, c.source.get(), c.source_offset, c.destination.get(), c.destination_offset,
                    c.size);
    const DeviceRates& rates = runtime_.times_.rates(home);
    task.seconds[0] = static_cast<double>(c.size) / rates.copy_bytes_per_second;
    if (c.kind == Command::Kind::fill || c.kind == Command::Kind::copy)
      task.seconds[0] += rates.launch_seconds;
    task.at_home = task.seconds[0];
    if (!follows_bytes(task)) return;
    for (size_t d = 0; d < devices; ++d)
      task.seconds[d] = seconds_to_make(c, static_cast<int>(d));
    task.at_home = seconds_to_make(c, home);
    if (c.trial) c.trial->at_home += task.at_home;
    return;
  }
  Kernel& kernel = *c.launch.kernel;
  KernelModel& model = runtime_.kernel_model(kernel);
  c.cost = cost_of(*c.launch.facts, model);
  if (understands(kernel)) {
    task.footprints = c.launch.facts.get();
    for (size_t d = 0; d < devices; ++d) {
      if (process().settings.exact && !shares_code_generator(process().devices[d], process().home)) continue;
      if (process().machine != nullptr && process().machine->failed(static_cast<int>(d))) continue;
      if (left_out(static_cast<int>(d)) && !repeats_) continue;
      if (!has_room(c, static_cast<int>(d))) {
        words_.clear();  // there may be room the next time
        continue;
      }
      if (d > 0 && !c.redo.empty()) continue;
      task.seconds[d] = runtime_.times_.seconds(model, c.cost, static_cast<int>(d));
    }
    if (std::all_of(task.seconds.begin(), task.seconds.end(),
                    [](double seconds) { return seconds >= scheduler::kNever; })) {
      task.footprints = nullptr;
    }
    if (task.footprints != nullptr && runtime_.is_long(task.seconds[0], 0) && c.redo.empty()) find_cut(task);
  }
  task.at_home = runtime_.times_.seconds(model, c.cost, home);
  if (!task.footprints) task.seconds[0] = task.at_home;
  task.left_alone = is_left_alone(task, model);
  enter_trial(task, model);
  if (!at_home_ && is_tried_again(task, model)) c.trial->again = true;
  if (c.redo.empty()) {
    task.whole = uses_of(task, c.launch.whole(), kFewBlocks);
    if (task.left_alone || (at_home_ && task.cut >= 0)) {
      task.cut = -1;
      task.not_split = task.left_alone ? kLeftAlone : "this launch was to show how long home takes";
    }
    if (task.cut >= 0) task.bytes = memory_bytes(task);
    coarsen(task.whole);
    coarsen(task.first_half);
    if (task.cut < 0 || bandwidth_allows_gain(task)) return;
    task.cut = -1;
    task.not_split = "one device alone nearly uses up the memory's bandwidth";
    return;
  }
  double share = 0;
  for (const compiler::GroupBox& box : c.redo) {
    share += static_cast<double>(groups_in(box)) / static_cast<double>(c.launch.group_count());
    for (const BufferUse& of_box : uses_of(task, box, kFewBlocks)) {
      BufferUse& use = use_of(task.whole, of_box.root);
      use.reads.unite(of_box.reads);
      use.writes.unite(of_box.writes);
      use.needed.unite(of_box.needed);
    }
  }
  coarsen(task.whole);
  task.seconds[0] *= share;
  task.at_home *= share;
}

bool Planner::understands(const Kernel& kernel) const {
  return kernel.info->split_allowed && (helpers_left() || repeats_) &&
         programs_ready(*kernel.sub_kernels, runtime_.code_places_);
}

bool Planner::is_left_alone(const Task& task, const KernelModel& model) const {
  return task.command->trial && runtime_.is_long(task.seconds[0], 0) &&
         runtime_.times_.better_left_alone(model, task.at_home, host_seconds());
}

bool Planner::is_tried_again(const Task& task, const KernelModel& model) const {
  return task.command->trial && !task.left_alone && runtime_.is_long(task.seconds[0], 0) &&
         runtime_.times_.has_lost(model, task.at_home);
}

void Planner::enter_trial(const Task& task, KernelModel& model) const {
  Trial* const trial = task.command->trial.get();
  if (trial == nullptr || at_home_) return;
  // Parts that play devices of their own are compared with one of them.
  if (!process().home_is_sum())
    trial->at_home += process().settings.separate_memory ? task.seconds[0] : task.at_home;
  if (runtime_.is_long(task.seconds[0], 0) && !task.left_alone)
    trial->kernels.emplace_back(model.shared_from_this(), task.at_home);
}

// An emulated memory may be full; a real driver's word comes when something is allocated.
bool Planner::has_room(const Command& c, int device) const {
  const int domain = process().domain[device];
  if (process().machine == nullptr || domain == 0) return true;
  std::vector<const Memory*> roots;
  uint64_t bytes = 0;
  for (const KernelArgument& a : *c.launch.arguments) {
    if (a.kind != KernelArgument::Kind::memory || !a.memory) continue;
    Memory* const root = a.memory->root();
    if (!root->storage->is_new_in(domain) || std::find(roots.begin(), roots.end(), root) != roots.end())
      continue;
    roots.push_back(root);
    bytes += root->size;
  }
  return bytes == 0 || process().machine->has_room(domain, bytes);
}

void Planner::assign_home(Task& task) {
  task.pieces.clear();
  if (task.command->redo.empty())
    task.pieces.push_back({process().home_index(), task.command->launch.whole(), {}});
  for (const compiler::GroupBox& box : task.command->redo)
    task.pieces.push_back({process().home_index(), box, {}});
  for (Piece& piece : task.pieces)
    piece.start = task.start;
}

void Planner::assign_home() {
  for (Task& task : tasks_) {
    if (task.command->kind == Command::Kind::kernel) assign_home(task);
  }
}

void Planner::assign(const scheduler::Schedule& schedule) {
  std::vector<std::vector<scheduler::Entry>> of_task(tasks_.size() + 1);
  for (const scheduler::Entry& e : schedule.entries)
    of_task[e.task].push_back(e);
  for (size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = tasks_[i];
    auto& entries = of_task[i + 1];  // task 0 is the source
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.lo < b.lo; });
    for (const scheduler::Entry& e : entries)
      task.start = &e == entries.data() ? e.start : std::min(task.start, e.start);
    if (task.command->kind != Command::Kind::kernel) continue;
    if (stays_home(task) || entries.empty()) {
      assign_home(task);
      continue;
    }
    if (task.cut < 0) {
      task.pieces = {{entries.front().device, task.command->launch.whole(), {}}};
      task.pieces.front().start = task.start;
      continue;
    }
    const auto groups = static_cast<double>(task.command->launch.groups[task.cut]);
    uint64_t done = 0;
    for (const scheduler::Entry& e : entries) {
      const auto end = static_cast<uint64_t>(std::llround(e.hi * groups));
      if (end <= done) continue;
      // Where bytes have to be brought, a chunk of the policy's can run before those of the next one are
      // there.
      const bool alone =
          runtime_.separate_memories() && (e.hi - e.lo) * task.seconds[e.device] >= kShortestPart;
      if (!task.pieces.empty() && task.pieces.back().device == e.device && !alone) {
        task.pieces.back().box.hi[task.cut] = end;
        task.pieces.back().start = std::max(task.pieces.back().start, e.start);  // then all is there
      } else {
        Piece piece{e.device, task.command->launch.whole(), {}};
        piece.start = e.start;
        piece.box.lo[task.cut] = done;
        piece.box.hi[task.cut] = end;
        task.pieces.push_back(std::move(piece));
      }
      done = end;
    }
    if (task.pieces.empty()) assign_home(task);
    task.pieces.back().box.hi[task.cut] = task.command->launch.groups[task.cut];
  }
}

size_t Planner::plan(const std::vector<Ref<Command>>& window) {
  const cl_ulong began = host_nanoseconds();
  taken_over_ = !repeats_ && take_over(window);
  if (!taken_over_) make_plan(window);
  for (const Task& task : tasks_) {
    if (!task.pieces.empty()) add_kernel(task.pieces.size() > 1);
  }
  if (!tracing()) return tasks_.size();
  const double seconds = static_cast<double>(host_nanoseconds() - began) * 1e-9;
  std::optional<emulation::VirtualClock::Stop> stop;  // being watched takes no emulated time
  if (process().machine != nullptr) stop.emplace(process().machine->clock());
  trace_plan(schedule_ ? &*schedule_ : nullptr, seconds);
  return tasks_.size();
}

void Planner::make_plan(const std::vector<Ref<Command>>& window) {
  constexpr size_t kFew = 16;               // commands: a plan of fewer is not worth much
  constexpr cl_ulong kLooking = 1'000'000;  // nanoseconds
  const cl_ulong began = host_nanoseconds();
  bool several_devices = false;
  bool left_alone = false;
  tasks_.reserve(window.size());
  for (const Ref<Command>& command : window) {
    Task task;
    task.command = command.get();
    command->submitted = runtime_.now();
    analyse(task);
    several_devices |= task.footprints != nullptr;
    left_alone |= task.left_alone;
    tasks_.push_back(std::move(task));
    if (tasks_.size() < kFew || process().machine != nullptr) continue;
    // More are not tried again before it is known what came of these, unless they have to pay for transfers.
    const bool again = command->trial && command->trial->again && !runtime_.separate_memories();
    if (again || host_nanoseconds() - began > kLooking) break;
  }
  // What is left is only here because launches that lose time are.
  if ((left_alone || at_home_) && window.front()->trial->kernels.empty()) several_devices = false;
  const scheduler::Policy* policy = several_devices && !repeats_ ? chosen_policy() : nullptr;
  if (policy != nullptr) {
    auto schedule = policy->schedule(make_problem(), {.planning_budget = 1e-3});
    if (schedule) {
      schedule_ = std::move(*schedule);
      assign(*schedule_);
      if (runtime_.separate_memories()) note_planned_sources(*schedule_);
    } else {
      // Once: what a policy does not accept, it accepts of no window.
      static std::atomic<bool> said{false};
      log(said.exchange(true) ? LogLevel::info : LogLevel::warning,
          "MKMD_POLICY (--policy) " + process().settings.policy + " gives no schedule: " +
              schedule.status().message() + "; kernels run whole on the home device");
      assign_home();
    }
  } else {
    assign_home();
  }
  if (tasks_.size() < window.size()) words_.clear();
  if (!words_.empty() && runtime_.separate_memories()) places_ = places(tasks_);
  for (Task& task : tasks_) {
    if (repeats_) {
      repeat(task);
    } else {
      keep_cuts(task);
      cut_in_parts(task);
    }
    find_uses(task, kFewBlocks);
    bool safe = split_is_safe(task);
    if (!safe) {
      find_uses(task, compiler::kMostBlocks);
      safe = split_is_safe(task);
    }
    // Pieces that are to be done again were found safe the first time.
    if ((!safe || !coarsen_pieces(task)) && task.command->redo.empty()) {
      task.command->launch.kernel->last_cut.dimension = -1;
      task.not_split = safe ? "its pieces write too many separate ranges" : "its pieces touch the same bytes";
      assign_home(task);
      task.pieces.front().uses = task.whole;
    }
  }
  find_wanted();
}

double Planner::Task::first_order() const {
  if (pieces.empty()) return order;
  return std::min_element(pieces.begin(), pieces.end(),
                          [](const Piece& a, const Piece& b) { return a.order < b.order; })
      ->order;
}

void Planner::emit(const std::function<void()>& some) {
  constexpr size_t kSome = 8;  // commands
  put_in_order();
  std::vector<double> first_of_rest(tasks_.size() + 1, kAllEmitted);  // from each task on
  for (size_t i = tasks_.size(); i-- > 0;)
    first_of_rest[i] = std::min(first_of_rest[i + 1], tasks_[i].first_order());
  struct Emitting {  // whatever happens, lanes must not wait for ever
    ~Emitting() { executor.hold_from(kAllEmitted); }
    Executor& executor;
  } emitting{runtime_.executor_};
  runtime_.executor_.hold_from(first_of_rest.front());
  for (size_t i = 0; i < tasks_.size(); ++i) {
    emit(tasks_[i]);
    if ((i + 1) % kSome != 0 && i + 1 < tasks_.size()) continue;
    runtime_.executor_.hold_from(first_of_rest[i + 1]);
    some();
  }
  keep();
}

void Planner::note_planned_sources(const scheduler::Schedule& schedule) {
  for (const scheduler::Transfer& t : schedule.transfers) {
    // make_problem() names a version of a buffer b<number>.<task>.
    const uint64_t buffer = std::strtoull(t.buffer.c_str() + 1, nullptr, 10);
    planned_sources_[{buffer, t.dst_mem}].push_back({t.src_mem, t.lo, t.hi});
  }
}

// Dependences are those of the program's order; which ready action, and which ready transfer, a lane takes
// first is the plan's.
void Planner::put_in_order() {
  std::vector<std::pair<double, double*>> by_start;
  for (Task& task : tasks_) {
    if (task.pieces.empty()) by_start.emplace_back(task.start, &task.order);
    for (Piece& piece : task.pieces)
      by_start.emplace_back(piece.start, &piece.order);
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [start, order] : by_start)
    *order = runtime_.next_order_++;
}

}  // namespace mkmd
