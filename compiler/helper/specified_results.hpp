// SPDX-License-Identifier: Apache-2.0
// Which divisions and conversions have a result that OpenCL C specifies, whatever the launch. It leaves open
// a quotient by zero, one that does not fit (OpenCL C specification, 6.3.1), and the integer made of a
// floating number that it cannot hold (6.2.3.3). A compiler may know more of a value than we do. So a result
// counts as specified only where that is proved, or where a launch's numbers will show it.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <optional>
#include <vector>

#include "compiler/helper/values.hpp"

namespace mkmd::compiler {

// What a call of the unspecified pass gives back; the value itself if it is no such call.
const llvm::Value* given(const llvm::Value* value);

class SpecifiedResults {
public:
  static constexpr int kAll = -1;  // components of a vector

  // All must be of the function that the values are in, and outlive this.
  SpecifiedResults(llvm::ScalarEvolution& evolution, Values& values, InfoBuilder& builder)
      : evolution_(evolution), values_(values), builder_(builder) {}

  // The checks of the launch under which no component divides by zero, or the least number by -1. None at
  // all: some may, for all that is known.
  std::optional<std::vector<int>> divides(const llvm::BinaryOperator& division) const;
  // Whether a number or a component of a vector fits the integer type it becomes.
  bool converts(const llvm::CastInst& conversion, int component) const;
  // The same for calls of OpenCL's functions, which may round. True of all that do not convert.
  bool converts(const llvm::CallBase& call, int component) const;

private:
  bool always_divides(const llvm::BinaryOperator& division) const;

  llvm::ScalarEvolution& evolution_;
  Values& values_;
  InfoBuilder& builder_;
};

}  // namespace mkmd::compiler
