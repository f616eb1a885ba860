// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/region_map.hpp"

#include <algorithm>

namespace mkmd {

namespace {

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

RegionMap::RegionMap(uint64_t size, int domains) : domain_count_(domains) {
  segments_.push_back({0, size, 1u, std::vector<PerDomain>(domains)});
}

size_t RegionMap::split_at(uint64_t position) {
  auto it = std::upper_bound(segments_.begin(), segments_.end(), position,
                             [](uint64_t p, const Segment& s) { return p < s.hi; });
  const size_t index = it - segments_.begin();
  if (it == segments_.end() || it->lo == position) return index;
  Segment right = *it;
  right.lo = position;
  it->hi = position;
  segments_.insert(it + 1, std::move(right));
  return index + 1;
}

template <typename Visit>
void RegionMap::visit(const ByteRanges& ranges, Visit&& visit) {
  for (const ByteRange& r : ranges) {
    const size_t first = split_at(r.lo);
    const size_t last = split_at(r.hi);
    for (size_t i = first; i < last; ++i)
      visit(segments_[i]);
  }
  coalesce();
}

void RegionMap::coalesce() {
  size_t kept = 0;
  for (size_t i = 1; i < segments_.size(); ++i) {
    Segment& left = segments_[kept];
    Segment& right = segments_[i];
    if (left.valid == right.valid && left.domains == right.domains) {
      left.hi = right.hi;
    } else if (++kept != i) {
      segments_[kept] = std::move(right);
    }
  }
  segments_.resize(kept + 1);
}

void RegionMap::order_read(int domain, const ByteRanges& ranges, Action& action) {
  visit(ranges, [&](Segment& s) { order_after(action, s.domains[domain].writers); });
}

void RegionMap::order_write(int domain, const ByteRanges& ranges, Action& action) {
  visit(ranges, [&](Segment& s) {
    order_after(action, s.domains[domain].writers);
    order_after(action, s.domains[domain].readers);
  });
}

void RegionMap::record_read(int domain, const ByteRanges& ranges, Action& action) {
  visit(ranges, [&](Segment& s) {
    PerDomain& d = s.domains[domain];
    drop_complete(d.readers);
    if (d.readers.empty() || d.readers.back().get() != &action) d.readers.emplace_back(&action);
  });
}

void RegionMap::record_write(int domain, const ByteRanges& ranges, Action& action) {
  visit(ranges, [&](Segment& s) {
    PerDomain& d = s.domains[domain];
    // Several pieces of one command may claim a segment: its last writer is then all of them.
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
  ByteRanges result = ranges;
  result.subtract(valid(domain));
  return result;
}

ByteRanges RegionMap::valid(int domain) const {
  ByteRanges result;
  for (const Segment& s : segments_) {
    if ((s.valid >> domain & 1u) != 0) result.add(s.lo, s.hi);
  }
  return result;
}

bool RegionMap::all_valid(int domain) const {
  return std::all_of(segments_.begin(), segments_.end(),
                     [&](const Segment& s) { return (s.valid >> domain & 1u) != 0; });
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
  visit(ranges, [&](Segment& s) { s.valid |= 1u << domain; });
}

void RegionMap::set_only_valid(int domain, const ByteRanges& ranges) {
  visit(ranges, [&](Segment& s) { s.valid = 1u << domain; });
}

void RegionMap::remove_valid(int domain, const ByteRanges& ranges) {
  visit(ranges, [&](Segment& s) { s.valid &= ~(1u << domain); });
}

void RegionMap::set_invalid(const ByteRanges& ranges) {
  visit(ranges, [&](Segment& s) { s.valid = 0; });
}

ByteRanges RegionMap::nowhere(const ByteRanges& ranges) const {
  ByteRanges result;
  for (const Segment& s : segments_) {
    if (s.valid == 0) result.add(s.lo, s.hi);
  }
  return result.intersection(ranges);
}

void RegionMap::forget_actions() {
  for (Segment& s : segments_) {
    for (PerDomain& d : s.domains) {
      d.writers.clear();
      d.readers.clear();
    }
  }
  coalesce();
}

}  // namespace mkmd
