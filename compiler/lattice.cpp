// SPDX-License-Identifier: Apache-2.0
#include "compiler/lattice.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {

__extension__ using Wide = __int128;

// A block is equal rows at equal distances: sets of bytes are as large as they have blocks.
constexpr int64_t kMaxRanges = 65536;

}  // namespace

bool Lattice::normalise(int64_t& extent) {
  std::sort(steps.begin(), steps.begin() + steps_count,
            [](const Step& a, const Step& b) { return a.stride < b.stride; });
  int kept = 0;
  extent = length;
  for (int i = 0; i < steps_count; ++i) {
    const Step s = steps[static_cast<size_t>(i)];
    int64_t reach;
    if (__builtin_mul_overflow(s.stride, s.count - 1, &reach) ||
        __builtin_add_overflow(extent, reach, &extent))
      return false;
    Step* last = kept ? &steps[static_cast<size_t>(kept - 1)] : nullptr;
    if (!last && s.stride <= length) {
      length += reach;
    } else if (last && s.stride % last->stride == 0 && s.stride / last->stride <= last->count) {
      last->count += s.stride / last->stride * (s.count - 1);
    } else {
      steps[static_cast<size_t>(kept++)] = s;
    }
  }
  steps_count = kept;
  int64_t end;
  return !__builtin_add_overflow(start, extent, &end);
}

void Lattice::fill_innermost_gaps() {
  length += steps[0].stride * (steps[0].count - 1);
  int filled = 1;
  for (; filled < steps_count && steps[static_cast<size_t>(filled)].stride <= length; ++filled) {
    const Step& s = steps[static_cast<size_t>(filled)];
    length += s.stride * (s.count - 1);
  }
  std::copy(steps.begin() + filled, steps.begin() + steps_count, steps.begin());
  steps_count -= filled;
}

bool Lattice::list(ByteRanges& out, bool& exact, size_t most_blocks) {
  const auto most = static_cast<int64_t>(most_blocks);
  int64_t extent = 0;
  if (!valid || !normalise(extent) || start == INT64_MIN) return false;
  bool ordered = true;  // blocks of an inner step never reach into the next block of an outer one
  int64_t inner = length;
  for (int i = 0; i < steps_count; ++i) {
    const Step& s = steps[static_cast<size_t>(i)];
    ordered = ordered && s.stride >= inner;
    inner += s.stride * (s.count - 1);
  }
  // Too many to list: the smallest gaps are filled, for instance those between the rows of each plane.
  while (ordered && steps_count > 1 && (ranges() > kMaxRanges || blocks() > most)) {
    fill_innermost_gaps();
    exact = false;
  }
  if (ranges() > (ordered ? kMaxRanges : most)) {
    exact = false;
    length = extent;
    steps_count = 0;
  }
  ByteRanges listed = all(ordered);
  if (out.empty())
    out = std::move(listed);
  else
    out.unite(listed);
  if (out.size() > most_blocks) {
    exact = false;
    out = {out.hull().lo, out.hull().hi};
  }
  return true;
}

ByteRanges Lattice::all(bool ordered) const {
  const int64_t below = std::max<int64_t>(0, -start);  // offsets may be negative before they are clipped
  const bool rows = ordered && steps_count > 0;        // the innermost step is one block
  std::vector<ByteRows> blocks;
  std::array<int64_t, kMaxSteps> counter{};
  for (int64_t at = start + below;;) {
    blocks.push_back({static_cast<uint64_t>(at), static_cast<uint64_t>(length)});
    if (rows) {
      blocks.back().pitch = static_cast<uint64_t>(steps[0].stride);
      blocks.back().count = static_cast<uint64_t>(steps[0].count);
    }
    int i = rows ? 1 : 0;
    for (; i < steps_count; ++i) {
      const Step& s = steps[static_cast<size_t>(i)];
      int64_t& c = counter[static_cast<size_t>(i)];
      at += s.stride;
      if (++c < s.count) break;
      at -= s.stride * s.count;
      c = 0;
    }
    if (i == steps_count) break;
  }
  ByteRanges listed;
  if (!ordered) {
    std::sort(blocks.begin(), blocks.end(), [](const ByteRows& a, const ByteRows& b) { return a.lo < b.lo; });
  }
  for (ByteRows block : blocks) {
    if (!ordered && block.lo < listed.hull().hi) {  // single ranges of one length overlap
      block.length = block.hi() - listed.hull().hi;
      block.lo = listed.hull().hi;
    }
    if (block.length > 0) listed.add(block);
  }
  if (clip_lo >= clip_hi) return {};
  listed.clip(static_cast<uint64_t>(clip_lo) + static_cast<uint64_t>(below),
              static_cast<uint64_t>(clip_hi) + static_cast<uint64_t>(below));
  listed.shift(-static_cast<uint64_t>(below));
  return listed;
}

bool clip(Lattice& lattice, const Form& address, const Form& constraint) {
  // address = a·X + a0, constraint = c·X + c0 >= 0 with one common X
  int64_t a = 0, c = 0;
  const auto proportional = [&](int64_t x, int64_t y) {
    if (x == 0 && y == 0) return true;
    if (x == 0 || y == 0) return false;
    if (x % lattice.length != 0) return false;  // elements side by side or apart, never overlapping
    if (a == 0) {
      a = x;
      c = y;
      return true;
    }
    return static_cast<Wide>(a) * y == static_cast<Wide>(x) * c;
  };
  for (size_t d = 0; d < 3; ++d)
    if (!proportional(address.group[d], constraint.group[d]) ||
        !proportional(address.local[d], constraint.local[d]))
      return false;
  if (address.others_count != constraint.others_count) return false;
  for (const Form::Other& o : address.rest()) {
    int64_t other = 0;
    for (const Form::Other& p : constraint.rest())
      if (p.variable == o.variable) other = p.coefficient;
    if (!proportional(o.coefficient, other)) return false;
  }
  if (a == 0) return false;
  // c·X >= -c0, and address - a0 = a·X: a bound for address - a0 = a · (c·X) / c.
  const Wide product = -static_cast<Wide>(constraint.base) * a;
  if (product > INT64_MAX || product < INT64_MIN) return false;
  const auto bound = static_cast<int64_t>(product);
  const int64_t e = lattice.length;
  int64_t limit;
  if ((a > 0) == (c > 0)) {  // address - a0 >= bound / c
    const int64_t first = ceil_divide(ceil_divide(bound, c), e);
    if (__builtin_mul_overflow(first, e, &limit) || __builtin_add_overflow(limit, address.base, &limit))
      return false;
    lattice.clip_lo = std::max(lattice.clip_lo, limit);
  } else {
    const int64_t last = floor_divide(floor_divide(bound, c), e);
    if (__builtin_mul_overflow(last + 1, e, &limit) || __builtin_add_overflow(limit, address.base, &limit))
      return false;
    lattice.clip_hi = std::min(lattice.clip_hi, limit);
  }
  return true;
}

}  // namespace mkmd::compiler
