// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/buffer_use.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// Whether `is`, for each two uses of one buffer.
template <typename Is>
bool for_common(const BufferUses& a, const BufferUses& b, const Is& is) {
  return std::ranges::all_of(a, [&](const BufferUse& x) {
    return std::ranges::all_of(b, [&](const BufferUse& y) { return x.root != y.root || is(x, y); });
  });
}

}  // namespace

BufferUse& use_of(BufferUses& uses, Memory* root) {
  const auto use = std::ranges::find(uses, root, &BufferUse::root);
  if (use != uses.end()) return *use;
  uses.emplace_back().root = root;
  return uses.back();
}

bool independent(const BufferUses& a, const BufferUses& b) {
  return for_common(a, b, [](const BufferUse& x, const BufferUse& y) {
    return !x.writes.overlaps(y.writes) && !x.writes.overlaps(y.reads) && !y.writes.overlaps(x.reads);
  });
}

bool commute(const BufferUses& a, const BufferUses& b) {
  return for_common(a, b, [](const BufferUse& x, const BufferUse& y) {
    ByteRanges touched = y.reads;
    touched.unite(y.writes);
    ByteRanges common = x.writes.intersection(touched);
    common.unite(y.writes.intersection(x.reads));
    if (common.empty()) return true;
    common.subtract(compiler::commuting(x.updates, y.updates));
    return common.empty();
  });
}

}  // namespace mkmd
