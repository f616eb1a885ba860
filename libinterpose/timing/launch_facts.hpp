// SPDX-License-Identifier: Apache-2.0
// What the compiler's analysis says of one launch. Evaluating it takes longer than planning, and programs
// that iterate enqueue the same few launches again.
// So each kernel keeps the facts of its last launches.
#pragma once

#include "common/thread_annotations.hpp"
#include "compiler/footprint.hpp"
#include "libinterpose/objects/objects.hpp"
#include "models/model.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace mkmd {

class LaunchFacts {
public:
  LaunchFacts(const compiler::KernelInfo& info, const compiler::Launch& launch);  // `info` must outlive it

  const compiler::Launch& launch() const { return launch_; }
  double operations() const { return operations_; }  // of the whole launch, at least 1
  double bytes() const { return bytes_; }            // loaded and stored by the whole launch
  double trips() const { return trips_; }            // of innermost loops, over the whole launch
  uint64_t shape() const { return shape_; }          // a hash of the launch

  using Footprints = std::shared_ptr<const std::vector<compiler::Footprint>>;
  Footprints of(const compiler::GroupBox& box, size_t most_blocks = compiler::kMostBlocks) const;

  // What the models of profiling runs want to know of the work-groups in `box`.
  models::Work work(const compiler::GroupBox& box) const;
  const models::Work& work() const;  // of all

private:
  const compiler::Launch launch_;
  const compiler::LaunchFootprints footprints_;
  const double operations_, bytes_, trips_;
  const uint64_t shape_;

  mutable Mutex mutex_;
  struct Known {
    compiler::GroupBox box;
    size_t most_blocks;
    Footprints footprints;
  };
  mutable std::vector<Known> boxes_ GUARDED_BY(mutex_);
  mutable size_t blocks_ GUARDED_BY(mutex_) = 0;  // of all their byte sets
  mutable std::once_flag grouped_;
  mutable double crowding_ = 1;
  mutable compiler::LaunchFootprints::GroupUse group_;
  mutable std::once_flag worked_;
  mutable models::Work work_;
};

// Those of the kernel's launch. It has a KernelInfo.
std::shared_ptr<const LaunchFacts> facts_of(Kernel& kernel, const compiler::Launch& launch)
    REQUIRES(kernel.mutex);

}  // namespace mkmd
