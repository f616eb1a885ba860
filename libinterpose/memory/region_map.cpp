// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/region_map.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr size_t kMany = 1024;  // blocks
constexpr size_t kFew = 256;    // rows

void drop_complete(std::vector<Ref<Action>>& actions) {
  std::erase_if(actions, [](const Ref<Action>& a) { return a->complete(); });
}

void order_after(Action& action, std::vector<Ref<Action>>& earlier) {
  drop_complete(earlier);
  for (const Ref<Action>& before : earlier) {
    if (before.get() != &action && !action.same_command(*before)) action.wait_for(*before);
  }
}

}  // namespace

void RegionMap::State::drop_complete() {
  for (PerDomain& d : domains) {
    mkmd::drop_complete(d.writers);
    mkmd::drop_complete(d.readers);
  }
}

RegionMap::RegionMap(uint64_t size, int domains)
    : domain_count_(domains), bytes_(size, {1u, std::vector<PerDomain>(domains)}) {}

void RegionMap::order_read(int domain, const ByteRanges& ranges, Action& action) {
  bytes_.visit(ranges, [&](State& s) { order_after(action, s.domains[domain].writers); });
}

void RegionMap::order_write(int domain, const ByteRanges& ranges, Action& action) {
  bytes_.visit(ranges, [&](State& s) {
    order_after(action, s.domains[domain].writers);
    order_after(action, s.domains[domain].readers);
  });
}

void RegionMap::record_read(int domain, const ByteRanges& ranges, Action& action) {
  bytes_.change(ranges, [&](State& s) {
    s.drop_complete();
    PerDomain& d = s.domains[domain];
    if (d.readers.empty() || d.readers.back().get() != &action) d.readers.emplace_back(&action);
  });
}

void RegionMap::record_write(int domain, const ByteRanges& ranges, Action& action) {
  bytes_.change(ranges, [&](State& s) {
    s.drop_complete();
    PerDomain& d = s.domains[domain];
    // Several pieces of one command may claim a byte: its last writer is then all of them.
    std::erase_if(d.writers,
                  [&](const Ref<Action>& w) { return !action.same_command(*w) || w.get() == &action; });
    d.writers.emplace_back(&action);
    std::erase_if(d.readers, [&](const Ref<Action>& r) { return !action.same_command(*r); });
  });
}

void RegionMap::read(int domain, const ByteRanges& ranges, Action& action) {
  order_read(domain, ranges, action);
  record_read(domain, ranges, action);
}

void RegionMap::write(int domain, const ByteRanges& ranges, Action& action) {
  order_write(domain, ranges, action);
  record_write(domain, ranges, action);
}

ByteRanges RegionMap::missing(int domain, const ByteRanges& ranges) const {
  return bytes_.where(ranges, [&](const State& s) { return !s.valid_in(domain); });
}

ByteRanges RegionMap::valid(int domain) const {
  return bytes_.where([&](const State& s) { return s.valid_in(domain); });
}

bool RegionMap::any_valid(int domain) const {
  return std::any_of(bytes_.parts().begin(), bytes_.parts().end(),
                     [&](const auto& part) { return part.state.valid_in(domain); });
}

bool RegionMap::all_valid(int domain) const {
  return std::all_of(bytes_.parts().begin(), bytes_.parts().end(),
                     [&](const auto& part) { return part.state.valid_in(domain); });
}

std::vector<RegionMap::Source> RegionMap::sources(const ByteRanges& missing) const {
  std::vector<Source> result;
  ByteRanges left = missing;
  for (int d = 0; d < domain_count_ && !left.empty(); ++d) {
    ByteRanges here = left.intersection(valid(d));
    if (here.empty()) continue;
    left.subtract(here);
    result.push_back({d, std::move(here)});
  }
  return result;
}

void RegionMap::add_valid(int domain, const ByteRanges& ranges) {
  bytes_.change(ranges, [&](State& s) { s.valid |= 1u << domain; });
}

void RegionMap::set_only_valid(int domain, const ByteRanges& ranges) {
  bytes_.change(ranges, [&](State& s) { s.valid = 1u << domain; });
}

void RegionMap::remove_valid(int domain, const ByteRanges& ranges) {
  bytes_.change(ranges, [&](State& s) { s.valid &= ~(1u << domain); });
}

void RegionMap::set_invalid(const ByteRanges& ranges) {
  bytes_.change(ranges, [&](State& s) { s.valid = 0; });
}

ByteRanges RegionMap::nowhere(const ByteRanges& ranges) const {
  return bytes_.where(ranges, [](const State& s) { return s.valid == 0; });
}

bool RegionMap::suits(const ByteRanges& ranges) const {
  size_t blocks = 0;
  for (const auto& [bytes, state] : bytes_.parts()) {
    blocks += bytes.size();
    for (const ByteRows& known : bytes) {
      for (const ByteRows& rows : ranges) {
        if (known.count > 1 && rows.count > 1 && known.pitch != rows.pitch && rows.count + known.count > kFew)
          return false;
      }
    }
  }
  return blocks + ranges.size() <= kMany;
}

void RegionMap::forget_actions() {
  bytes_.change(bytes_.all(), [](State& s) {
    for (PerDomain& d : s.domains)
      d = {};
  });
}

}  // namespace mkmd
