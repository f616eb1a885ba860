// SPDX-License-Identifier: Apache-2.0
// What a device's compiler may find to have no value: undefined numbers, and results that OpenCL C leaves
// open. It need not store them, so the bytes may stay as they were.
#pragma once

#include <cstdint>
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <vector>

#include "compiler/helper/specified_results.hpp"

namespace mkmd::compiler {

// Of one kernel: what was shown to have a value is remembered.
class Definedness {
public:
  Definedness(llvm::Function& kernel, llvm::DominatorTree& dominators, llvm::LoopInfo& loops);

  // How many bytes of a stored value, from its first, are certainly stored. Of a float3, which is stored as a
  // float4, the last component is undefined.
  int64_t surely_stored(const llvm::Value* value);

private:
  using Part = std::pair<const llvm::Value*, int>;  // a component of a vector, or a number

  bool has_value(const llvm::Value* value, int component);
  void want(const llvm::Value* value, int component);
  bool look_at(const Part& part);
  bool look_at_insert(const llvm::Value& value, int component);
  bool look_at_shuffle(const llvm::Value& value, int component);
  bool look_at_call(const llvm::Value& value, int component);
  bool is_filled(const llvm::LoadInst& load, int component);
  bool want_written(const llvm::Value& variable, const llvm::LoadInst& load, int component);
  void want_all(const llvm::Value& value, int component);
  void find_written(const llvm::Value& pointer, uint64_t at, const llvm::LoadInst& load,
                    llvm::BitVector& written) const;
  void find_written_in_loops(const llvm::AllocaInst& variable, const llvm::LoadInst& load,
                             llvm::BitVector& written) const;

  const llvm::DataLayout& layout_;
  const llvm::DominatorTree& dominators_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::TargetLibraryInfo known_functions_;
  llvm::AssumptionCache assumptions_;
  mutable llvm::ScalarEvolution evolution_;  // it remembers what it was asked
  SpecifiedResults specified_;
  llvm::DenseSet<Part> have_values_;
  llvm::DenseSet<Part> seen_;  // since the last question
  std::vector<Part> todo_;
};

}  // namespace mkmd::compiler
