// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/work.hpp"

#include <algorithm>

namespace mkmd {

models::Work work_of(const compiler::KernelInfo& info, const compiler::Launch& launch,
                     const compiler::GroupBox& box) {
  const compiler::LaunchFootprints footprints(info, launch);
  double all = 1;
  double share = 1;
  for (size_t d = 0; d < 3; ++d) {
    const double here = static_cast<double>(launch.global[d]) / static_cast<double>(launch.local[d]);
    all *= static_cast<double>(launch.global[d]);
    share *= static_cast<double>(box.hi[d] - box.lo[d]) / here;
  }
  models::Work work;
  work.local = launch.local;
  work.items = all * share;
  work.operations = std::max(1.0, footprints.operations() * share);
  work.bytes = std::max(0.0, footprints.bytes_moved() * share);
  for (const compiler::Footprint& f : footprints.of(box)) {
    ByteRanges touched = f.reads;
    touched.unite(f.may_writes);
    work.footprint += static_cast<double>(touched.total());
  }
  work.crowding = footprints.crowding();
  return work;
}

models::Work work_of(const compiler::KernelInfo& info, const compiler::Launch& launch) {
  compiler::GroupBox whole;
  for (size_t d = 0; d < 3; ++d)
    whole.hi[d] = launch.global[d] / launch.local[d];
  return work_of(info, launch, whole);
}

}  // namespace mkmd
