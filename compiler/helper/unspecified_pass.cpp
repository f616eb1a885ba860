// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/unspecified_pass.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/raw_ostream.h>

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr llvm::StringRef kGivesBack = "mkmd.gives_back.";

// Poison, or what LLVM may take for another number at each use.
bool has_no_value(const llvm::Value* v) {
  const auto* constant = dyn_cast<llvm::Constant>(v);
  return isa<llvm::UndefValue>(v) || (constant != nullptr && constant->containsUndefOrPoisonElement());
}

// Whether a shift is specified, whatever is shifted. OpenCL C counts modulo the width, and says so by a mask;
// SPIR-V does not.
bool shifts_all(const llvm::Value* amount) {
  const llvm::APInt* most = nullptr;
  using namespace llvm::PatternMatch;
  if (!match(amount, m_APInt(most)) && !match(amount, m_And(m_Value(), m_APInt(most)))) return false;
  return most->ult(amount->getType()->getScalarSizeInBits());
}

// Whether LLVM could make something of the operand that OpenCL C does not say.
bool is_left_open(const llvm::Use& operand) {
  const llvm::Type* type = operand->getType()->getScalarType();
  if (!type->isIntegerTy() && !type->isFloatingPointTy()) return false;
  const auto* user = llvm::cast<llvm::Instruction>(operand.getUser());
  switch (user->getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::URem:
    return !divides_all(user->getOperand(1), false) || has_no_value(operand);
  case llvm::Instruction::SDiv:
  case llvm::Instruction::SRem:
    return !divides_all(user->getOperand(1), true) || has_no_value(operand);
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return (operand.getOperandNo() == 1 && !shifts_all(operand)) || has_no_value(operand);
  case llvm::Instruction::FPToUI:
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FCmp:
    return true;
  case llvm::Instruction::BitCast:
    return (type->isFloatingPointTy() && !user->getType()->isFPOrFPVectorTy()) || has_no_value(operand);
  case llvm::Instruction::Call:  // of LLVM's own functions, which it folds
    return type->isFloatingPointTy();
  case llvm::Instruction::InsertElement:  // a vector is made of it and of what is put into it
    return operand.getOperandNo() == 1 && has_no_value(operand);
  case llvm::Instruction::ShuffleVector:  // the components of a shorter vector, and others beside them
    return false;
  default:
    return has_no_value(operand);
  }
}

// `place`: what the number is for. The operands of x / x must not be equal to LLVM.
llvm::CallInst* given_back(llvm::Value* number, unsigned place, llvm::Instruction* before) {
  llvm::IRBuilder<> builder(before);
  llvm::Type* type = number->getType();
  std::string name = kGivesBack.str();
  llvm::raw_string_ostream(name) << place << '.' << *type;
  llvm::Module& module = *before->getModule();
  const bool fresh = module.getFunction(name) == nullptr;
  llvm::FunctionCallee function = module.getOrInsertFunction(name, type, type);
  if (auto* declared = llvm::cast<llvm::Function>(function.getCallee()); fresh) {
    declared->setDoesNotAccessMemory();
    declared->setDoesNotThrow();
    declared->setWillReturn();
  }
  return builder.CreateCall(function, {number});
}

void hide(llvm::Use& operand) {
  auto* user = llvm::cast<llvm::Instruction>(operand.getUser());
  auto* phi = dyn_cast<llvm::PHINode>(user);
  operand.set(given_back(operand.get(), operand.getOperandNo(),
                         phi != nullptr ? phi->getIncomingBlock(operand)->getTerminator() : user));
}

}  // namespace

llvm::PreservedAnalyses UnspecifiedPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<llvm::Use*> found;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (isa<llvm::CallBase>(i) && !isa<llvm::IntrinsicInst>(i)) continue;  // it takes what it is given
    for (llvm::Use& operand : i.operands())
      if (is_left_open(operand)) found.push_back(&operand);
  }
  for (llvm::Use* operand : found)
    hide(*operand);
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

llvm::CallInst* any_number(llvm::Type* type, llvm::Instruction& before) {
  return given_back(llvm::UndefValue::get(type), 0, &before);
}

bool divides_all(const llvm::Value* divisor, bool is_signed) {
  const auto* constant = dyn_cast<llvm::Constant>(divisor);
  if (constant == nullptr) return false;
  const auto divides = [&](const llvm::Constant* element) {
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element);
    return number != nullptr && !number->isZero() && !(is_signed && number->isMinusOne());
  };
  const auto* elements = dyn_cast<llvm::FixedVectorType>(divisor->getType());
  for (unsigned i = 0; elements != nullptr && i < elements->getNumElements(); ++i)
    if (!divides(constant->getAggregateElement(i))) return false;
  return elements != nullptr || divides(constant);
}

bool gives_back_operand(llvm::StringRef function) {
  return function.starts_with(kGivesBack);
}

}  // namespace mkmd::compiler
