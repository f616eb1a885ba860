// SPDX-License-Identifier: Apache-2.0
// OwnedBytes: the bytes of a buffer that work-groups write, where no two touch a byte that one of them
// writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/footprint.hpp"
#include "compiler/use.hpp"

namespace mkmd::compiler {

class OwnedBytes {
public:
  // `owners`: by element of so many bytes, one more than the number of the work-group that writes some of it;
  // 0: none does. Work-groups are counted along dimension 0 first.
  OwnedBytes(const std::array<uint64_t, 3>& groups, uint64_t unit, std::span<const uint32_t> owners);

  bool known() const { return !too_many_; }  // false: they are in too many places to name

  // Of a use by the work-groups in the box: without what others write. Nothing changes where so many blocks
  // are not enough to say that.
  void limit(Use& use, const GroupBox& box, size_t most_blocks) const;

private:
  struct Run {  // of elements of one work-group, one behind the other
    uint64_t begin = 0, end = 0;
    uint32_t group = 0;
  };
  ByteRanges bytes(const GroupBox& box, bool inside) const;

  const std::array<uint64_t, 3> groups_;
  const uint64_t unit_;
  std::vector<Run> runs_;
  bool too_many_ = false;  // runs: then there are none
};

}  // namespace mkmd::compiler
