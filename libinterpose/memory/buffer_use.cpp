// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/buffer_use.hpp"

namespace mkmd {

bool independent(const BufferUses& a, const BufferUses& b) {
  for (const BufferUse& x : a) {
    for (const BufferUse& y : b) {
      if (x.root != y.root) continue;
      if (x.writes.overlaps(y.writes) || x.writes.overlaps(y.reads) || y.writes.overlaps(x.reads))
        return false;
    }
  }
  return true;
}

}  // namespace mkmd
