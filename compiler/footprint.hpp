// SPDX-License-Identifier: Apache-2.0
// Footprint: which bytes of each buffer, and which pixels of each image, a box of work-groups reads and
// writes, computed at enqueue from a KernelInfo. Reads and may_writes are never too small; sure_writes is
// exactly what is certainly written and never too large. Reads may reach past the end of a buffer (a tile's
// halo): clip them. Start with LaunchFootprints, which evaluates the expressions of a launch once and then
// answers for any number of boxes.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "common/byte_ranges.hpp"
#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

struct Launch {
  unsigned work_dim = 1;
  std::array<uint64_t, 3> global{1, 1, 1}, local{1, 1, 1}, offset{0, 0, 0};
  // By slot: integers sign- or zero-extended, anything for arguments that are no integers. See set_scalars().
  std::vector<int64_t> scalars;

  bool operator==(const Launch&) const = default;
};

// Work-groups of the original NDRange, half-open.
struct GroupBox {
  std::array<uint64_t, 3> lo{0, 0, 0}, hi{1, 1, 1};

  uint64_t group_count() const { return (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]); }
  bool operator==(const GroupBox&) const = default;
};

struct Updated {
  Update by;
  ByteRanges bytes;
};

struct Footprint {
  int argument = 0;
  bool reads_unknown = false, writes_unknown = false;  // anywhere in the buffer
  // Offsets from the argument. may_writes includes sure_writes, but is empty when writes_unknown.
  ByteRanges reads, sure_writes, may_writes;
  // Where there are updates: the bytes of each kind, and those that anything else touches. They overlap where
  // the kernel does both.
  struct Updates {
    Updated may;
    bool unknown = false;  // anywhere in the buffer
  };
  std::vector<Updates> updates;
  ByteRanges others;
  bool others_unknown = false;
};

// Puts an argument's value (as given to clSetKernelArg; of an image, its ImageExtent) into its slots of
// Launch::scalars, which it sizes if needed.
void set_scalars(const KernelInfo&, unsigned argument, const void* value, size_t size,
                 std::vector<int64_t>& scalars);
// By slot: whether the description depends on the number, or the time may. Of two launches that differ in
// other numbers alone, it says the same.
std::vector<bool> scalars_that_matter(const KernelInfo&);

inline constexpr size_t kMostBlocks = 1024;  // of any set

class LaunchFootprints {
public:
  // The info must outlive this object. If a global size is not a multiple of its local size, all is unknown.
  LaunchFootprints(const KernelInfo&, const Launch&);

  // One per buffer argument the kernel accesses. Of a set with more than `most_blocks` blocks, the smallest
  // gaps are filled, or all of them. That takes a small part of the time, and is as safe.
  std::vector<Footprint> of(const GroupBox&, size_t most_blocks = kMostBlocks) const;
  double trips() const;       // of innermost loops, over the whole launch
  double operations() const;  // of the whole launch; a guess if cost.irregular
  // How unevenly one access of a whole work-group loads the sets of a cache whose ways are 4 KiB. The
  // number is the most cache lines in one set, of the worst access; 1 is best. Rows crowd that are a
  // multiple of a large power of two apart. Bytes reached in a loop are not counted: they are not needed at
  // the same time.
  double crowding() const;
  struct GroupUse {
    double lines = 0;     // bytes in the cache lines it touches
    double reach = 0;     // bytes in the 4 KiB pages it touches
    double crowding = 1;  // its lines that share a cache set, for its average line in the worst buffer
  };
  // What one work-group touches from its first instruction to its last, loops included, and comes back to as
  // long as caches keep it. What is not known does not count.
  GroupUse one_group() const;
  double bytes_moved() const;  // loads and stores of the whole launch, not distinct bytes

  struct Value {
    int64_t value = 0;
    bool known = false;
  };

private:
  double per_item(int expression) const;

  const KernelInfo& info_;
  std::array<int64_t, 3> local_{1, 1, 1}, groups_{1, 1, 1}, global_{1, 1, 1}, offset_{0, 0, 0};
  std::vector<int64_t> scalars_;
  unsigned work_dim_ = 1;
  bool uniform_ = true;
  std::vector<Value> values_;  // of info.expressions
  std::set<int> updated_;      // arguments
};

}  // namespace mkmd::compiler
