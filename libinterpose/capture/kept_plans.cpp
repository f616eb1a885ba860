// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/kept_plans.hpp"

#include "libinterpose/process.hpp"
#include "libinterpose/runtime/trouble.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd {

namespace {

// Of all predicted times of one device together: shares follow how quick devices are compared with each
// other.
constexpr double kMostDrift = 0.02;

void add_memory(std::vector<uint64_t>& words, const Ref<Memory>& memory) {
  if (memory) {
    words.insert(words.end(), {buffer_number(*memory->root()), memory->origin, memory->size});
  } else {
    words.push_back(0);
  }
}

// What identifies the commands, as far as plans depend on them. Empty: such a window is planned anew.
std::vector<uint64_t> words_of(const std::vector<Ref<Command>>& window) {
  std::vector<uint64_t> words;
  for (const Ref<Command>& command : window) {
    const Command& c = *command;
    if (!c.redo.empty()) return {};
    words.push_back(static_cast<uint64_t>(c.kind));
    if (c.kind != Command::Kind::kernel) {
      add_memory(words, c.source);
      add_memory(words, c.destination);
      words.insert(words.end(), {c.source_offset, c.destination_offset, c.size, c.pattern.size()});
      continue;
    }
    words.push_back(reinterpret_cast<uintptr_t>(c.launch.facts.get()));  // the kernel, its shape and scalars
    for (const KernelArgument& a : *c.launch.arguments) {
      if (a.kind == KernelArgument::Kind::memory) add_memory(words, a.memory);
    }
  }
  return words;
}

}  // namespace

std::optional<KeptPlans::Plan> KeptPlans::take(const std::vector<uint64_t>& words) {
  const auto found =
      std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) { return plan.words == words; });
  if (found == plans_.end()) return std::nullopt;
  Plan plan = std::move(*found);
  plans_.erase(found);
  return plan;
}

void KeptPlans::keep(Plan plan) {
  size_t tasks = plan.tasks.size();
  for (const Plan& kept : plans_)
    tasks += kept.tasks.size();
  while (!plans_.empty() && (plans_.size() >= kMost || tasks > kMostTasks)) {
    tasks -= plans_.front().tasks.size();
    plans_.erase(plans_.begin());
  }
  plans_.push_back(std::move(plan));
}

// Where the bytes lie that the window finds, of buffers it needs some of.
std::vector<ByteRanges> Planner::places(const std::vector<Task>& tasks) const {
  std::vector<ByteRanges> places;
  std::map<const Memory*, ByteRanges> written;
  for (const Task& task : tasks) {
    for (const BufferUse& use : task.whole) {
      const auto [known, is_new] = written.try_emplace(use.root);
      ByteRanges found = use.needed;
      found.subtract(known->second);
      known->second.unite(use.writes);
      if (found.empty()) continue;
      for (size_t d = 1; d < runtime_.domains_.size(); ++d)
        places.push_back(use.root->storage->regions.valid(static_cast<int>(d)).intersection(found));
    }
  }
  return places;
}

// What is predicted of the commands is what it was when the plan was made, more or less.
bool Planner::still_holds(const std::vector<Task>& tasks) const {
  struct Drift {
    double before = 0, change = 0;
  };
  std::vector<Drift> devices(process().lane_count());
  for (const Task& task : tasks) {
    Command& c = *task.command;
    if (c.kind != Command::Kind::kernel) continue;
    const KernelModel& model = runtime_.kernel_model(*c.launch.kernel);
    c.cost = cost_of(*c.launch.facts, model);
    if (is_left_alone(task, model) != task.left_alone || is_tried_again(task, model)) return false;
    if ((task.footprints != nullptr) != understands(*c.launch.kernel)) return false;
    const auto compare = [&](double seconds, int device) {
      if (seconds >= scheduler::kNever) return;
      devices[device].before += seconds;
      devices[device].change += std::abs(runtime_.times_.seconds(model, c.cost, device) - seconds);
    };
    compare(task.at_home, process().home_index());
    for (size_t d = 0; task.footprints != nullptr && d < task.seconds.size(); ++d)
      compare(task.seconds[d], static_cast<int>(d));
  }
  return std::all_of(devices.begin(), devices.end(),
                     [](const Drift& d) { return d.change <= kMostDrift * d.before; });
}

// Also where it does not: notes what the window is, and when its commands were looked at.
bool Planner::take_over(const std::vector<Ref<Command>>& window) {
  if (at_home_) return false;
  if (runtime_.journal_ || any_left_out()) return false;  // devices that fail are not to be planned on
  words_ = words_of(window);
  if (words_.empty()) return false;
  auto kept = runtime_.kept_plans_->take(words_);
  if (!kept) return false;
  for (size_t i = 0; i < window.size(); ++i) {
    window[i]->submitted = runtime_.now();
    kept->tasks[i].command = window[i].get();
  }
  if (!still_holds(kept->tasks)) return false;
  if (runtime_.separate_memories() && places(kept->tasks) != kept->places) return false;
  for (const Task& task : kept->tasks) {
    if (task.command->kind == Command::Kind::kernel) {
      enter_trial(task, runtime_.kernel_model(*task.command->launch.kernel));
    } else if (follows_bytes(task) && task.command->trial) {
      task.command->trial->at_home += task.at_home;
    }
  }
  tasks_ = std::move(kept->tasks);
  schedule_ = std::move(kept->schedule);
  planned_sources_ = std::move(kept->sources);
  places_ = std::move(kept->places);
  return true;
}

void Planner::keep() {
  if (words_.empty()) return;
  KeptPlans::Plan plan;
  for (const Task& task : tasks_)
    plan.facts.push_back(task.command->launch.facts);
  plan.words = std::move(words_);
  plan.tasks = std::move(tasks_);
  plan.schedule = std::move(schedule_);
  plan.sources = std::move(planned_sources_);
  plan.places = std::move(places_);
  runtime_.kept_plans_->keep(std::move(plan));
}

}  // namespace mkmd
