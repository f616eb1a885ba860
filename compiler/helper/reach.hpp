// SPDX-License-Identifier: Apache-2.0
// Where pointers into a variable lead, without following what computes them. The variable is one of the
// work-item's or the work-group's own.
#pragma once

#include <cstdint>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <vector>

namespace mkmd::compiler {

// Where a pointer into a variable may lead: to the byte `first`, or any number of strides from it.
struct Reach {
  int64_t first = 0;
  uint64_t stride = 0;  // 0: there is one place

  bool has(uint64_t byte, uint64_t bytes) const {  // of so many that are there
    const auto distance = static_cast<int64_t>(byte) - first;
    if (stride == 0) return distance >= 0 && static_cast<uint64_t>(distance) < bytes;
    const int64_t rest = distance % static_cast<int64_t>(stride);
    return static_cast<uint64_t>(rest < 0 ? rest + static_cast<int64_t>(stride) : rest) < bytes;
  }
};

Reach reach_of(const llvm::Value& pointer, const llvm::DataLayout& layout);

// The variable, and all pointers that are made of it.
std::vector<const llvm::Value*> made_of(const llvm::Value& variable);

// Whether the place of each byte that is loaded is one of those that writes through such pointers go to.
bool may_be_written(const llvm::LoadInst& load, const std::vector<const llvm::Value*>& pointers,
                    const llvm::DataLayout& layout);

}  // namespace mkmd::compiler
