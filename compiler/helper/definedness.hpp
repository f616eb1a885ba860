// SPDX-License-Identifier: Apache-2.0
// What a device's compiler may find to have no value: undefined numbers, and results that OpenCL C leaves
// open. It need not store them, so the bytes may stay as they were.
#pragma once

#include <cstdint>
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <optional>
#include <vector>

#include "compiler/helper/specified_results.hpp"

namespace mkmd::compiler {

// Of one kernel: what was shown to have a value is remembered.
class Definedness {
public:
  using Checks = std::vector<int>;  // of the KernelInfo, all of the launch alone

  // All must outlive it.
  Definedness(llvm::Function& kernel, llvm::DominatorTree& dominators, llvm::LoopInfo& loops, Values& values,
              InfoBuilder& builder);

  struct Stored {
    int64_t bytes = 0;
    Checks checks;
  };
  // How many bytes of a stored value, from its first, are certainly stored where the checks hold. Of a
  // float3, which is stored as a float4, the last component is undefined.
  Stored surely_stored(const llvm::Value* value);
  // The same of bytes that a function of OpenCL's stores: what it is given must have values.
  Stored surely_stored(const llvm::CallBase& call, int64_t bytes);
  // The checks under which all conditions and addresses of the kernel have values. None at all: some may have
  // none. To branch on one, or to load there, is no mistake in OpenCL C. But compilers take it for
  // unreachable, and drop what the kernel stores.
  std::optional<Checks> conditions_and_addresses();

private:
  using Part = std::pair<const llvm::Value*, int>;  // a component of a vector, or a number

  std::optional<Checks> has_value(const llvm::Value* value, int component);
  std::optional<Checks> has_value(const llvm::Value* value);  // all components
  std::optional<Checks> have_values(llvm::ArrayRef<const llvm::Value*> values);
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

  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  const llvm::DominatorTree& dominators_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::TargetLibraryInfo known_functions_;
  llvm::AssumptionCache assumptions_;
  mutable llvm::ScalarEvolution evolution_;  // it remembers what it was asked
  SpecifiedResults specified_;
  // Under which of the sets of checks.
  llvm::DenseMap<Part, size_t> have_values_;
  std::vector<Checks> sets_{{}};
  // Since the last question.
  llvm::DenseSet<Part> seen_;
  std::vector<Part> todo_;
  Checks checks_;
};

}  // namespace mkmd::compiler
