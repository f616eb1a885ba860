// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/images.hpp"

#include <llvm/IR/DerivedTypes.h>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {
namespace {

using Use = ImageCall::Use;

const llvm::TargetExtType* image_type(const llvm::Value* v) {
  const auto* type = llvm::dyn_cast<llvm::TargetExtType>(v->getType());
  return type && type->getName() == "spirv.Image" ? type : nullptr;
}

// Its parameters are SPIR-V's: the kind (1D, 2D, 3D; 5: 1D of a buffer), depth, whether it is an array, …
unsigned coordinates_of(const llvm::TargetExtType& type) {
  constexpr unsigned kOfBuffer = 5;
  const unsigned kind = type.getIntParameter(0);
  if (kind != kOfBuffer && kind > 2) return 0;
  return (kind == kOfBuffer ? 1 : kind + 1) + (type.getIntParameter(2) != 0 ? 1 : 0);
}

bool are_coordinates(const llvm::Value* v, unsigned count) {
  if (count == 1) return v->getType()->isIntegerTy(32);
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector && vector->getElementType()->isIntegerTy(32) && vector->getNumElements() >= count;
}

Use use_of(llvm::StringRef name, const llvm::CallBase& call, unsigned coordinates) {
  if (name.starts_with("get_image_")) return Use::asks;
  if (name.starts_with("read_image")) return Use::reads;
  const bool writes = name.starts_with("write_image") && call.arg_size() == 3 && coordinates > 0;
  return writes && are_coordinates(call.getArgOperand(1), coordinates) ? Use::writes : Use::unknown;
}

}  // namespace

std::optional<ImageCall> image_call(const llvm::CallBase& call) {
  for (const llvm::Use& operand : call.args()) {
    const llvm::TargetExtType* const type = image_type(operand.get());
    if (!type) continue;
    ImageCall found;
    if (call.getArgOperandNo(&operand) > 0) return found;
    found.image = llvm::dyn_cast<llvm::Argument>(operand.get());
    found.coordinates = coordinates_of(*type);
    found.use = use_of(base_name(declared_callee(call)), call, found.coordinates);
    if (found.use == Use::writes) found.at = call.getArgOperand(1);
    return found;
  }
  return std::nullopt;
}

}  // namespace mkmd::compiler
