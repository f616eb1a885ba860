// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/inspector.hpp"

#include "common/host_clock.hpp"
#include "compiler/groups_apart.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/memory/argument_uses.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>
#include <new>

namespace mkmd {

namespace {

constexpr size_t kMostKept = 16;                    // launches
constexpr size_t kMostContents = size_t{64} << 20;  // bytes of one launch, and of all that are kept
constexpr size_t kMostKernels = 1024;               // of which it is known that looking was in vain
constexpr uint32_t kMostInVain = 16;                // times, after which the wait doubles no more

std::vector<int> arguments_to_read(const KernelLaunch& launch) {
  const std::vector<compiler::Target> targets = targets_of(*launch.arguments);
  const compiler::KernelInfo& info = *launch.kernel->info();
  return compiler::index_arguments(info, targets, compiler::scattered_roots(info, targets));
}

Memory& memory_of(const KernelLaunch& launch, int argument) {
  return *(*launch.arguments)[static_cast<size_t>(argument)].memory;
}

std::vector<uint64_t> places_of(const KernelLaunch& launch) {
  std::vector<uint64_t> places;
  for (const compiler::Target& target : targets_of(*launch.arguments))
    places.insert(places.end(), {target.root, target.origin, target.size});
  return places;
}

void note_write(Memory* memory) {
  if (memory == nullptr || !memory->root()->storage) return;
  memory->root()->storage->version = Storage::next_version();
}

void note_writes(const KernelLaunch& launch) {
  const compiler::KernelInfo* const info = launch.kernel->info();
  for (size_t i = 0; i < launch.arguments->size(); ++i) {
    const auto writes = [i](const compiler::Access& access) {
      return access.argument == static_cast<int>(i) && access.kind != compiler::Access::Kind::read;
    };
    if (info == nullptr || !info->split_allowed || std::ranges::any_of(info->accesses, writes))
      note_write((*launch.arguments)[i].tracked());
  }
}

bool is_over(const std::vector<NativeEnd>& work, double deadline) {
  return std::ranges::all_of(
      work, [&](const NativeEnd& end) { return is_over_by(end->get(), deadline) == CL_COMPLETE; });
}

}  // namespace

bool Inspector::may_help(const KernelLaunch& launch) {
  const compiler::KernelInfo* const info = launch.kernel->info();
  return info != nullptr && info->split_allowed && !info->any_buffer && compiler::writes_at_loaded(*info);
}

std::optional<Inspection> Inspector::now(const KernelLaunch& launch) const {
  const std::vector<int> arguments = arguments_to_read(launch);
  if (arguments.empty()) return std::nullopt;
  Inspection now{.native_turns = native_work_.turns()};
  for (const int argument : arguments) {
    Memory* const root = memory_of(launch, argument).root();
    if (!root->storage || !root->storage->regions.all_valid(0)) return std::nullopt;
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
                     [](const ReadCommand&) {}, [](const MarkerCommand&) {}, [](const KernelCommand&) {}},
             command.what);
}

Inspector::Kept* Inspector::find(const KernelLaunch& launch) const {
  const std::vector<uint64_t> places = places_of(launch);
  const auto found = std::ranges::find_if(
      kept_, [&](const Kept& kept) { return kept.places == places && kept.facts.lock() == launch.facts; });
  return found != kept_.end() ? &*found : nullptr;
}

// The last ones, with so many bytes of contents in all.
std::shared_ptr<const Inspection> Inspector::keep(const KernelLaunch& launch, AllContents contents,
                                                  std::shared_ptr<const Inspection> shown) {
  std::vector<uint64_t> places = places_of(launch);
  std::erase_if(kept_, [&](const Kept& kept) {
    const std::shared_ptr<const LaunchFacts> facts = kept.facts.lock();
    return !facts || (facts == launch.facts && kept.places == places);
  });
  kept_.push_back({launch.facts, std::move(places), std::move(contents), std::move(shown)});
  size_t bytes = 0;
  auto first = kept_.end();
  for (size_t count = 0; first != kept_.begin() && count < kMostKept; ++count) {
    for (const auto& of_argument : std::prev(first)->contents)
      bytes += of_argument.size();
    if (bytes > kMostContents) break;
    --first;
  }
  kept_.erase(kept_.begin(), first);
  return kept_.back().shown;
}

// What has shown nothing of a kernel is looked at again after 2, 4, 8 and so on launches of it.
bool Inspector::is_due(const KernelLaunch& launch) {
  size_t bytes = 0;
  for (const int argument : arguments_to_read(launch)) {
    Memory& memory = memory_of(launch, argument);
    if (!reader_.may_read(memory)) return false;
    bytes += memory.size;
  }
  if (bytes > kMostContents) return false;
  const uint64_t kernel = estimates_.model_of(*launch.kernel).number;
  const Lock lock(mutex_);
  const auto found = in_vain_.find(kernel);
  if (found == in_vain_.end() || found->second.to_skip == 0) return true;
  --found->second.to_skip;
  return false;
}

// A policy that the user named has a budget for this alone.
timing::RegretBudget& Inspector::budget() {
  return estimates_.without_turn().setting().may_leave_alone ? session_.regret : session_.looking;
}

double Inspector::seconds_left(double now) {
  const Estimates::Turn turn = estimates_.profitability();
  return std::min(budget().left(now), timing::kLimits.longest_look);
}

void Inspector::spend(double seconds) {
  const Estimates::Turn turn = estimates_.profitability();
  budget().spend(seconds);
}

std::shared_ptr<const Inspection> Inspector::inspect(const KernelLaunch& launch, Inspection now,
                                                     const std::vector<NativeEnd>& before) {
  const double began = host_seconds();
  const double end = began + seconds_left(began);
  std::shared_ptr<const Inspection> shown;
  if (end > began) {
    try {
      if (is_over(before, end)) shown = look(launch, std::move(now), end);
    } catch (const std::bad_alloc&) {
    }
    note_outcome(launch, shown == nullptr || shown->apart.empty());
    spend(host_seconds() - began);
  }
  return shown;
}

void Inspector::note_outcome(const KernelLaunch& launch, bool in_vain) {
  const uint64_t kernel = estimates_.model_of(*launch.kernel).number;
  const Lock lock(mutex_);
  if (!in_vain) {
    in_vain_.erase(kernel);
    return;
  }
  if (in_vain_.size() >= kMostKernels) in_vain_.clear();
  InVain& of = in_vain_[kernel];
  of.times = std::min(of.times + 1, kMostInVain);
  of.to_skip = 1u << of.times;
}

// What the same contents have shown before; null: there were none.
std::shared_ptr<const Inspection> Inspector::shown_again(const KernelLaunch& launch, const Inspection& now,
                                                         const AllContents& contents) {
  const Lock lock(mutex_);
  Kept* const kept = find(launch);
  if (kept == nullptr || !kept->shown || kept->contents != contents) return nullptr;
  Inspection again = now;
  again.number = kept->shown->number;
  again.apart = kept->shown->apart;
  again.owned = kept->shown->owned;
  return kept->shown = std::make_shared<const Inspection>(std::move(again));
}

std::shared_ptr<const Inspection> Inspector::look(const KernelLaunch& launch, Inspection now, double end) {
  std::optional<AllContents> contents = read(launch, end);
  if (!contents) return nullptr;
  if (auto again = shown_again(launch, now, *contents)) return again;
  const compiler::KernelInfo& info = *launch.kernel->info();
  std::vector<compiler::Target> targets = targets_of(*launch.arguments);
  const std::vector<uint64_t> roots = compiler::scattered_roots(info, targets);
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].contents = {(*contents)[i].empty() ? nullptr : (*contents)[i].data(), (*contents)[i].size()};
  std::vector<compiler::OwnedBytes> owned;
  const compiler::Shown shown = compiler::groups_apart(
      info, launch.shape, targets, roots, [end] { return host_seconds() < end; },
      domains_.separate() ? &owned : nullptr);
  if (shown == compiler::Shown::stopped) return nullptr;
  if (shown == compiler::Shown::apart) {
    now.apart = roots_of(*launch.arguments, roots);
    if (domains_.separate())
      now.owned = std::make_shared<const std::vector<compiler::OwnedBytes>>(std::move(owned));
  }
  const Lock lock(mutex_);
  now.number = next_++;
  return keep(launch, std::move(*contents), std::make_shared<const Inspection>(std::move(now)));
}

// Other threads may give the driver work meanwhile, which this then waits behind.
std::optional<Inspector::AllContents> Inspector::read(const KernelLaunch& launch, double end) {
  const std::vector<int> arguments = arguments_to_read(launch);
  double bytes = 0;
  for (const int argument : arguments)
    bytes += static_cast<double>(memory_of(launch, argument).size);
  const DeviceRates& home = estimates_.times().rates(session_.configuration.home_index());
  if (bytes > (end - host_seconds()) * home.copy_bytes_per_second) return std::nullopt;
  AllContents contents(launch.arguments->size());
  for (const int argument : arguments) {
    auto read = reader_.read(memory_of(launch, argument), end);
    if (!read) return std::nullopt;
    contents[static_cast<size_t>(argument)] = std::move(*read);
  }
  return contents;
}

}  // namespace mkmd
