// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/work.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// Rows that are a multiple of this many elements apart fall on few sets of a cache.
constexpr uint64_t kAlignedRow = 256;

bool aligned_rows(const compiler::KernelInfo& info, const compiler::Launch& launch) {
  if (launch.work_dim > 1 && launch.global[0] >= kAlignedRow && launch.global[0] % kAlignedRow == 0)
    return true;
  for (size_t i = 0; i < std::min(info.arguments.size(), launch.scalars.size()); ++i) {
    if (!info.arguments[i].is_integer || info.arguments[i].kind != compiler::Argument::Kind::value) continue;
    const int64_t value = launch.scalars[i];
    if (value >= static_cast<int64_t>(kAlignedRow) && value % static_cast<int64_t>(kAlignedRow) == 0)
      return true;
  }
  return false;
}

}  // namespace

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
  work.aligned_rows = aligned_rows(info, launch);
  return work;
}

models::Work work_of(const compiler::KernelInfo& info, const compiler::Launch& launch) {
  compiler::GroupBox whole;
  for (size_t d = 0; d < 3; ++d)
    whole.hi[d] = launch.global[d] / launch.local[d];
  return work_of(info, launch, whole);
}

}  // namespace mkmd
