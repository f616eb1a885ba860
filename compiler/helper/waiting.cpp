// SPDX-License-Identifier: Apache-2.0
// OpenCL promises no progress to a kernel that spins on what another command writes, but drivers that run
// command-queues side by side make it. A loop may spin if what ends it is read from global memory in one of
// two ways. Either the read hears of others' writes (volatile, atomic), or it is repeated from one place.
#include "compiler/helper/waiting.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/helper/atomics.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/cycles.hpp"
#include "compiler/helper/il_unit.hpp"
#include "compiler/helper/own_memory.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

// The work-item's or the work-group's.
bool is_own_memory(const llvm::Value* value) {
  return value->getType()->isPointerTy() && leads_to_own_memory(value->getType());
}

const llvm::CallBase* atomic_call(const llvm::Instruction& i) {
  const auto* call = dyn_cast<llvm::CallBase>(&i);
  const bool is = call != nullptr && call->arg_size() > 0 &&
                  call->getArgOperand(0)->getType()->isPointerTy() &&
                  is_atomic(base_name(declared_callee(*call)));
  return is ? call : nullptr;
}

// Code that is not here: nobody knows what it does.
bool is_unknown(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (call.isInlineAsm() || callee == nullptr) return true;
  const llvm::StringRef mangled = callee->getName(), name = base_name(mangled);
  const bool is_known =
      callee->isIntrinsic() || is_plain_builtin(mangled) || is_builtin_name(name) || name == "printf";
  return !callee->isDeclaration() || !is_known;
}

// A read that hears of other commands.
bool hears_of_others(const llvm::Instruction& i) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&i))
    return (load->isVolatile() || load->isAtomic()) && may_be_global(load->getPointerOperand());
  if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return may_be_global(i.getOperand(0));
  if (const llvm::CallBase* call = atomic_call(i)) return may_be_global(call->getArgOperand(0));
  const auto* call = dyn_cast<llvm::CallBase>(&i);
  return call != nullptr && declared_callee(*call).contains("pipe");
}

// What one loop's end depends on.
class Ending {
public:
  Ending(const llvm::Loop& loop, const llvm::DominatorTree& dominators)
      : loop_(loop), dominators_(dominators) {}

  bool may_wait() {
    llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
    loop_.getExitingBlocks(exiting);
    return llvm::any_of(exiting, [&](const llvm::BasicBlock* block) {
      wanted_.clear();
      others_ = same_place_ = false;
      want_condition(*block);
      for (size_t i = 0; i < wanted_.size(); ++i)
        if (look_at(*wanted_[i])) return true;
      return same_place_ && !others_;
    });
  }

private:
  void want(const llvm::Value* value) {
    const auto* i = dyn_cast<llvm::Instruction>(value);
    if (i != nullptr && loop_.contains(i)) wanted_.insert(i);
  }

  void want_condition(const llvm::BasicBlock& block) {
    const llvm::Instruction& end = *block.getTerminator();
    for (const llvm::Value* operand : end.operands())
      if (!isa<llvm::BasicBlock>(operand)) want(operand);
  }

  // The conditions between `block` and the one that dominates it, which is in the loop or null.
  void want_conditions_to(const llvm::BasicBlock* block, const llvm::BasicBlock* above) {
    for (auto* node = dominators_.getNode(block); node != nullptr && loop_.contains(node->getBlock());
         node = node->getIDom()) {
      want_condition(*node->getBlock());
      if (node->getBlock() == above) return;
    }
  }

  // Whatever the loop puts into the work-item's or the work-group's memory.
  void want_stored() {
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::Instruction& i : *block) {
        if (!i.mayWriteToMemory() || llvm::none_of(i.operands(), is_own_memory)) continue;
        for (const llvm::Value* operand : i.operands())
          want(operand);
        want_conditions_to(block, nullptr);
      }
  }

  bool varies(const llvm::Value* value) const { return !loop_.isLoopInvariant(value); }

  // It changes the place by itself, each time: others need not.
  bool makes_progress(const llvm::CallBase& call) const {
    if (llvm::any_of(llvm::drop_begin(call.args()), [&](const llvm::Use& use) { return varies(use); }))
      return true;
    const bool counts = llvm::StringSwitch<bool>(atomic_operation(base_name(declared_callee(call))))
                            .Cases("inc", "dec", "add", "sub", true)
                            .Default(false);
    const auto* step = call.arg_size() > 1 ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(1)) : nullptr;
    return counts && (step == nullptr || !step->isZero()) && is_alone(call);
  }

  // No other atomic operation of the loop is on the same place: it might take back what this one does.
  bool is_alone(const llvm::CallBase& call) const {
    for (const llvm::BasicBlock* block : loop_.blocks())
      for (const llvm::Instruction& i : *block) {
        const llvm::CallBase* other = atomic_call(i);
        if (other != nullptr && other != &call &&
            other->getArgOperand(0)->stripPointerCasts() == call.getArgOperand(0)->stripPointerCasts())
          return false;
      }
    return true;
  }

  // Whether it is a read that waits for others; wants what its value depends on.
  bool look_at(const llvm::Instruction& i) {
    if (hears_of_others(i)) {
      const llvm::CallBase* call = atomic_call(i);
      others_ = true;
      return call == nullptr || !makes_progress(*call);
    }
    if (const auto* phi = dyn_cast<llvm::PHINode>(&i)) {
      if (is_handed_on(*phi)) others_ = true;
      const auto* node = dominators_.getNode(phi->getParent())->getIDom();
      for (unsigned in = 0; in < phi->getNumIncomingValues(); ++in) {
        want(phi->getIncomingValue(in));
        if (loop_.contains(phi->getIncomingBlock(in)) && node != nullptr && loop_.contains(node->getBlock()))
          want_conditions_to(phi->getIncomingBlock(in), node->getBlock());
      }
      return false;
    }
    if (i.mayReadFromMemory()) {
      const bool is_own = llvm::any_of(i.operands(), is_own_memory);
      if (is_own) want_stored();
      const bool same =
          !is_own && llvm::none_of(i.operands(), [&](const llvm::Use& use) { return varies(use); });
      (same ? same_place_ : others_) = true;
    }
    for (const llvm::Value* operand : i.operands())
      want(operand);
    return false;
  }

  // By one iteration to the next. Another join gives the same each time if what it joins is the same, and
  // the conditions are.
  bool is_handed_on(const llvm::PHINode& phi) const {
    return llvm::any_of(phi.blocks(), [&](const llvm::BasicBlock* from) {
      return dominators_.dominates(phi.getParent(), from);
    });
  }

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  llvm::SmallSetVector<const llvm::Instruction*, 16> wanted_;
  bool same_place_ = false;  // a read from global memory that is the same each time
  bool others_ = false;      // something else that the loop changes
};

}  // namespace

bool may_wait_for_others(const llvm::Function& kernel) {
  if (kernel.hasFnAttribute(kRunsWhole)) return true;  // nothing that is found of it counts
  bool hears = false;
  for (const llvm::Instruction& i : llvm::instructions(kernel)) {
    const auto* call = dyn_cast<llvm::CallBase>(&i);
    if (call != nullptr && is_unknown(*call)) return true;
    hears |= hears_of_others(i);
  }
  const llvm::DominatorTree dominators(const_cast<llvm::Function&>(kernel));
  if (hears && entry_of_other_cycle(kernel, dominators) != nullptr) return true;
  const llvm::LoopInfo loops(dominators);
  return llvm::any_of(loops.getLoopsInPreorder(),
                      [&](const llvm::Loop* loop) { return Ending(*loop, dominators).may_wait(); });
}

}  // namespace mkmd::compiler
