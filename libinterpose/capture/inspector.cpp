// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/inspector.hpp"

#include "common/host_clock.hpp"
#include "compiler/groups_apart.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr size_t kMostKept = 16;                    // launches
constexpr size_t kMostContents = size_t{64} << 20;  // bytes of one launch that are kept
constexpr double kLongest = 1;                      // second, where gain does not matter
constexpr uint32_t kMostFailures = 16;              // after which the wait doubles no more

uint64_t number_of(const Memory* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

std::vector<compiler::Target> targets_of(const KernelLaunch& launch) {
  std::vector<compiler::Target> targets;
  for (const KernelArgument& a : *launch.arguments) {
    compiler::Target& target = targets.emplace_back();
    Memory* const memory = a.tracked();
    if (memory == nullptr || !memory->is_buffer || !memory->root()->storage) continue;
    target = {number_of(memory->root()), memory->origin, memory->size, memory->root()->size};
  }
  return targets;
}

std::vector<int> arguments_to_read(const KernelLaunch& launch) {
  const std::vector<compiler::Target> targets = targets_of(launch);
  const compiler::KernelInfo& info = *launch.kernel->info;
  return compiler::index_arguments(info, targets, compiler::scattered_roots(info, targets));
}

Memory& memory_of(const KernelLaunch& launch, int argument) {
  return *(*launch.arguments)[static_cast<size_t>(argument)].memory;
}

std::vector<uint64_t> places_of(const KernelLaunch& launch) {
  std::vector<uint64_t> places;
  for (const compiler::Target& target : targets_of(launch))
    places.insert(places.end(), {target.root, target.origin, target.size});
  return places;
}

void note_write(Memory* memory) {
  if (memory == nullptr || !memory->root()->storage) return;
  memory->root()->storage->version = Storage::next_version();
}

void note_writes(const KernelLaunch& launch) {
  const compiler::KernelInfo* const info = launch.kernel->info;
  for (size_t i = 0; i < launch.arguments->size(); ++i) {
    const auto writes = [i](const compiler::Access& access) {
      return access.argument == static_cast<int>(i) && access.kind != compiler::Access::Kind::read;
    };
    if (info == nullptr || !info->split_allowed || std::ranges::any_of(info->accesses, writes))
      note_write((*launch.arguments)[i].tracked());
  }
}

}  // namespace

bool Inspector::may_help(const KernelLaunch& launch) {
  const compiler::KernelInfo* const info = launch.kernel->info;
  return info != nullptr && info->split_allowed && !info->any_buffer && compiler::writes_at_loaded(*info);
}

std::optional<Inspection> Inspector::now(const KernelLaunch& launch) const {
  const std::vector<int> arguments = arguments_to_read(launch);
  if (arguments.empty()) return std::nullopt;
  Inspection now{.native_turns = native_work_.turns()};
  for (const int argument : arguments) {
    Memory* const root = memory_of(launch, argument).root();
    now.read.push_back({root, root->storage->version});
  }
  return now;
}

std::shared_ptr<const Inspection> Inspector::known(const KernelLaunch& launch, const Inspection& now) const {
  const Lock lock(mutex_);
  const Kept* const kept = find(launch);
  if (kept == nullptr || !kept->shown || !kept->shown->same_bytes(now)) return nullptr;
  return kept->shown;
}

void Inspector::admit(Command& command) const {
  if (KernelCommand* const kernel = command.kernel()) {
    std::shared_ptr<const Inspection>& shown = kernel->launch.inspection;
    if (shown) {
      const std::optional<Inspection> is = now(kernel->launch);
      if (!is || !is->same_bytes(*shown)) shown.reset();
    }
    return note_writes(kernel->launch);
  }
  std::visit(Visitor{[](const WriteCommand& c) { note_write(c.destination.memory.get()); },
                     [](const CopyCommand& c) { note_write(c.destination.memory.get()); },
                     [](const FillCommand& c) { note_write(c.destination.memory.get()); },
                     [](const auto&) {}},
             command.what);
}

Inspector::Kept* Inspector::find(const KernelLaunch& launch) const {
  const std::vector<uint64_t> places = places_of(launch);
  const auto found = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.places == places && kept.facts.lock() == launch.facts; });
  return found != kept_.end() ? &*found : nullptr;
}

Inspector::Kept& Inspector::keep(const KernelLaunch& launch) {
  if (Kept* const kept = find(launch)) return *kept;
  if (kept_.size() >= kMostKept) kept_.erase(kept_.begin());
  Kept& kept = kept_.emplace_back();
  kept.facts = launch.facts;
  kept.places = places_of(launch);
  return kept;
}

bool Inspector::is_due(const KernelLaunch& launch) {
  const Lock lock(mutex_);
  Kept* const kept = find(launch);
  if (kept == nullptr || kept->to_skip == 0) return true;
  --kept->to_skip;
  return false;
}

std::shared_ptr<const Inspection> Inspector::inspect(const KernelLaunch& launch, Inspection now,
                                                     const std::vector<NativeEnd>& before) {
  const bool pays = estimates_.without_turn().setting().may_leave_alone;
  double seconds = kLongest;
  if (pays) {
    const auto turn = estimates_.profitability();
    seconds = session_.regret.left(host_seconds());
  }
  if (seconds <= 0) return nullptr;
  for (const NativeEnd& end : before) {
    const cl_event event = end->get();
    if (vendor::table(event).clWaitForEvents(1, &event) != CL_SUCCESS) return nullptr;
  }
  const double began = host_seconds();
  std::shared_ptr<const Inspection> shown = look(launch, std::move(now), seconds);
  if (pays) {
    const auto turn = estimates_.profitability();
    session_.regret.spend(host_seconds() - began);
  }
  return shown;
}

std::shared_ptr<const Inspection> Inspector::look(const KernelLaunch& launch, Inspection now,
                                                  double seconds) {
  const double end = host_seconds() + seconds;
  std::optional<AllContents> contents = read(launch, seconds);
  const auto failed = [&]() REQUIRES(mutex_) {
    Kept& kept = keep(launch);
    kept.failures = std::min(kept.failures + 1, kMostFailures);
    kept.to_skip = 1u << kept.failures;
    return kept.shown;
  };
  if (!contents) {
    const Lock lock(mutex_);
    keep(launch).shown.reset();
    return failed();
  }
  {
    const Lock lock(mutex_);
    Kept* const kept = find(launch);
    if (kept != nullptr && kept->shown && kept->contents == *contents) {
      now.number = kept->shown->number;
      now.apart = kept->shown->apart;
      return kept->shown = std::make_shared<const Inspection>(std::move(now));
    }
  }
  const compiler::KernelInfo& info = *launch.kernel->info;
  std::vector<compiler::Target> targets = targets_of(launch);
  const std::vector<uint64_t> roots = compiler::scattered_roots(info, targets);
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].contents = {(*contents)[i].empty() ? nullptr : (*contents)[i].data(), (*contents)[i].size()};
  const compiler::Shown shown =
      compiler::groups_apart(info, launch.shape, targets, roots, [end] { return host_seconds() < end; });
  if (shown == compiler::Shown::apart) {
    for (const KernelArgument& a : *launch.arguments) {
      Memory* const memory = a.tracked();
      if (memory != nullptr && std::ranges::count(roots, number_of(memory->root())) > 0)
        now.apart.push_back(memory->root());
    }
  }
  const Lock lock(mutex_);
  now.number = next_++;
  Kept& kept = keep(launch);
  kept.shown.reset();
  kept.contents.clear();
  if (shown != compiler::Shown::stopped) {
    size_t bytes = 0;
    for (const auto& of_argument : *contents)
      bytes += of_argument.size();
    if (bytes <= kMostContents) kept.contents = std::move(*contents);
    kept.shown = std::make_shared<const Inspection>(std::move(now));
  }
  if (shown != compiler::Shown::apart) return failed();
  kept.failures = 0;
  return kept.shown;
}

// Nothing that the driver has been asked for is unfinished: this waits for nothing but itself.
std::optional<Inspector::AllContents> Inspector::read(const KernelLaunch& launch, double seconds) {
  const std::vector<int> arguments = arguments_to_read(launch);
  double bytes = 0;
  for (const int argument : arguments)
    bytes += static_cast<double>(memory_of(launch, argument).size);
  if (bytes > seconds * estimates_.times().rates(session_.configuration.home_index()).copy_bytes_per_second)
    return std::nullopt;
  AllContents contents(launch.arguments->size());
  for (const int argument : arguments) {
    auto read = reader_.read(memory_of(launch, argument));
    if (!read) return std::nullopt;
    contents[static_cast<size_t>(argument)] = std::move(*read);
  }
  return contents;
}

}  // namespace mkmd
