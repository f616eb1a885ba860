// SPDX-License-Identifier: Apache-2.0
#include "common/byte_ranges.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace mkmd {

namespace {

using Blocks = std::vector<ByteRows>;

// How many of the blocks before it a block is tried to be joined with.
constexpr size_t kJoinable = 16;

void put(Blocks* to, const ByteRows& rows) {
  if (to != nullptr && rows.length > 0 && rows.count > 0) to->push_back(rows);
}

void put(Blocks* to, uint64_t lo, uint64_t hi) {
  if (lo < hi) put(to, {lo, hi - lo});
}

bool apart(const ByteRows& a, const ByteRows& b) {
  return a.hi() <= b.lo || b.hi() <= a.lo;
}

// The rows [first, second) have bytes in [lo, hi).
std::pair<uint64_t, uint64_t> rows_in(const ByteRows& a, uint64_t lo, uint64_t hi) {
  if (a.hi() <= lo || hi <= a.lo) return {0, 0};
  if (a.count == 1) return {0, 1};
  const uint64_t first = lo < a.lo + a.length ? 0 : (lo - a.lo - a.length) / a.pitch + 1;
  return {first, std::min(a.count, (hi - a.lo - 1) / a.pitch + 1)};
}

void divide_by_range(const ByteRows& a, uint64_t lo, uint64_t hi, Blocks* common, Blocks* rest) {
  auto [first, last] = rows_in(a, lo, hi);
  if (first >= last) return put(rest, a);
  if (first > 0) put(rest, a.rows(0, first));
  if (last < a.count) put(rest, a.rows(last, a.count - last));
  const auto cut = [&](uint64_t row) {
    const uint64_t begin = a.row(row), end = begin + a.length;
    put(rest, begin, std::max(begin, lo));
    put(common, std::max(begin, lo), std::min(end, hi));
    put(rest, std::min(end, hi), end);
  };
  if (a.row(first) < lo || a.row(first) + a.length > hi) cut(first++);
  if (first < last && a.row(last - 1) + a.length > hi) cut(--last);
  if (first < last) put(common, a.rows(first, last - first));
}

void divide_range(uint64_t lo, uint64_t hi, const ByteRows& b, Blocks* common, Blocks* rest) {
  const auto [first, last] = rows_in(b, lo, hi);
  if (first >= last) return put(rest, lo, hi);
  divide_by_range(b, lo, hi, common, nullptr);
  put(rest, lo, std::max(lo, b.row(first)));
  if (const uint64_t gaps = last - first - 1; gaps > 0)
    put(rest, ByteRows{b.row(first) + b.length, b.pitch - b.length, b.pitch, b.count}.rows(0, gaps));
  put(rest, std::min(hi, b.row(last - 1) + b.length), hi);
}

void divide(const ByteRows& a, const ByteRows& b, Blocks* common, Blocks* rest);

// Rectangles of one plane, whose width is the pitch.
void divide_rectangle(const ByteRows& a, const ByteRows& b, Blocks* common, Blocks* rest) {
  const auto pitch = static_cast<int64_t>(a.pitch);
  const auto distance = static_cast<int64_t>(b.lo - a.lo);
  const int64_t row = distance / pitch - (distance % pitch < 0 ? 1 : 0);
  const auto column = static_cast<uint64_t>(distance - row * pitch);
  if (column + b.length > a.pitch) {  // goes over into the next row of the plane
    const uint64_t fits = a.pitch - column;
    const ByteRows left = b.columns(0, fits), right = b.columns(fits, b.length);
    Blocks others;
    divide(a, left, common, &others);
    for (const ByteRows& other : others)
      divide(other, right, common, rest);
    return;
  }
  const int64_t first = std::max<int64_t>(row, 0);
  const int64_t last = std::min(row + static_cast<int64_t>(b.count), static_cast<int64_t>(a.count));
  if (column >= a.length || first >= last) return put(rest, a);
  const auto above = static_cast<uint64_t>(first), below = static_cast<uint64_t>(last);
  if (above > 0) put(rest, a.rows(0, above));
  if (below < a.count) put(rest, a.rows(below, a.count - below));
  const ByteRows shared = a.rows(above, below - above);
  const uint64_t end = std::min(column + b.length, a.length);
  put(common, shared.columns(column, end));
  put(rest, shared.columns(0, column));
  put(rest, shared.columns(end, a.length));
}

// Cuts `a` into what `b` has as well, and what it has not. Either may be unwanted: null.
void divide(const ByteRows& a, const ByteRows& b, Blocks* common, Blocks* rest) {
  if (apart(a, b)) return put(rest, a);
  if (b.count == 1) return divide_by_range(a, b.lo, b.hi(), common, rest);
  if (a.count == 1) return divide_range(a.lo, a.hi(), b, common, rest);
  if (a.pitch == b.pitch) return divide_rectangle(a, b, common, rest);
  const auto [first, last] = rows_in(a, b.lo, b.hi());
  if (first >= last) return put(rest, a);
  if (first > 0) put(rest, a.rows(0, first));
  for (uint64_t i = first; i < last; ++i)
    divide(a.rows(i, 1), b, common, rest);
  if (last < a.count) put(rest, a.rows(last, a.count - last));
}

// What is left of the rows without those of the blocks, which are ordered, that reach into them.
Blocks without(const ByteRows& rows, Blocks::const_iterator block, Blocks::const_iterator end) {
  Blocks left{rows}, next;
  for (; block != end && block->lo < rows.hi() && !left.empty(); ++block) {
    next.clear();
    for (const ByteRows& part : left)
      divide(part, *block, nullptr, &next);
    left.swap(next);
  }
  return left;
}

// Both as one block, where that is possible. `a` begins first.
std::optional<ByteRows> joined(const ByteRows& a, const ByteRows& b) {
  if (a.lo + a.length == b.lo && a.pitch == b.pitch && a.count == b.count) {  // side by side
    const uint64_t length = a.length + b.length;
    if (length == a.pitch) return ByteRows{a.lo, length * a.count};
    return ByteRows{a.lo, length, a.pitch, a.count};
  }
  if (a.length == b.length && (a.count > 1 || b.count > 1)) {  // one below the other
    const uint64_t pitch = a.count > 1 ? a.pitch : b.pitch;
    if ((b.count == 1 || b.pitch == pitch) && b.lo == a.lo + pitch * a.count)
      return ByteRows{a.lo, a.length, pitch, a.count + b.count};
  }
  return std::nullopt;
}

// Three single rows, as what was cut in another way leaves them: two could be any two.
std::optional<ByteRows> rows_of(const ByteRows& a, const ByteRows& b, const ByteRows& c) {
  if (a.count + b.count + c.count > 3 || a.length != b.length || b.length != c.length) return std::nullopt;
  if (b.lo - a.lo != c.lo - b.lo || b.lo - a.lo <= a.length) return std::nullopt;
  return ByteRows{a.lo, a.length, b.lo - a.lo, 3};
}

bool begins_first(const ByteRows& a, const ByteRows& b) {
  return a.lo < b.lo;
}

}  // namespace

// The first block that may have bytes from `lo` on.
ByteRanges::Blocks::const_iterator ByteRanges::first_reaching(uint64_t lo) const {
  if (!entangled_) {
    return std::upper_bound(blocks_.begin(), blocks_.end(), lo,
                            [](uint64_t at, const ByteRows& b) { return at < b.hi(); });
  }
  if (lo < longest_) return blocks_.begin();
  return std::upper_bound(blocks_.begin(), blocks_.end(), lo - longest_,
                          [](uint64_t at, const ByteRows& b) { return at < b.lo; });
}

// Orders the blocks and joins what can be joined.
void ByteRanges::tidy() {
  if (!std::is_sorted(blocks_.begin(), blocks_.end(), begins_first))
    std::sort(blocks_.begin(), blocks_.end(), begins_first);
  size_t kept = 0;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    ByteRows block = blocks_[i];
    const auto begin = blocks_.begin();
    for (size_t back = 1; back <= std::min(kept, kJoinable);) {
      const size_t at = kept - back;
      if (const auto both = joined(blocks_[at], block)) {
        block = *both;
        std::move(begin + static_cast<std::ptrdiff_t>(at) + 1, begin + static_cast<std::ptrdiff_t>(kept),
                  begin + static_cast<std::ptrdiff_t>(at));
        --kept;
        back = 1;
      } else {
        ++back;
      }
    }
    if (kept >= 2) {
      if (const auto three = rows_of(blocks_[kept - 2], blocks_[kept - 1], block)) {
        block = *three;
        kept -= 2;
      }
    }
    const auto end = begin + static_cast<std::ptrdiff_t>(kept++);
    const auto place = std::upper_bound(begin, end, block, begins_first);
    std::move_backward(place, end, end + 1);
    *place = block;
  }
  blocks_.resize(kept);
  const uint64_t sum = measure();
  if (blocks_.size() > 1 && sum == hi_ - blocks_.front().lo) {
    blocks_ = {{blocks_.front().lo, sum}};
    measure();
  }
}

// Sets what is known of all blocks; returns the sum of their bytes.
uint64_t ByteRanges::measure() {
  hi_ = 0;
  longest_ = 0;
  entangled_ = false;
  uint64_t sum = 0;
  for (const ByteRows& b : blocks_) {
    entangled_ = entangled_ || b.lo < hi_;
    hi_ = std::max(hi_, b.hi());
    longest_ = std::max(longest_, b.hi() - b.lo);
    sum += b.total();
  }
  return sum;
}

void ByteRanges::add(uint64_t lo, uint64_t hi) {
  if (lo < hi) add({lo, hi - lo});
}

void ByteRanges::add(const ByteRows& rows) {
  if (empty() || rows.lo >= hi_) {  // appending in order is the common case
    const auto both = empty() ? std::nullopt : joined(blocks_.back(), rows);
    if (both) {
      blocks_.back() = *both;
    } else {
      blocks_.push_back(rows);
    }
    hi_ = rows.hi();
    longest_ = std::max(longest_, hi_ - blocks_.back().lo);
    return;
  }
  const Blocks left = without(rows, first_reaching(rows.lo), blocks_.end());
  blocks_.insert(blocks_.end(), left.begin(), left.end());
  tidy();
}

ByteRanges ByteRanges::sum(const std::vector<ByteRanges>& apart) {
  ByteRanges all;
  for (const ByteRanges& set : apart)
    all.blocks_.insert(all.blocks_.end(), set.begin(), set.end());
  all.tidy();
  return all;
}

ByteRanges ByteRanges::of_blocks(std::vector<ByteRows> blocks) {
  ByteRanges all;
  all.blocks_ = std::move(blocks);
  all.measure();
  return all;
}

void ByteRanges::unite(const ByteRanges& other) {
  if (empty()) {
    *this = other;
    return;
  }
  if (blocks_ == other.blocks_) return;  // mostly
  // The larger one keeps its form: a diagonal in a matrix would cut each of its rows.
  ByteRanges more = other;
  if (more.total() > total()) std::swap(*this, more);
  more.subtract(*this);
  blocks_.insert(blocks_.end(), more.begin(), more.end());
  tidy();
}

void ByteRanges::subtract(const ByteRanges& other) {
  if (blocks_ == other.blocks_) *this = {};
  if (!overlaps(other)) return;
  Blocks all;
  for (const ByteRows& a : blocks_) {
    const Blocks left = without(a, other.first_reaching(a.lo), other.end());
    all.insert(all.end(), left.begin(), left.end());
  }
  blocks_ = std::move(all);
  tidy();
}

void ByteRanges::clip(uint64_t lo, uint64_t hi) {
  if (!empty() && (hull().lo < lo || hi < hull().hi)) *this = intersection({lo, hi});
}

void ByteRanges::shift(uint64_t offset) {
  for (ByteRows& b : blocks_)
    b.lo += offset;
  hi_ += offset;
}

void ByteRanges::scale(uint64_t factor) {
  for (ByteRows& b : blocks_)
    b = {b.lo * factor, b.length * factor, b.pitch * factor, b.count};
  hi_ *= factor;
  longest_ *= factor;
}

uint64_t ByteRanges::total() const {
  uint64_t sum = 0;
  for (const ByteRows& b : blocks_)
    sum += b.total();
  return sum;
}

bool ByteRanges::overlaps(const ByteRanges& other) const {
  if (apart(other)) return false;
  Blocks common;
  for (const ByteRows& a : blocks_) {
    for (auto b = other.first_reaching(a.lo); b != other.end() && b->lo < a.hi(); ++b) {
      divide(a, *b, &common, nullptr);
      if (!common.empty()) return true;
    }
  }
  return false;
}

bool ByteRanges::contains(uint64_t lo, uint64_t hi) const {
  ByteRanges left(lo, hi);
  left.subtract(*this);
  return left.empty();
}

ByteRanges ByteRanges::intersection(const ByteRanges& other) const {
  if (apart(other)) return {};
  ByteRanges common;
  for (const ByteRows& a : blocks_) {
    for (auto b = other.first_reaching(a.lo); b != other.end() && b->lo < a.hi(); ++b)
      divide(a, *b, &common.blocks_, nullptr);
  }
  common.tidy();
  return common;
}

bool ByteRanges::operator==(const ByteRanges& other) const {
  if (blocks_ == other.blocks_) return true;
  if (hull() != other.hull() || total() != other.total()) return false;
  ByteRanges difference = *this;
  difference.subtract(other);
  return difference.empty();
}

}  // namespace mkmd
