// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/poison.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace mkmd::verify {

namespace {

constexpr size_t kPeriod = 8;
constexpr unsigned char kPatterns[2][kPeriod] = {
    {0x01, 0, 0, 0, 0, 0, 0, 0},
    {0xc3, 0x5a, 0xa5, 0xc2, 0x3c, 0x69, 0xb7, 0x42},  // floats -82.68 and 91.71, double 2.5746e13
};
constexpr size_t kAtOnce = 16384;  // bytes: both sides of a comparison stay in the nearest cache
constexpr size_t kMostRanges = 256;

// Pattern bytes to compare with and copy from, beginning at any phase.
const unsigned char* pattern(Poison poison, uint64_t offset) {
  static const auto* const all = [] {
    auto* made = new std::array<std::array<unsigned char, kAtOnce + kPeriod>, 2>;
    for (size_t p = 0; p < 2; ++p) {
      for (size_t i = 0; i < kAtOnce + kPeriod; ++i)
        (*made)[p][i] = kPatterns[p][i % kPeriod];
    }
    return made;
  }();
  return (*all)[static_cast<size_t>(poison)].data() + offset % kPeriod;
}

// Calls for every stretch of at most kAtOnce bytes: (offset, length).
template <typename Visit>
void each_stretch(const ByteRanges& ranges, Visit visit) {
  ranges.each_range([&](ByteRange range) {
    for (uint64_t at = range.lo; at < range.hi; at += kAtOnce)
      visit(at, std::min<size_t>(kAtOnce, range.hi - at));
  });
}

// The bytes of a stretch that differ, or that are equal.
void add_where(bool equal, const unsigned char* a, const unsigned char* b, uint64_t offset, size_t length,
               ByteRanges& found) {
  for (size_t i = 0; i < length;) {
    if ((a[i] == b[i]) != equal) {
      ++i;
      continue;
    }
    const size_t first = i;
    while (i < length && (a[i] == b[i]) == equal)
      ++i;
    found.add(offset + first, offset + i);
    if (found.size() > kMostRanges) found = {found.hull().lo, found.hull().hi};
  }
}

}  // namespace

unsigned char poison_at(Poison poison, uint64_t offset) {
  return *pattern(poison, offset);
}

void fill(Poison poison, unsigned char* image, const ByteRanges& ranges) {
  each_stretch(ranges, [&](uint64_t offset, size_t length) {
    std::memcpy(image + offset, pattern(poison, offset), length);
  });
}

void copy(const unsigned char* from, unsigned char* image, const ByteRanges& ranges) {
  ranges.each_range([&](ByteRange r) { std::memcpy(image + r.lo, from + r.lo, r.hi - r.lo); });
}

ByteRanges not_poison(Poison poison, const unsigned char* image, const ByteRanges& ranges) {
  ByteRanges found;
  each_stretch(ranges, [&](uint64_t offset, size_t length) {
    const unsigned char* const expected = pattern(poison, offset);
    if (std::memcmp(image + offset, expected, length) != 0)
      add_where(false, image + offset, expected, offset, length, found);
  });
  return found;
}

ByteRanges still_poison(Poison poison, const unsigned char* image, const ByteRanges& ranges) {
  ByteRanges found;
  each_stretch(ranges, [&](uint64_t offset, size_t length) {
    add_where(true, image + offset, pattern(poison, offset), offset, length, found);
  });
  return found;
}

ByteRanges differing(const unsigned char* image, const unsigned char* other, const ByteRanges& ranges) {
  ByteRanges found;
  each_stretch(ranges, [&](uint64_t offset, size_t length) {
    if (std::memcmp(image + offset, other + offset, length) != 0)
      add_where(false, image + offset, other + offset, offset, length, found);
  });
  return found;
}

}  // namespace mkmd::verify
