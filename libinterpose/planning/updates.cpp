// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/updates.hpp"

#include "compiler/merging.hpp"

#include <algorithm>

namespace mkmd::planning {

namespace {

// A copy is filled range by range, and so it is merged.
constexpr uint64_t kMostRanges = 64;

// Without what the piece has apart.
ByteRanges updated_bytes(const BufferUse& use) {
  ByteRanges bytes;
  for (const compiler::Updated& updated : use.updates)
    bytes.unite(updated.bytes);
  return bytes;
}

// Stores of equal numbers that no other piece makes are writes as any others.
void leave_out_own_stores(BufferUses& uses, const std::vector<const BufferUses*>& others) {
  for (BufferUse& use : uses) {
    for (compiler::Updated& updated : use.updates) {
      if (updated.by.kind != compiler::Update::Kind::store) continue;
      ByteRanges shared;
      for (const BufferUses* const other : others) {
        const auto same = std::ranges::find(*other, use.root, &BufferUse::root);
        if (same != other->end()) shared.unite(compiler::commuting({updated}, same->updates));
      }
      updated.bytes = std::move(shared);
    }
    std::erase_if(use.updates, [](const compiler::Updated& updated) { return updated.bytes.empty(); });
  }
}

uint64_t count_ranges(const ByteRanges& ranges) {
  uint64_t count = 0;
  for (const ByteRows& rows : ranges)
    count += rows.count;
  return count;
}

// A copy holds whole numbers. Where a device fails, home does all work-groups of that memory again. What they
// change in place they find at home as it was before. So neither of the two is home's own memory.
bool can_be_apart(const BufferUse& use, int domain, const BufferOf& buffer_of) {
  if (use.updates.empty() && in_place(use).empty()) return true;
  return count_ranges(updated_bytes(use)) <= kMostRanges && !buffer_of(use.root).residency->is_home(domain) &&
         std::ranges::all_of(use.updates, compiler::has_whole_numbers);
}

bool can_be_apart(const BufferUses& uses, int domain, const BufferOf& buffer_of) {
  return std::ranges::all_of(uses,
                             [&](const BufferUse& use) { return can_be_apart(use, domain, buffer_of); });
}

// The sum over the halves' buffers, of the half that has more.
double most_bytes(const std::array<BufferUses, 2>& halves, ByteRanges (*bytes_of)(const BufferUse&)) {
  double most = 0;
  for (const BufferUses& uses : halves) {
    double bytes = 0;
    for (const BufferUse& use : uses)
      bytes += static_cast<double>(bytes_of(use).total());
    most = std::max(most, bytes);
  }
  return most;
}

// What a piece on the device costs beside its work-groups. Its copy is filled, brought home and merged, for
// which home's bytes are read and written. What it changes in place is brought home before.
double seconds_to_merge(const Machine& machine, int device, double updated, double in_place) {
  const scheduler::Platform& platform = machine.platform;
  const auto copy = [](double bytes, double latency, double rate) {
    return latency + (rate > 0 ? bytes / rate : 0);
  };
  const scheduler::Link link = platform.link(machine.domain_of(device), 0);
  const auto brought = [&](double bytes) {
    if (machine.copy_seconds != nullptr) return machine.copy_seconds(device, 0, bytes);
    return copy(bytes, link.lat, link.bw);
  };
  return platform.devices[device].launch + brought(updated) + (in_place > 0 ? brought(in_place) : 0) +
         3 * copy(updated, platform.lat, platform.bw);
}

// When all devices that may have pieces end at the same time.
double end_of_split(const std::vector<double>& seconds, const std::vector<double>& merging) {
  double launches_per_second = 0;
  double launches = 1;
  for (size_t d = 0; d < seconds.size(); ++d) {
    if (seconds[d] >= scheduler::kNever) continue;
    launches_per_second += 1 / seconds[d];
    launches += merging[d] / seconds[d];
  }
  return launches / launches_per_second;
}

int count_devices(const std::vector<double>& seconds) {
  return static_cast<int>(std::ranges::count_if(seconds, [](double s) { return s < scheduler::kNever; }));
}

// One device of each memory but home's, of home's those that work there in one way.
std::vector<double> seconds_of_updaters(const Task& task, const std::array<BufferUses, 2>& halves,
                                        const Machine& machine, const BufferOf& buffer_of) {
  std::vector<double> seconds = task.seconds;
  std::vector<int> quickest(machine.domains, -1);  // device, by domain
  for (int d = 0; d < static_cast<int>(seconds.size()); ++d) {
    const int domain = machine.domain_of(d);
    if (machine.can_fail) seconds[d] = scheduler::kNever;
    if (domain == 0) {
      if (!machine.may_update_together(d) && d != machine.home) seconds[d] = scheduler::kNever;
    } else if (!can_be_apart(halves[0], domain, buffer_of) || !can_be_apart(halves[1], domain, buffer_of)) {
      seconds[d] = scheduler::kNever;
    } else if (int& best = quickest[domain]; best < 0 || seconds[d] < seconds[best]) {
      if (best >= 0) seconds[best] = scheduler::kNever;
      best = d;
    } else {
      seconds[d] = scheduler::kNever;
    }
  }
  return seconds;
}

// Leaves out devices whose merging takes longer than all would work.
void leave_out_slow_merging(std::vector<double>& seconds, std::vector<double>& merging) {
  for (;;) {
    const auto worst = std::ranges::max_element(merging);
    if (*worst <= 0 || *worst < end_of_split(seconds, merging)) return;
    seconds[worst - merging.begin()] = scheduler::kNever;
    *worst = 0;
  }
}

// The policy knows of no cost that does not grow with the share. These are seconds with which it finds the
// shares that end at the same time, and their end.
std::vector<double> seconds_added(const std::vector<double>& seconds, const std::vector<double>& merging) {
  const double end = end_of_split(seconds, merging);
  std::vector<double> added(seconds.size());
  for (size_t d = 0; d < seconds.size(); ++d) {
    if (merging[d] > 0 && seconds[d] < scheduler::kNever)
      added[d] = merging[d] < end ? merging[d] * seconds[d] / (end - merging[d]) : merging[d];
  }
  return added;
}

}  // namespace

ByteRanges in_place(const BufferUse& use) {
  const ByteRanges apart = updated_bytes(use);
  ByteRanges bytes = use.reads.intersection(use.writes);
  bytes.subtract(apart);
  return bytes;
}

bool may_update_together(const Piece& a, const Piece& b, const Machine& machine) {
  if (machine.can_fail) return false;
  if (a.device == b.device || machine.domain_of(a.device) != machine.domain_of(b.device)) return true;
  return machine.may_update_together(a.device) && machine.may_update_together(b.device);
}

bool choose_updaters(PlannedTask& of, std::array<BufferUses, 2> halves, const Machine& machine,
                     const BufferOf& buffer_of) {
  Task& task = of.task;
  leave_out_own_stores(halves[0], {&halves[1]});
  leave_out_own_stores(halves[1], {&halves[0]});
  std::vector<double> seconds = seconds_of_updaters(task, halves, machine, buffer_of);
  if (count_devices(seconds) < 2) {
    of.not_split = machine.can_fail
                       ? "its work-groups update the same bytes, and a device that does so may be lost"
                       : "its work-groups update the same bytes, and its devices share no memory and code";
    return false;
  }
  const double updated = most_bytes(halves, updated_bytes);
  const double changed = most_bytes(halves, in_place);
  std::vector<double> merging(seconds.size());
  for (int d = 0; d < static_cast<int>(seconds.size()); ++d) {
    if (machine.domain_of(d) != 0 && seconds[d] < scheduler::kNever)
      merging[d] = seconds_to_merge(machine, d, updated, changed);
  }
  if (!machine.regardless_of_gain) {
    leave_out_slow_merging(seconds, merging);
    if (count_devices(seconds) < 2 || end_of_split(seconds, merging) >= std::ranges::min(task.seconds)) {
      of.not_split = "merging what its work-groups update takes longer than a split saves";
      return false;
    }
  }
  of.seconds_added = seconds_added(seconds, merging);
  task.seconds = std::move(seconds);
  if (task.kernel.sample && task.seconds[task.kernel.sample->device] >= scheduler::kNever)
    task.kernel.sample.reset();
  return true;
}

bool set_apart(PlannedTask& of, const Machine& machine, const BufferOf& buffer_of) {
  std::vector<Piece>& pieces = of.pieces;
  bool together = false;
  for (size_t a = 0; a < pieces.size() && !together; ++a) {
    for (size_t b = a + 1; b < pieces.size() && !together; ++b)
      together = !independent(pieces[a].uses, pieces[b].uses);
  }
  of.updates_together = together;
  if (!together) return true;
  std::vector<BufferUses> apart;
  for (const Piece& piece : pieces) {
    std::vector<const BufferUses*> others;
    for (const Piece& other : pieces)
      if (&other != &piece) others.push_back(&other.uses);
    leave_out_own_stores(apart.emplace_back(piece.uses), others);
  }
  for (size_t i = 0; i < pieces.size(); ++i)
    pieces[i].uses = std::move(apart[i]);
  for (Piece& piece : pieces) {
    const int domain = machine.domain_of(piece.device);
    if (domain == 0) continue;
    if (!can_be_apart(piece.uses, domain, buffer_of)) return false;
    for (BufferUse& use : piece.uses) {
      if (use.updates.empty()) continue;
      const ByteRanges bytes = updated_bytes(use);
      for (ByteRanges* const set : {&use.reads, &use.writes, &use.needed})
        set->subtract(bytes);
      piece.apart.push_back({use.root, std::move(use.updates)});
      use.updates.clear();
    }
  }
  return true;
}

void join(Piece& piece) {
  for (BufferUpdates& of : piece.apart) {
    BufferUse& use = use_of(piece.uses, of.root);
    for (compiler::Updated& updated : of.updates) {
      for (ByteRanges* const set : {&use.reads, &use.writes, &use.needed})
        set->unite(updated.bytes);
      use.updates.push_back(std::move(updated));
    }
  }
  piece.apart.clear();
}

}  // namespace mkmd::planning
