// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/buffer_use.hpp"

#include <algorithm>

namespace mkmd {

namespace {

using compiler::Meeting;

// The worst one in any buffer.
bool meet_at_most(Meeting worst, const BufferUses& a, const BufferUses& b) {
  return std::ranges::all_of(a, [&](const BufferUse& x) {
    return std::ranges::all_of(b, [&](const BufferUse& y) {
      return x.root != y.root || (x.apart && y.apart) || meeting(x, y) <= worst;
    });
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
  return meet_at_most(Meeting::none, a, b);
}

bool commute(const BufferUses& a, const BufferUses& b) {
  return meet_at_most(Meeting::updates, a, b);
}

}  // namespace mkmd
