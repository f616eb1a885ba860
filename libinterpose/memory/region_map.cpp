// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/region_map.hpp"

#include <algorithm>
#include <bit>

namespace mkmd {

namespace {

constexpr size_t kMany = 256;  // blocks
constexpr size_t kFew = 256;   // rows

void drop_complete(std::vector<Ref<Ordered>>& actions) {
  std::erase_if(actions, [](const Ref<Ordered>& a) { return a->complete(); });
}

void order_after(Ordered& action, std::vector<Ref<Ordered>>& earlier) {
  drop_complete(earlier);
  for (const Ref<Ordered>& before : earlier) {
    if (before.get() != &action && !action.same_owner(*before)) action.wait_for(*before);
  }
}

bool valid_in(int domain, uint32_t valid) {
  return (valid >> domain & 1u) != 0;
}

// Blocks of bytes, none of whose rows are cut apart by these.
template <typename State>
bool suit(const BytePartition<State>& partition, const ByteRanges& ranges) {
  size_t blocks = ranges.size();
  for (const auto& [bytes, state] : partition.parts()) {
    blocks += bytes.size();
    for (const ByteRows& known : bytes) {
      for (const ByteRows& rows : ranges) {
        if (known.count > 1 && rows.count > 1 && known.pitch != rows.pitch && rows.count + known.count > kFew)
          return false;
      }
    }
  }
  return blocks <= kMany;
}

}  // namespace

// Where nothing writes, the list of readers grows. Complete readers are removed each time the list has
// doubled, so that adding one costs the same however long the list is.
void RegionMap::Users::add_reader(Ordered& action) {
  if (!readers.empty() && readers.back().get() == &action) return;
  if (readers.size() >= 8 && std::has_single_bit(readers.size())) drop_complete(readers);
  readers.emplace_back(&action);
}

RegionMap::RegionMap(uint64_t size, int domains, uint32_t of_home, size_t most_parts)
    : of_home_(of_home), most_parts_(most_parts), valid_(size, 1u) {
  for (int d = 0; d < domains; ++d)
    known_.push_back({{size, Users{}}});
}

void RegionMap::order_read(int domain, const ByteRanges& ranges, Ordered& action) {
  known(domain).users.visit(ranges, [&](Users& users) { order_after(action, users.writers); });
}

void RegionMap::order_write(int domain, const ByteRanges& ranges, Ordered& action) {
  known(domain).users.visit(ranges, [&](Users& users) {
    order_after(action, users.writers);
    order_after(action, users.readers);
  });
}

void RegionMap::Known::forget_complete() {
  if (users.parts().size() <= parts_at_most) return;
  users.change(users.all(), [](Users& of) {
    drop_complete(of.writers);
    drop_complete(of.readers);
  });
  parts_at_most = std::max(kFewParts, 2 * users.parts().size());
}

void RegionMap::record_read(int domain, const ByteRanges& ranges, Ordered& action) {
  known(domain).forget_complete();
  BytePartition<Users>& users = known(domain).users;
  const auto add = [&](Users& of) { of.add_reader(action); };
  // Launches whose reads end at different bytes would cut the bytes into as many parts as there are launches.
  // Beyond most_parts_, a reader of some bytes of a part counts as a reader of all of them. That only adds
  // order.
  if (users.parts().size() < most_parts_) {
    users.change(ranges, add);
  } else {
    users.visit(ranges, add);
  }
}

void RegionMap::record_write(int domain, const ByteRanges& ranges, Ordered& action) {
  known(domain).forget_complete();
  known(domain).users.change(ranges, [&](Users& users) {
    // Several pieces of one command may claim a byte: its last writer is then all of them.
    std::erase_if(users.writers,
                  [&](const Ref<Ordered>& w) { return !action.same_owner(*w) || w.get() == &action; });
    users.writers.emplace_back(&action);
    std::erase_if(users.readers, [&](const Ref<Ordered>& r) { return !action.same_owner(*r); });
  });
}

void RegionMap::read(int domain, const ByteRanges& ranges, Ordered& action) {
  order_read(domain, ranges, action);
  record_read(domain, ranges, action);
}

void RegionMap::write(int domain, const ByteRanges& ranges, Ordered& action) {
  order_write(domain, ranges, action);
  record_write(domain, ranges, action);
}

ByteRanges RegionMap::missing(int domain, const ByteRanges& ranges) const {
  const int place = place_of(domain);
  return valid_.where(ranges, [&](uint32_t valid) { return !valid_in(place, valid); });
}

ByteRanges RegionMap::valid(int domain) const {
  const int place = place_of(domain);
  return valid_.where([&](uint32_t valid) { return valid_in(place, valid); });
}

bool RegionMap::any_valid(int domain) const {
  const int place = place_of(domain);
  return std::any_of(valid_.parts().begin(), valid_.parts().end(),
                     [&](const auto& part) { return valid_in(place, part.state); });
}

bool RegionMap::all_valid(int domain) const {
  const int place = place_of(domain);
  return std::all_of(valid_.parts().begin(), valid_.parts().end(),
                     [&](const auto& part) { return valid_in(place, part.state); });
}

std::vector<RegionMap::Source> RegionMap::sources(const ByteRanges& missing) const {
  std::vector<Source> result;
  ByteRanges left = missing;
  for (int d = 0; d < static_cast<int>(known_.size()) && !left.empty(); ++d) {
    ByteRanges here = valid_.where(left, [&](uint32_t valid) { return valid_in(d, valid); });
    if (here.empty()) continue;
    left.subtract(here);
    result.push_back({d, std::move(here)});
  }
  return result;
}

void RegionMap::add_valid(int domain, const ByteRanges& ranges) {
  const int place = place_of(domain);
  valid_.change(ranges, [place](uint32_t& valid) { valid |= 1u << place; });
}

void RegionMap::set_only_valid(int domain, const ByteRanges& ranges) {
  const int place = place_of(domain);
  valid_.change(ranges, [place](uint32_t& valid) { valid = 1u << place; });
}

void RegionMap::remove_valid(int domain, const ByteRanges& ranges) {
  const int place = place_of(domain);
  valid_.change(ranges, [place](uint32_t& valid) { valid &= ~(1u << place); });
}

void RegionMap::set_invalid(const ByteRanges& ranges) {
  valid_.change(ranges, [](uint32_t& valid) { valid = 0; });
}

ByteRanges RegionMap::nowhere(const ByteRanges& ranges) const {
  return valid_.where(ranges, [](uint32_t valid) { return valid == 0; });
}

bool RegionMap::suits(const ByteRanges& ranges) const {
  return suit(valid_, ranges) && std::all_of(known_.begin(), known_.end(),
                                             [&](const Known& known) { return suit(known.users, ranges); });
}

bool RegionMap::is_all_home() const {
  for (size_t d = 1; d < known_.size(); ++d) {
    if (!is_home(static_cast<int>(d))) return false;
  }
  return true;
}

void RegionMap::forget_actions() {
  for (Known& known : known_)
    known = {{valid_.size(), Users{}}};
}

}  // namespace mkmd
