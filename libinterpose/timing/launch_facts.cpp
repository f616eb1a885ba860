// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/launch_facts.hpp"

#include "common/hash.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr size_t kLaunchesKept = 8;    // per kernel
constexpr size_t kBoxesKept = 64;      // per launch
constexpr size_t kBlocksKept = 32768;  // per launch, 1 MiB: scattered bytes are many

uint64_t hash_of(const compiler::Launch& launch) {
  uint64_t hash = launch.work_dim;
  for (int d = 0; d < 3; ++d) {
    hash = mix(hash, launch.global[d]);
    hash = mix(hash, launch.local[d]);
  }
  for (const int64_t scalar : launch.scalars)
    hash = mix(hash, static_cast<uint64_t>(scalar));
  return hash;
}

size_t blocks_in(const std::vector<compiler::Footprint>& footprints) {
  size_t blocks = 0;
  for (const compiler::Footprint& f : footprints)
    blocks += f.reads.size() + f.sure_writes.size() + f.may_writes.size();
  return blocks;
}

}  // namespace

LaunchFacts::LaunchFacts(const compiler::KernelInfo& info, const compiler::Launch& launch)
    : launch_(launch), footprints_(info, launch_), operations_(std::max(1.0, footprints_.operations())),
      bytes_(std::max(0.0, footprints_.bytes_moved())), trips_(footprints_.trips()), shape_(hash_of(launch)) {
}

LaunchFacts::Footprints LaunchFacts::of(const compiler::GroupBox& box, size_t most_blocks) const {
  {
    const Lock lock(mutex_);
    for (const Known& known : boxes_) {
      if (known.box == box && known.most_blocks == most_blocks) return known.footprints;
    }
  }
  auto found = std::make_shared<const std::vector<compiler::Footprint>>(footprints_.of(box, most_blocks));
  const size_t blocks = blocks_in(*found);
  if (blocks > kBlocksKept) return found;
  const Lock lock(mutex_);
  if (boxes_.size() >= kBoxesKept || blocks_ + blocks > kBlocksKept) {
    boxes_.clear();
    blocks_ = 0;
  }
  boxes_.push_back({box, most_blocks, found});
  blocks_ += blocks;
  return found;
}

models::Work LaunchFacts::work(const compiler::GroupBox& box) const {
  double all = 1;
  double share = 1;
  for (size_t d = 0; d < 3; ++d) {
    const double groups = static_cast<double>(launch_.global[d]) / static_cast<double>(launch_.local[d]);
    all *= static_cast<double>(launch_.global[d]);
    share *= static_cast<double>(box.hi[d] - box.lo[d]) / groups;
  }
  models::Work work;
  work.local = launch_.local;
  work.items = all * share;
  work.operations = std::max(1.0, operations_ * share);
  work.bytes = bytes_ * share;
  const Footprints footprints = of(box);
  for (const compiler::Footprint& f : *footprints) {
    ByteRanges touched = f.reads;
    touched.unite(f.may_writes);
    work.footprint += static_cast<double>(touched.total());
  }
  std::call_once(grouped_, [&] {
    crowding_ = footprints_.crowding();
    group_ = footprints_.one_group();
  });
  work.crowding = crowding_;
  double group_items = 1;
  for (const uint64_t size : launch_.local)
    group_items *= static_cast<double>(size);
  work.lines = group_.lines * work.items / group_items;
  work.group_reach = group_.reach;
  work.group_crowding = group_.crowding;
  return work;
}

const models::Work& LaunchFacts::work() const {
  std::call_once(worked_, [&] {
    compiler::GroupBox whole;
    for (size_t d = 0; d < 3; ++d)
      whole.hi[d] = launch_.global[d] / launch_.local[d];
    work_ = work(whole);
  });
  return work_;
}

std::shared_ptr<const LaunchFacts> facts_of(Kernel& kernel, const compiler::Launch& launch) {
  auto& kept = kernel.facts;
  if (kept.empty()) kernel.scalars_that_matter = compiler::scalars_that_matter(*kernel.info());
  compiler::Launch described = launch;
  const size_t slots = std::min(described.scalars.size(), kernel.scalars_that_matter.size());
  for (size_t slot = 0; slot < slots; ++slot)
    if (!kernel.scalars_that_matter[slot]) described.scalars[slot] = 0;
  for (const auto& facts : kept) {
    if (facts->launch() == described) return facts;
  }
  if (kept.size() >= kLaunchesKept) kept.erase(kept.begin());
  return kept.emplace_back(std::make_shared<const LaunchFacts>(*kernel.info(), described));
}

}  // namespace mkmd
