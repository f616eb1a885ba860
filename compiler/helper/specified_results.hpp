// SPDX-License-Identifier: Apache-2.0
// Which divisions and conversions have a result that OpenCL C specifies, whatever the launch. It leaves open
// a quotient by zero, one that does not fit (OpenCL C specification, 6.3.1), and the integer made of a
// floating number that it cannot hold (6.2.3.3). A compiler may know more of a value than we do. So a result
// counts as specified only where that is proved.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace mkmd::compiler {

// What a call of the unspecified pass gives back; the value itself if it is no such call.
const llvm::Value* given(const llvm::Value* value);

class SpecifiedResults {
public:
  static constexpr int kAll = -1;  // components of a vector

  // The analysis must be of the function that the values are in, and outlive this.
  explicit SpecifiedResults(llvm::ScalarEvolution& evolution) : evolution_(evolution) {}

  // Whether no component divides by zero, or the least number by -1.
  bool divides(const llvm::BinaryOperator& division) const;
  // Whether a number or a component of a vector fits the integer type it becomes.
  bool converts(const llvm::CastInst& conversion, int component) const;
  // The same for calls of OpenCL's functions, which may round. True of all that do not convert.
  bool converts(const llvm::CallBase& call, int component) const;

private:
  llvm::ScalarEvolution& evolution_;
};

}  // namespace mkmd::compiler
