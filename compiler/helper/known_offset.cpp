// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/known_offset.hpp"

#include "compiler/helper/builtins.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <set>

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

// What is known where the offset is. In doubt a value is.
class KnownValues {
public:
  explicit KnownValues(const llvm::Function& kernel) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Instruction& i : llvm::instructions(kernel))
        if (!known_.contains(&i) && is_known(i)) changed = known_.insert(&i).second;
    }
  }

  bool empty() const { return known_.empty(); }
  bool contains(const llvm::Value* value) const { return known_.contains(value); }
  bool has_number() const {
    return llvm::any_of(known_, [](const llvm::Value* v) { return v->getType()->isFPOrFPVectorTy(); });
  }

private:
  bool is_given(const llvm::Value* value) const { return isa<llvm::Constant>(value) || contains(value); }
  bool any_known(const llvm::User& user) const {
    return llvm::any_of(user.operands(), [this](const llvm::Value* v) { return contains(v); });
  }

  bool is_known(const llvm::Instruction& i) const {
    if (const auto* call = dyn_cast<llvm::CallBase>(&i)) {
      const llvm::Function* const callee = call->getCalledFunction();
      const bool asks = callee != nullptr && work_item_builtin(callee->getName()) == Builtin::global_offset;
      return asks || any_known(i);
    }
    if (!any_known(i) || isa<llvm::GetElementPtrInst, llvm::LoadInst>(i)) return false;
    if (i.isTerminator()) return true;
    if (const auto* select = dyn_cast<llvm::SelectInst>(&i); select && contains(select->getCondition()))
      return true;
    switch (i.getOpcode()) {
    case llvm::Instruction::Mul:  // of 0
    case llvm::Instruction::And:
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::Store:
      return true;
    default:
      return llvm::all_of(i.operands(), [&](const llvm::Value* v) { return v == &i || is_given(v); });
    }
  }

  std::set<const llvm::Value*> known_;
};

bool is_floating_choice(const llvm::Instruction& i) {
  return isa<llvm::PHINode>(i) && i.getType()->isFPOrFPVectorTy();
}

// A compiler may follow a value through it.
bool keeps_in_own_memory(const llvm::Instruction& i) {
  const auto* store = dyn_cast<llvm::StoreInst>(&i);
  return store && isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
}

}  // namespace

bool knows_number_by_offset(const llvm::Function& kernel) {
  const KnownValues known(kernel);
  if (known.empty()) return false;
  if (known.has_number()) return true;
  const bool chooses = llvm::any_of(llvm::instructions(kernel),
                                    [](const llvm::Instruction& i) { return is_floating_choice(i); });
  return llvm::any_of(llvm::instructions(kernel), [&](const llvm::Instruction& i) {
    if (!known.contains(&i)) return false;
    return keeps_in_own_memory(i) || (chooses && i.isTerminator());
  });
}

}  // namespace mkmd::compiler
