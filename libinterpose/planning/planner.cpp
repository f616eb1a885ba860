// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/planner.hpp"

#include "libinterpose/planning/bandwidth.hpp"
#include "libinterpose/planning/placement.hpp"
#include "libinterpose/planning/updates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mkmd::planning {

namespace {

// Of a read, write, copy or fill.
BufferUses memory_uses(const Task& task) {
  const TransferTask& transfer = task.transfer;
  BufferUses uses;
  if (transfer.source != nullptr) {
    BufferUse& use = use_of(uses, transfer.source);
    use.reads = use.needed = ByteRanges(transfer.source_begin, transfer.source_begin + transfer.size);
  }
  if (transfer.destination != nullptr) use_of(uses, transfer.destination).writes = own_bytes(task);
  return uses;
}

bool updates_any(const BufferUses& uses) {
  return std::any_of(uses.begin(), uses.end(), [](const BufferUse& use) { return !use.updates.empty(); });
}

compiler::GroupBox half(const Task& task, int dimension, int which) {
  compiler::GroupBox box = task.kernel.whole();
  (which == 0 ? box.hi : box.lo)[dimension] = task.kernel.groups[dimension] / 2;
  return box;
}

PlannedSources planned_sources(const scheduler::Schedule& schedule) {
  PlannedSources sources;
  for (const scheduler::Transfer& t : schedule.transfers) {
    // make_problem() names a version of a buffer b<number>.<task>.
    const uint64_t buffer = std::strtoull(t.buffer.c_str() + 1, nullptr, 10);
    sources[{buffer, t.dst_mem}].push_back({t.src_mem, t.lo, t.hi});
  }
  return sources;
}

// Dependences are those of the program's order; which ready action, and which ready transfer, a lane takes
// first is the plan's.
size_t put_in_order(std::vector<PlannedTask>& tasks) {
  std::vector<std::pair<double, size_t*>> by_start;
  for (PlannedTask& of : tasks) {
    if (of.pieces.empty()) by_start.emplace_back(of.start, &of.order);
    for (Piece& piece : of.pieces)
      by_start.emplace_back(piece.start, &piece.order);
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t next = 0;
  for (const auto& [start, order] : by_start)
    *order = next++;
  return next;
}

}  // namespace

size_t PlannedTask::first_order() const {
  if (pieces.empty()) return order;
  return std::min_element(pieces.begin(), pieces.end(),
                          [](const Piece& a, const Piece& b) { return a.order < b.order; })
      ->order;
}

bool on_whole(const PlannedTask& of, const Machine& machine) {
  return of.task.is_kernel() && machine.home_is_whole && of.cut < 0 && of.task.kernel.long_at_home &&
         !of.task.kernel.is_moved();
}

void move_whole(Task& task, int device) {
  std::ranges::fill(task.seconds, scheduler::kNever);
  task.seconds[device] = task.kernel.predicted.elsewhere;
}

bool stays_home(const PlannedTask& of, const Machine& machine) {
  if (of.task.follows_bytes) return false;
  return !of.task.kernel.understood || of.task.kernel.left_alone() || on_whole(of, machine) ||
         !of.task.kernel.redo.empty();
}

std::vector<ByteRanges> places(const std::vector<PlannedTask>& tasks, const Machine& machine,
                               const BufferOf& buffer_of) {
  std::vector<ByteRanges> places;
  std::map<const Memory*, ByteRanges> written;
  for (const PlannedTask& of : tasks) {
    for (const BufferUse& use : of.whole) {
      const auto [known, is_new] = written.try_emplace(use.root);
      ByteRanges found = use.needed;
      found.subtract(known->second);
      known->second.unite(use.writes);
      if (found.empty()) continue;
      const Residency& residency = *buffer_of(use.root).residency;
      for (int d = 1; d < machine.domains; ++d)
        places.push_back(residency.valid(d).intersection(found));
    }
  }
  return places;
}

void Planner::add(Task task) {
  PlannedTask& of = tasks_.emplace_back();
  of.task = std::move(task);
  if (!of.task.is_kernel()) {
    of.whole = memory_uses(of.task);
  } else if (of.task.kernel.redo.empty()) {
    analyse_kernel(of);
  } else {
    analyse_redo(of);
  }
}

void Planner::analyse_kernel(PlannedTask& of) {
  const Task& task = of.task;
  of.whole = task.kernel.uses_of(task.kernel.whole(), kFewBlocks);
  const bool stays_whole = task.kernel.left_alone() || task.kernel.is_moved();
  if (task.kernel.understood && task.kernel.is_long() && !stays_whole) find_cut(of);
  if (stays_whole || (purpose_ == Purpose::home_times && of.cut >= 0)) {
    of.cut = -1;
    of.not_split =
        stays_whole ? to_string(task.kernel.decision.reason) : "this launch was to show how long home takes";
  }
  if (of.cut >= 0) of.bytes = memory_bytes(of, machine_);
  coarsen(of.whole, machine_, buffer_of_);
  coarsen(of.first_half, machine_, buffer_of_);
  if (of.cut < 0 || bandwidth_allows_gain(of, machine_)) return;
  of.cut = -1;
  of.not_split = "one device alone nearly uses up the memory's bandwidth";
}

void Planner::analyse_redo(PlannedTask& of) {
  Task& task = of.task;
  double share = 0;
  for (const compiler::GroupBox& box : task.kernel.redo) {
    share += static_cast<double>(box.group_count()) / static_cast<double>(task.kernel.group_count());
    for (const BufferUse& of_box : task.kernel.uses_of(box, kFewBlocks)) {
      BufferUse& use = use_of(of.whole, of_box.root);
      use.reads.unite(of_box.reads);
      use.writes.unite(of_box.writes);
      use.needed.unite(of_box.needed);
    }
  }
  coarsen(of.whole, machine_, buffer_of_);
  task.seconds[0] *= share;
  task.at_home *= share;
}

void Planner::find_cut(PlannedTask& of) {
  const Task& task = of.task;
  of.cut = cuts_.dimension(task);
  if (of.cut >= 0) {  // the pieces themselves will show whether it may
    of.first_half = task.kernel.uses_of(half(task, of.cut, 0), kFewBlocks);
  } else {
    Cut cut = best_cut(task.kernel.groups, task.kernel.uses_of);
    if (cut.dimension < 0 && updates_any(of.whole))
      cut = best_cut(task.kernel.groups, task.kernel.uses_of, commute);
    of.cut = cut.dimension;
    of.first_half = std::move(cut.first_half);
    cuts_.set_dimension(task, of.cut);
  }
  if (of.cut >= 0 && updates_any(of.first_half)) find_who_updates(of);
}

// Halves that update the same bytes are for devices that may do so together, or in copies of their own.
void Planner::find_who_updates(PlannedTask& of) {
  const auto uses_of = [&of](int which) {
    return of.task.kernel.uses_of(half(of.task, of.cut, which), compiler::kMostBlocks);
  };
  const std::array<BufferUses, 2> halves{uses_of(0), uses_of(1)};
  of.updates_together = !independent(halves[0], halves[1]);
  if (!of.updates_together || choose_updaters(of, halves, machine_, buffer_of_)) return;
  of.updates_together = false;
  of.cut = -1;
}

void Planner::find_uses(PlannedTask& of, size_t most_blocks) {
  for (Piece& piece : of.pieces)
    piece.uses = of.pieces.size() == 1 ? of.whole : of.task.kernel.uses_of(piece.box, most_blocks);
}

void Planner::assign_home(PlannedTask& of) const {
  of.pieces.clear();
  if (of.task.kernel.redo.empty())
    of.pieces.push_back({.device = machine_.home, .box = of.task.kernel.whole()});
  for (const compiler::GroupBox& box : of.task.kernel.redo)
    of.pieces.push_back({.device = machine_.home, .box = box});
  for (Piece& piece : of.pieces)
    piece.start = of.start;
}

void Planner::assign_home() {
  for (PlannedTask& of : tasks_) {
    if (of.task.is_kernel()) assign_home(of);
  }
}

void Planner::assign(const scheduler::Schedule& schedule) {
  std::vector<std::vector<scheduler::Entry>> of_task(tasks_.size() + 1);
  for (const scheduler::Entry& e : schedule.entries)
    of_task[e.task].push_back(e);
  for (size_t i = 0; i < tasks_.size(); ++i) {
    auto& entries = of_task[i + 1];  // task 0 is the source
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.lo < b.lo; });
    assign(tasks_[i], entries);
  }
}

void Planner::assign(PlannedTask& of, const std::vector<scheduler::Entry>& entries) {
  const Task& task = of.task;
  for (const scheduler::Entry& e : entries)
    of.start = &e == entries.data() ? e.start : std::min(of.start, e.start);
  if (!task.is_kernel()) return;
  if (stays_home(of, machine_) || entries.empty()) return assign_home(of);
  if (of.cut < 0) {
    of.pieces = {{.device = entries.front().device, .box = task.kernel.whole(), .start = of.start}};
    return;
  }
  const auto groups = static_cast<double>(task.kernel.groups[of.cut]);
  uint64_t done = 0;
  for (const scheduler::Entry& e : entries) {
    const auto end = static_cast<uint64_t>(std::llround(e.hi * groups));
    if (end <= done) continue;
    // Where bytes have to be brought, a chunk of the policy's can run before those of the next one are there.
    const bool alone =
        machine_.separate_memories() && (e.hi - e.lo) * task.seconds[e.device] >= kShortestPart;
    if (!of.pieces.empty() && of.pieces.back().device == e.device && !alone) {
      of.pieces.back().box.hi[of.cut] = end;
      of.pieces.back().start = std::max(of.pieces.back().start, e.start);  // then all is there
    } else {
      Piece& piece =
          of.pieces.emplace_back(Piece{.device = e.device, .box = task.kernel.whole(), .start = e.start});
      piece.box.lo[of.cut] = done;
      piece.box.hi[of.cut] = end;
    }
    done = end;
  }
  if (of.pieces.empty()) assign_home(of);
  of.pieces.back().box.hi[of.cut] = task.kernel.groups[of.cut];
}

int Planner::only_device() const {
  int only = -1;
  if (purpose_ != Purpose::speed || machine_.policy == nullptr) return only;
  for (const PlannedTask& of : tasks_) {
    if (!of.task.is_kernel()) continue;
    const bool has_choice = of.task.kernel.experience.samples.empty() && !of.task.kernel.is_moved();
    if (has_choice || of.task.kernel.sample || stays_home(of, machine_)) return -1;
    for (size_t d = 0; d < of.task.seconds.size(); ++d) {
      if (of.task.seconds[d] >= scheduler::kNever) continue;
      if (only >= 0 && only != static_cast<int>(d)) return -1;
      only = static_cast<int>(d);
    }
  }
  return only;
}

void Planner::assign_whole(int device) {
  for (PlannedTask& of : tasks_) {
    if (of.task.is_kernel()) of.pieces = {{.device = device, .box = of.task.kernel.whole()}};
  }
}

bool Planner::is_worth_a_policy() const {
  const auto any = [&](const auto& is) { return std::any_of(tasks_.begin(), tasks_.end(), is); };
  if (purpose_ != Purpose::speed || machine_.policy == nullptr) return false;
  if (!any([](const PlannedTask& of) { return of.task.kernel.understood; })) return false;
  // What is left beside launches that lose time may only be here because they are.
  return !any([](const PlannedTask& of) { return of.task.kernel.left_alone(); }) ||
         any([](const PlannedTask& of) {
           const KernelTask& kernel = of.task.kernel;
           return of.task.is_kernel() && kernel.is_worth_capturing() && !kernel.left_alone();
         });
}

void Planner::ask_policy(Plan& plan) {
  auto schedule = machine_.policy->schedule(make_problem(machine_, tasks_, buffer_of_),
                                            {.planning_budget = machine_.planning_budget});
  if (!schedule) {
    plan.trouble = schedule.status().message();
    return assign_home();
  }
  plan.schedule = std::move(*schedule);
  assign(*plan.schedule);
  if (machine_.separate_memories()) plan.sources = planned_sources(*plan.schedule);
}

bool Planner::take_sample(PlannedTask& of) const {
  if (!of.task.kernel.sample || of.cut < 0 || of.pieces.empty()) return false;
  const auto [device, share, budgeted] = *of.task.kernel.sample;
  const uint64_t groups = of.task.kernel.groups[of.cut];
  const auto wanted = static_cast<uint64_t>(share * static_cast<double>(groups));
  const uint64_t end = std::clamp<uint64_t>(wanted, 1, groups - 1);
  Piece sample{.device = device, .box = of.task.kernel.whole(), .start = of.start};
  sample.box.hi[of.cut] = end;
  std::erase_if(of.pieces, [&](const Piece& piece) { return piece.box.hi[of.cut] <= end; });
  of.pieces.front().box.lo[of.cut] = end;
  of.pieces.insert(of.pieces.begin(), std::move(sample));
  return true;
}

void Planner::make_pieces(PlannedTask& of) {
  if (purpose_ == Purpose::repeats) {
    cut_as_before(of);
  } else if (!take_sample(of)) {
    cuts_.keep_cuts(of);
    cut_in_parts(of);
  }
  const char* const trouble = why_not_in_pieces(of);
  if (trouble == nullptr) return;
  of.updates_together = false;
  if (of.as_before) {
    // One device runs them one after the other, and a launch's work-groups may run in any order.
    for (Piece& piece : of.pieces) {
      piece.uses = of.whole;
      piece.apart.clear();
    }
    return;
  }
  cuts_.set_dimension(of.task, -1);
  of.not_split = trouble;
  assign_home(of);
  of.pieces.front().uses = of.whole;
}

// Null: they may run so.
const char* Planner::why_not_in_pieces(PlannedTask& of) {
  find_uses(of, kFewBlocks);
  bool safe = split_is_safe(of, machine_);
  if (!safe) {
    find_uses(of, compiler::kMostBlocks);
    safe = split_is_safe(of, machine_);
  }
  // Pieces that are to be done again were found safe the first time.
  if (!of.task.kernel.redo.empty()) {
    if (safe) coarsen_pieces(of, machine_, buffer_of_);
    return nullptr;
  }
  if (!safe) return "its pieces touch the same bytes";
  if (!set_apart(of, machine_, buffer_of_)) return "its pieces update scattered bytes";
  return coarsen_pieces(of, machine_, buffer_of_) ? nullptr : "its pieces write too many separate ranges";
}

Plan Planner::make(bool complete) && {
  Plan plan;
  plan.only_device = only_device();
  if (plan.only_device >= 0) {
    assign_whole(plan.only_device);
  } else if (is_worth_a_policy()) {
    ask_policy(plan);
  } else {
    assign_home();
  }
  plan.may_keep = complete && std::all_of(tasks_.begin(), tasks_.end(),
                                          [](const PlannedTask& of) { return of.task.may_keep; });
  if (plan.may_keep && machine_.separate_memories()) plan.places = places(tasks_, machine_, buffer_of_);
  plan.one_at_a_time = plan.schedule && plan.schedule->in_order;
  for (PlannedTask& of : tasks_) {
    make_pieces(of);
    plan.one_at_a_time |= of.task.kernel.sample && of.pieces.size() > 1;
  }
  find_wanted(tasks_, machine_);
  plan.orders = put_in_order(tasks_);
  for (PlannedTask& of : tasks_)
    of.task.kernel.uses_of = nullptr;
  plan.tasks = std::move(tasks_);
  return plan;
}

}  // namespace mkmd::planning
