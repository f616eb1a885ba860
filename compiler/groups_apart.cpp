// SPDX-License-Identifier: Apache-2.0
#include "compiler/groups_apart.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/ingredients.hpp"
#include "compiler/interval.hpp"

namespace mkmd::compiler {
namespace {

constexpr int64_t kRow = 1024;                         // work-items that are looked at together
constexpr size_t kTogether = 32;                       // looking at so many is as quick as at one by one
constexpr uint64_t kMostElements = uint64_t{1} << 25;  // of a buffer, each with an owner of four bytes

bool is_at_loaded(const KernelInfo& info, const Access& access) {
  Ingredients of_offset(info);
  of_offset.add(access.offset);
  return access.kind != Access::Kind::read && access.known && !of_offset.arguments.empty();
}

const Target& target_of(std::span<const Target> targets, const Access& access) {
  return targets[static_cast<size_t>(access.argument)];
}

// Which work-group touches each element of a buffer.
class Owners {
public:
  Owners(const KernelInfo& info, std::span<const Target> targets, uint64_t root) {
    uint64_t unit = 8, size = 0;
    for (const Access& a : info.accesses) {
      const Target& target = target_of(targets, a);
      if (target.root != root) continue;
      unit = std::gcd(std::gcd(unit, a.bytes), target.origin);
      size = target.root_size;
    }
    unit_ = std::max<uint64_t>(unit, 1);
    const uint64_t elements = size / unit_ + 1;
    if (elements <= kMostElements) owners_.resize(elements);
  }

  bool usable() const { return !owners_.empty(); }

  // False: another work-group has written some of it, or `writes` and it has touched some.
  bool take(uint64_t begin, uint64_t end, uint32_t group, bool writes) {
    for (uint64_t e = begin / unit_; e * unit_ < end; ++e) {
      uint32_t& owner = owners_[e];
      if (owner == 0 && writes) owner = group + 1;
      if (owner != 0 && owner != group + 1) return false;
    }
    return true;
  }

  OwnedBytes bytes(const std::array<uint64_t, 3>& groups) const { return {groups, unit_, owners_}; }

private:
  uint64_t unit_ = 1;
  std::vector<uint32_t> owners_;  // by element, one more than the number of its work-group; 0: none writes it
};

// One access of all work-items.
class Walk {
public:
  Walk(const KernelInfo& info, ItemValues& items, const Access& access, const Target& target, Owners& owners,
       const std::function<bool()>& go_on)
      : info_(info), items_(items), access_(access), target_(target), owners_(owners), go_on_(go_on) {
    for (size_t i = 0; i < access.scopes.size(); ++i) {
      Ingredients later(info);
      later.add(access, i + 1);
      counter_needed_.push_back(access.scopes[i].kind != Scope::Kind::guard &&
                                later.loops.contains(access.scopes[i].index));
    }
  }

  Shown run() {
    const auto& groups = items_.groups();
    const auto& local = items_.local();
    ItemRow row;
    for (row.group[2] = 0; row.group[2] < groups[2]; ++row.group[2])
      for (row.group[1] = 0; row.group[1] < groups[1]; ++row.group[1])
        for (row.local[2] = 0; row.local[2] < local[2]; ++row.local[2])
          for (row.local[1] = 0; row.local[1] < local[1]; ++row.local[1])
            for (row.first = 0; row.first < groups[0] * local[0]; row.first += kRow) {
              row.count = std::min(kRow, groups[0] * local[0] - row.first);
              first_group_ = (row.group[2] * groups[1] + row.group[1]) * groups[0];
              items_.start(row);
              const Shown shown = walk(0, std::vector<uint8_t>(static_cast<size_t>(row.count), 1));
              if (shown != Shown::apart) return shown;
            }
    return Shown::apart;
  }

private:
  using Items = std::vector<uint8_t>;

  Shown walk(size_t scope, Items items) {
    if (std::ranges::none_of(items, [](uint8_t is) { return is != 0; })) return Shown::apart;
    if (!go_on_()) return Shown::stopped;
    if (scope == access_.scopes.size()) return touch(items);
    const Scope& s = access_.scopes[scope];
    if (s.kind != Scope::Kind::guard) return walk_loop(scope, items);
    keep_guarded(info_.guards[static_cast<size_t>(s.index)], items);
    return walk(scope + 1, std::move(items));
  }

  // A guard that is not known for an item says nothing of it.
  void keep_guarded(const Guard& guard, Items& items) {
    Column a, b;
    items_.number(guard.a, a);
    items_.number(guard.b, b);
    Items checked(items.size(), 1);
    items_.keep_checked(guard.checks, checked);
    for (size_t i = 0; i < items.size(); ++i)
      if (checked[i] != 0 && a.known[i] != 0 && b.known[i] != 0 && fails(guard, a.value[i], b.value[i]))
        items[i] = 0;
  }

  static bool fails(const Guard& guard, int64_t a, int64_t b) {
    int64_t least = 0;
    if (__builtin_add_overflow(a, guard.slack, &least)) return false;
    switch (guard.relation) {
    case Guard::Relation::signed_order:
      return least > b;
    case Guard::Relation::unsigned_order: {
      const int64_t most = unsigned_range(guard.bits).hi, half = most / 2;
      if (b < 0 || b > most || a > most || a < -half) return false;
      if (a < 0) return b <= half;  // as an unsigned number it is larger than all of these
      return least > b;
    }
    case Guard::Relation::equal:
      return a != b;
    case Guard::Relation::not_equal:
      return a == b;
    }
    return false;
  }

  Shown walk_loop(size_t scope, const Items& items) {
    const int index = access_.scopes[scope].index;
    const Loop& loop = info_.loops[static_cast<size_t>(index)];
    if (!counter_needed_[scope]) return walk(scope + 1, items);
    const LaunchFootprints::Value& step = items_.uniform(loop.step);
    if (!loop.known || !step.known || step.value <= 0) return Shown::nothing;
    Column trips;
    items_.number(loop.distance, trips);
    items_.keep_checked(loop.checks, trips.known);
    const int extra = loop.extra + (access_.scopes[scope].kind == Scope::Kind::loop_header ? 1 : 0);
    int64_t most = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i] == 0) continue;
      if (trips.known[i] == 0 || trips.value[i] > INT64_MAX / 2) return Shown::nothing;
      trips.value[i] = std::max<int64_t>(0, ceil_divide(trips.value[i], step.value)) + extra;
      most = std::max(most, trips.value[i]);
    }
    Shown shown = Shown::apart;
    Items inside(items.size());
    const int64_t together = std::min(most, trips_together(items, trips.value));
    for (int64_t counter = 0; counter < together && shown == Shown::apart; ++counter) {
      for (size_t i = 0; i < items.size(); ++i)
        inside[i] = items[i] != 0 && counter < trips.value[i] ? 1 : 0;
      items_.set_counter(index, counter);
      shown = walk(scope + 1, inside);
    }
    const ItemRow row = items_.row();
    for (size_t i = 0; i < items.size() && together < most; ++i) {
      if (items[i] == 0 || trips.value[i] <= together) continue;
      ItemRow alone = row;
      alone.first += static_cast<int64_t>(i);
      alone.count = 1;
      items_.start(alone);
      for (int64_t counter = together; counter < trips.value[i] && shown == Shown::apart; ++counter) {
        items_.set_counter(index, counter);
        shown = walk(scope + 1, Items(1, 1));
      }
    }
    if (together < most) items_.start(row);
    items_.end_loop(index);
    return shown;
  }

  // The first trips, which more than a few items make: rows of a sparse matrix may be very unequal.
  static int64_t trips_together(const Items& items, const std::vector<int64_t>& trips) {
    std::vector<int64_t> longest;
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i] != 0) longest.push_back(trips[i]);
    const size_t few = items.size() / kTogether;
    if (longest.size() <= few) return 0;
    std::ranges::nth_element(longest, longest.begin() + static_cast<std::ptrdiff_t>(few), std::greater<>());
    return longest[few];
  }

  // No correct program accesses what is outside of a buffer. A write there is not believed.
  Shown touch(const Items& items) {
    Column at;
    items_.number(access_.offset, at);
    items_.keep_checked(access_.checks, at.known);
    const bool writes = access_.kind != Access::Kind::read;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i] == 0) continue;
      if (at.known[i] == 0 || at.value[i] < 0) return Shown::nothing;
      const auto begin = static_cast<uint64_t>(at.value[i]);
      if (target_.size < access_.bytes || begin > target_.size - access_.bytes) return Shown::nothing;
      const auto group = static_cast<uint32_t>(first_group_ + items_.group_of(static_cast<int64_t>(i)));
      if (!owners_.take(target_.origin + begin, target_.origin + begin + access_.bytes, group, writes))
        return Shown::nothing;
    }
    return Shown::apart;
  }

  const KernelInfo& info_;
  ItemValues& items_;
  const Access& access_;
  const Target& target_;
  Owners& owners_;
  const std::function<bool()>& go_on_;
  std::vector<bool> counter_needed_;  // by scope
  int64_t first_group_ = 0;           // of the row
};

}  // namespace

bool writes_at_loaded(const KernelInfo& info) {
  return !info.loads.empty() &&
         std::ranges::any_of(info.accesses, [&](const Access& a) { return is_at_loaded(info, a); });
}

std::vector<uint64_t> scattered_roots(const KernelInfo& info, std::span<const Target> targets) {
  std::set<uint64_t> roots;
  for (const Access& a : info.accesses)
    if (is_at_loaded(info, a)) roots.insert(target_of(targets, a).root);
  roots.erase(0);
  return {roots.begin(), roots.end()};
}

std::vector<int> index_arguments(const KernelInfo& info, std::span<const Target> targets,
                                 std::span<const uint64_t> roots) {
  Ingredients all(info);
  for (const Access& a : info.accesses)
    if (std::ranges::count(roots, target_of(targets, a).root) > 0) all.add(a, 0);
  for (const int argument : all.arguments) {
    const uint64_t root = targets[static_cast<size_t>(argument)].root;
    if (root == 0) return {};
    for (const Access& a : info.accesses)
      if (a.kind != Access::Kind::read && target_of(targets, a).root == root) return {};
  }
  return {all.arguments.begin(), all.arguments.end()};
}

Shown groups_apart(const KernelInfo& info, const Launch& launch, std::span<const Target> targets,
                   std::span<const uint64_t> roots, const std::function<bool()>& go_on,
                   std::vector<OwnedBytes>* owned) {
  std::vector<Contents> contents;
  for (const Target& target : targets)
    contents.push_back(target.contents);
  ItemValues items(info, launch, contents);
  const auto& groups = items.groups();
  int64_t count = 0;
  if (!items.is_uniform() || __builtin_mul_overflow(groups[0], groups[1], &count) ||
      __builtin_mul_overflow(count, groups[2], &count) || count >= UINT32_MAX)
    return Shown::nothing;
  for (const uint64_t root : roots) {
    const auto touches = [&](const Access& a) { return target_of(targets, a).root == root; };
    if (!std::ranges::all_of(info.accesses, [&](const Access& a) { return !touches(a) || a.known; }))
      return Shown::nothing;
    Owners owners(info, targets, root);
    if (!owners.usable()) return Shown::nothing;
    for (const bool reads : {false, true}) {  // what is read is compared with all that is written
      for (const Access& a : info.accesses) {
        if (!touches(a) || (a.kind == Access::Kind::read) != reads) continue;
        const Shown shown = Walk(info, items, a, target_of(targets, a), owners, go_on).run();
        if (shown != Shown::apart) return shown;
      }
    }
    if (owned == nullptr) continue;
    std::array<uint64_t, 3> counts{};
    std::ranges::copy(groups, counts.begin());
    owned->push_back(owners.bytes(counts));
  }
  return Shown::apart;
}

}  // namespace mkmd::compiler
