// SPDX-License-Identifier: Apache-2.0
// ByteRanges: a set of bytes, kept as sorted, disjoint, non-touching half-open ranges. What a piece of a
// kernel reads or writes, and which bytes of a buffer are valid in a memory, are such sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mkmd {

struct ByteRange {
  uint64_t lo = 0;
  uint64_t hi = 0;  // exclusive
  bool operator==(const ByteRange&) const = default;
};

class ByteRanges {
public:
  ByteRanges() = default;
  ByteRanges(uint64_t lo, uint64_t hi) { add(lo, hi); }

  void add(uint64_t lo, uint64_t hi);
  void unite(const ByteRanges& other);
  void subtract(const ByteRanges& other);
  void clip(uint64_t lo, uint64_t hi);  // drops what lies outside [lo, hi)
  void shift(uint64_t offset);          // moves every range up by `offset` bytes

  bool empty() const { return ranges_.empty(); }
  uint64_t total() const;
  bool overlaps(const ByteRanges& other) const;
  bool contains(uint64_t lo, uint64_t hi) const;
  ByteRanges intersection(const ByteRanges& other) const;
  ByteRange hull() const;  // {0, 0} when empty

  size_t size() const { return ranges_.size(); }
  auto begin() const { return ranges_.begin(); }
  auto end() const { return ranges_.end(); }
  bool operator==(const ByteRanges&) const = default;

private:
  std::vector<ByteRange> ranges_;
};

}  // namespace mkmd
