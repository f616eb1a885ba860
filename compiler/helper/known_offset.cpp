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

bool is_argument(const llvm::Value* pointer) {
  return isa<llvm::Argument>(llvm::getUnderlyingObject(pointer));
}

// The private object that a pointer leads to; null: it leads elsewhere.
const llvm::Value* own_object(const llvm::Value* pointer) {
  const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
  return isa<llvm::AllocaInst>(object) ? object : nullptr;
}

Builtin asked_by(const llvm::Value* value) {
  const auto* call = dyn_cast<llvm::CallBase>(value);
  return call != nullptr ? work_item_builtin(declared_callee(*call)) : Builtin::none;
}

// The one use that leads to nothing known: an id in the launch without its offset.
bool is_place(const llvm::Instruction& i) {
  return i.getOpcode() == llvm::Instruction::Sub && asked_by(i.getOperand(0)) == Builtin::global_id &&
         asked_by(i.getOperand(1)) == Builtin::global_offset;
}

// What may be known where the offset is: whatever is computed with it. A product, a comparison or a remainder
// may be known though other operands are not.
class KnownValues {
public:
  explicit KnownValues(const llvm::Function& kernel) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Instruction& i : llvm::instructions(kernel))
        changed |= visit(i);
    }
  }

  bool contains(const llvm::Value* value) const { return known_.contains(value); }

private:
  bool visit(const llvm::Instruction& i) {
    if (asked_by(&i) == Builtin::global_offset) return known_.insert(&i).second;
    const bool any = llvm::any_of(i.operands(), [this](const llvm::Value* v) { return contains(v); });
    if (!any || is_place(i)) return false;
    bool changed = false;
    if (i.mayWriteToMemory())  // then what it writes may be known, too
      for (const llvm::Value* operand : i.operands())
        if (operand->getType()->isPointerTy() && own_object(operand) != nullptr)
          changed |= known_.insert(own_object(operand)).second;
    if (isa<llvm::GetElementPtrInst>(i) && is_argument(&i))
      return changed;  // no compiler knows what lies there
    return known_.insert(&i).second || changed;
  }

  std::set<const llvm::Value*> known_;
};

bool has_number(const llvm::Instruction& i) {
  const auto is_number = [](const llvm::Value* v) { return v->getType()->isFPOrFPVectorTy(); };
  return is_number(&i) || llvm::any_of(i.operands(), is_number);
}

}  // namespace

bool knows_number_by_offset(const llvm::Function& kernel) {
  const KnownValues known(kernel);
  bool computes = false, chooses = false;
  for (const llvm::Instruction& i : llvm::instructions(kernel)) {
    const bool is_known = known.contains(&i);
    if (is_known && i.getType()->isFPOrFPVectorTy()) return true;
    computes |= has_number(i);
    chooses |= is_known && i.isTerminator();
  }
  return computes && chooses;
}

}  // namespace mkmd::compiler
