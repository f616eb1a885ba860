// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/splits.hpp"

#include <algorithm>
#include <random>

namespace mkmd::verify {

namespace {

compiler::GroupBox between(const compiler::GroupBox& whole, int dimension, uint64_t lo, uint64_t hi) {
  compiler::GroupBox box = whole;
  box.lo[dimension] = lo;
  box.hi[dimension] = hi;
  return box;
}

}  // namespace

Pieces split(const compiler::GroupBox& whole, int dimension, uint64_t kind, uint64_t seed) {
  const uint64_t groups = whole.hi[dimension];
  std::mt19937_64 random(seed * 31 + kind);
  std::vector<uint64_t> cuts;
  if (kind == 0) {
    cuts = {groups / 2};
  } else if (kind == 1) {
    cuts = {groups / 3 | 1, (2 * groups / 3) | 1};
  } else {
    for (uint64_t i = 0; i < 1 + kind % 3; ++i)
      cuts.push_back(random() % groups);
  }
  cuts.push_back(groups);
  std::ranges::sort(cuts);
  Pieces pieces;
  uint64_t done = 0;
  for (const uint64_t cut : cuts) {
    const uint64_t end = std::min(cut, groups);
    if (end > done) pieces.push_back(between(whole, dimension, done, end));
    done = std::max(done, end);
  }
  return pieces;
}

Pieces slabs(const compiler::GroupBox& whole, int dimension, uint64_t seed) {
  const uint64_t groups = whole.hi[dimension];
  std::mt19937_64 random(seed);
  std::vector<uint64_t> at = {0, groups - 1};
  if (groups > 2) at.push_back(1 + random() % (groups - 2));
  Pieces pieces;
  for (const uint64_t slab : at)
    pieces.push_back(between(whole, dimension, slab, slab + 1));
  return pieces;
}

}  // namespace mkmd::verify
