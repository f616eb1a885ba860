// SPDX-License-Identifier: Apache-2.0
// ByteRanges: a set of bytes. What a piece of a kernel reads or writes, and which bytes of a buffer are
// valid in a memory, are such sets. The columns of a matrix are thousands of ranges, one per row. So equal
// ranges at equal distances are kept, cut and joined as one: ByteRows.
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

struct ByteRows {
  uint64_t lo = 0;      // of the first row
  uint64_t length = 0;  // of every row
  uint64_t pitch = 0;   // from one row to the next, longer than a row; 0 if there is only one
  uint64_t count = 1;

  uint64_t row(uint64_t i) const { return lo + i * pitch; }
  uint64_t hi() const { return row(count - 1) + length; }
  uint64_t total() const { return length * count; }
  ByteRows rows(uint64_t first, uint64_t n) const { return {row(first), length, n > 1 ? pitch : 0, n}; }
  ByteRows columns(uint64_t from, uint64_t to) const { return {lo + from, to - from, pitch, count}; }
  bool operator==(const ByteRows&) const = default;
};

// It has more than 25 methods: the operations of sets, and what keeps the blocks in order.
class ByteRanges {
public:
  ByteRanges() = default;
  ByteRanges(uint64_t lo, uint64_t hi) { add(lo, hi); }
  explicit ByteRanges(const ByteRows& rows) { add(rows); }
  // Of sets that have no byte in common: sooner than uniting one after another.
  static ByteRanges sum(const std::vector<ByteRanges>& apart);
  // As begin() and end() gave them: one set can be cut into blocks in several ways.
  static ByteRanges of_blocks(std::vector<ByteRows> blocks);

  void add(uint64_t lo, uint64_t hi);
  void add(const ByteRows& rows);
  void unite(const ByteRanges& other);
  void subtract(const ByteRanges& other);
  void clip(uint64_t lo, uint64_t hi);  // drops what lies outside [lo, hi)
  void shift(uint64_t offset);          // moves every byte up by `offset`, modulo 2^64
  void scale(uint64_t factor);          // each byte becomes `factor` bytes

  bool empty() const { return blocks_.empty(); }
  uint64_t total() const;
  bool overlaps(const ByteRanges& other) const;
  bool contains(uint64_t lo, uint64_t hi) const;
  ByteRanges intersection(const ByteRanges& other) const;
  ByteRange hull() const { return empty() ? ByteRange{} : ByteRange{blocks_.front().lo, hi_}; }
  bool operator==(const ByteRanges& other) const;

  // The blocks, which have no byte in common, ordered by their first bytes.
  size_t size() const { return blocks_.size(); }
  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }

  // Every row of every block: visit(ByteRange).
  template <typename Visit>
  void each_range(Visit&& visit) const {
    for (const ByteRows& rows : blocks_) {
      for (uint64_t i = 0; i < rows.count; ++i)
        visit(ByteRange{rows.row(i), rows.row(i) + rows.length});
    }
  }

private:
  using Blocks = std::vector<ByteRows>;
  bool apart(const ByteRanges& other) const {
    return empty() || other.empty() || hi_ <= other.blocks_.front().lo || other.hi_ <= blocks_.front().lo;
  }
  Blocks::const_iterator first_reaching(uint64_t lo) const;
  void tidy();
  uint64_t measure();

  Blocks blocks_;
  uint64_t hi_ = 0;         // the end of the last byte
  uint64_t longest_ = 0;    // from the first to the last byte of a block, at most
  bool entangled_ = false;  // a block begins before one that begins earlier has ended
};

}  // namespace mkmd
