// SPDX-License-Identifier: Apache-2.0
#include "common/byte_ranges.hpp"

#include <algorithm>

namespace mkmd {

void ByteRanges::add(uint64_t lo, uint64_t hi) {
  if (lo >= hi) return;
  if (ranges_.empty() || lo > ranges_.back().hi) {  // appending in order is the common case
    ranges_.push_back({lo, hi});
    return;
  }
  auto first = std::lower_bound(ranges_.begin(), ranges_.end(), lo,
                                [](const ByteRange& r, uint64_t v) { return r.hi < v; });
  auto last = first;
  while (last != ranges_.end() && last->lo <= hi) {
    lo = std::min(lo, last->lo);
    hi = std::max(hi, last->hi);
    ++last;
  }
  if (first == last) {
    ranges_.insert(first, {lo, hi});
  } else {
    *first = {lo, hi};
    ranges_.erase(first + 1, last);
  }
}

void ByteRanges::unite(const ByteRanges& other) {
  if (empty()) ranges_ = other.ranges_;
  if (*this == other) return;  // mostly, and there may be thousands
  if (other.size() < 8) {
    for (const ByteRange& r : other)
      add(r.lo, r.hi);
    return;
  }
  std::vector<ByteRange> all(ranges_.size() + other.size());
  std::merge(ranges_.begin(), ranges_.end(), other.begin(), other.end(), all.begin(),
             [](const ByteRange& a, const ByteRange& b) { return a.lo < b.lo; });
  ranges_.clear();
  for (const ByteRange& r : all)
    add(r.lo, r.hi);
}

void ByteRanges::subtract(const ByteRanges& other) {
  if (*this == other) ranges_.clear();
  if (!overlaps(other)) return;
  std::vector<ByteRange> left;
  auto cut = other.begin();
  for (ByteRange r : ranges_) {
    while (cut != other.end() && cut->hi <= r.lo)
      ++cut;
    for (auto c = cut; c != other.end() && c->lo < r.hi; ++c) {
      if (c->lo > r.lo) left.push_back({r.lo, c->lo});
      r.lo = std::max(r.lo, std::min(c->hi, r.hi));
    }
    if (r.lo < r.hi) left.push_back(r);
  }
  ranges_ = std::move(left);
}

void ByteRanges::clip(uint64_t lo, uint64_t hi) {
  std::erase_if(ranges_, [&](const ByteRange& r) { return r.hi <= lo || r.lo >= hi || lo >= hi; });
  if (empty()) return;
  ranges_.front().lo = std::max(ranges_.front().lo, lo);
  ranges_.back().hi = std::min(ranges_.back().hi, hi);
}

void ByteRanges::shift(uint64_t offset) {
  if (offset == 0) return;
  for (ByteRange& r : ranges_) {
    r.lo += offset;
    r.hi += offset;
  }
}

uint64_t ByteRanges::total() const {
  uint64_t sum = 0;
  for (const ByteRange& r : ranges_)
    sum += r.hi - r.lo;
  return sum;
}

bool ByteRanges::overlaps(const ByteRanges& other) const {
  auto a = begin();
  auto b = other.begin();
  while (a != end() && b != other.end()) {
    if (a->hi <= b->lo) {
      ++a;
    } else if (b->hi <= a->lo) {
      ++b;
    } else {
      return true;
    }
  }
  return false;
}

bool ByteRanges::contains(uint64_t lo, uint64_t hi) const {
  if (lo >= hi) return true;
  auto r = std::upper_bound(begin(), end(), lo, [](uint64_t v, const ByteRange& x) { return v < x.hi; });
  return r != end() && r->lo <= lo && hi <= r->hi;
}

ByteRanges ByteRanges::intersection(const ByteRanges& other) const {
  ByteRanges common;
  auto a = begin();
  auto b = other.begin();
  while (a != end() && b != other.end()) {
    common.add(std::max(a->lo, b->lo), std::min(a->hi, b->hi));
    if (a->hi < b->hi) {
      ++a;
    } else {
      ++b;
    }
  }
  return common;
}

ByteRange ByteRanges::hull() const {
  if (empty()) return {};
  return {ranges_.front().lo, ranges_.back().hi};
}

}  // namespace mkmd
