// SPDX-License-Identifier: Apache-2.0
// Which variables of a work-item or a work-group are written where they are read, and with values.
#include <algorithm>
#include <llvm/ADT/BitVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/definedness.hpp"
#include "compiler/helper/own_memory.hpp"
#include "compiler/helper/reach.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr int kAnyComponent = SpecifiedResults::kAll;
constexpr size_t kMostPlaces = 65536;  // places that one store writes in loops

// Whether it copies from memory of the work-item or the work-group, which may be undefined.
bool copies_own_memory(const llvm::MemTransferInst& copy) {
  const llvm::Value* const source = llvm::getUnderlyingObject(copy.getRawSource(), 0);
  const auto* global = dyn_cast<llvm::GlobalVariable>(source);
  return leads_to_own_memory(source->getType()) && !(global && global->isConstant());
}

// Which component of a vector is loaded where the vector is stored; kAnyComponent: perhaps any.
int loaded_component(const llvm::StoreInst& store, const llvm::LoadInst& load, int component,
                     const llvm::DataLayout& layout) {
  const auto* vector = dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  const bool is_of_some = load.getType()->isVectorTy() && component == kAnyComponent;
  if (!vector || is_of_some || vector->getElementType() != load.getType()->getScalarType())
    return kAnyComponent;
  const auto size = static_cast<int64_t>(layout.getTypeAllocSize(store.getValueOperand()->getType()));
  const auto bytes = static_cast<int64_t>(layout.getTypeAllocSize(vector->getElementType()));
  const Reach from = reach_of(*load.getPointerOperand(), layout),
              to = reach_of(*store.getPointerOperand(), layout);
  if (from.stride % static_cast<uint64_t>(size) != 0 || to.stride % static_cast<uint64_t>(size) != 0)
    return kAnyComponent;
  const int64_t distance = (from.first - to.first + std::max(component, 0) * bytes) % size;
  const int64_t at = distance < 0 ? distance + size : distance;
  return at % bytes == 0 && at / bytes < vector->getNumElements() ? static_cast<int>(at / bytes)
                                                                  : kAnyComponent;
}

// The rounds of a loop in which control certainly gets to the block, one of the loop's. 0: it is not known.
uint64_t rounds_with(const llvm::BasicBlock& block, const llvm::Loop& loop,
                     const llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution) {
  const llvm::BasicBlock* const exit = loop.getExitingBlock();
  const llvm::BasicBlock* const latch = loop.getLoopLatch();
  const auto* back = dyn_cast<llvm::SCEVConstant>(evolution.getBackedgeTakenCount(&loop));
  if (!exit || !latch || !back || back->getAPInt().ugt(kMostPlaces) || !dominators.dominates(&block, latch))
    return 0;
  return back->getAPInt().getZExtValue() + (dominators.dominates(&block, exit) ? 1 : 0);
}

// The places in a variable that a store in loops certainly writes, all before the load.
std::vector<int64_t> places_in_loops(const llvm::SCEV* at, const llvm::StoreInst& store,
                                     const llvm::LoadInst& load, const llvm::DominatorTree& dominators,
                                     llvm::ScalarEvolution& evolution) {
  std::vector<int64_t> distances{0};
  const llvm::BasicBlock* block = store.getParent();
  const auto* of_loop = dyn_cast<llvm::SCEVAddRecExpr>(at);
  const bool is_in_loops = of_loop != nullptr;
  for (; of_loop; at = of_loop->getStart(), of_loop = dyn_cast<llvm::SCEVAddRecExpr>(at)) {
    const llvm::Loop& loop = *of_loop->getLoop();
    const auto* step = of_loop->isAffine() ? dyn_cast<llvm::SCEVConstant>(of_loop->getOperand(1)) : nullptr;
    if (!step || loop.contains(&load) || !loop.contains(block)) return {};
    const uint64_t rounds = rounds_with(*block, loop, dominators, evolution);
    if (rounds == 0 || rounds * distances.size() > kMostPlaces) return {};
    const size_t inner = distances.size();
    for (uint64_t round = 1; round < rounds; ++round)
      for (size_t i = 0; i < inner; ++i)
        distances.push_back(distances[i] + static_cast<int64_t>(round) * step->getAPInt().getSExtValue());
    block = loop.getHeader();
  }
  const auto* first = dyn_cast<llvm::SCEVConstant>(at);
  if (!first || !is_in_loops || !dominators.dominates(block, load.getParent())) return {};
  for (int64_t& distance : distances)
    distance += first->getAPInt().getSExtValue();
  return distances;
}

}  // namespace

// Memory of the work-item's or the work-group's own is undefined until it is written. Compilers follow what a
// work-item writes to its own variables. So all that the load may read must have been written before it, and
// what is written must have a value.
bool Definedness::is_filled(const llvm::LoadInst& load, int component) {
  const llvm::Value* const variable = llvm::getUnderlyingObject(load.getPointerOperand(), 0);
  const auto* global = dyn_cast<llvm::GlobalVariable>(variable);
  if (global && global->isConstant()) return true;
  if (variable->getType()->getPointerAddressSpace() == address_space::kLocal &&
      isa<llvm::GlobalVariable, llvm::Argument>(variable))
    return may_be_written(load, made_of(*variable), layout_) && want_written(*variable, load, component);
  const auto* own = dyn_cast<llvm::AllocaInst>(variable);
  if (!own) return isa<llvm::Argument>(variable) || !leads_to_own_memory(variable->getType());
  constexpr uint64_t kLargest = 65536;
  const std::optional<llvm::TypeSize> size = own->getAllocationSize(layout_);
  if (!size || size->isScalable() || size->getFixedValue() > kLargest) return false;
  llvm::BitVector written(static_cast<unsigned>(size->getFixedValue()));
  find_written(*own, 0, load, written);
  find_written_in_loops(*own, load, written);
  const Reach reach = reach_of(*load.getPointerOperand(), layout_);
  const uint64_t bytes = layout_.getTypeStoreSize(load.getType()).getFixedValue();
  for (unsigned at = 0; at < written.size(); ++at)
    if (!written.test(at) && reach.has(at, bytes)) return false;
  return want_written(*own, load, component);
}

// Wants all that is written to the variable, as far as it may be what is loaded.
bool Definedness::want_written(const llvm::Value& variable, const llvm::LoadInst& load, int component) {
  for (const llvm::Value* pointer : made_of(variable)) {
    for (const llvm::User* user : pointer->users()) {
      if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == pointer) return false;  // others may write there, too
        want_all(*store->getValueOperand(), loaded_component(*store, load, component, layout_));
      } else if (const auto* copy = dyn_cast<llvm::MemTransferInst>(user)) {
        if (copy->getRawDest() == pointer && copies_own_memory(*copy)) return false;
      } else if (const auto* call = dyn_cast<llvm::CallBase>(user)) {
        for (const llvm::Value* operand : call->args())
          if (!operand->getType()->isPointerTy()) want_all(*operand, kAnyComponent);
      }
    }
  }
  return true;
}

// Adds the bytes of a variable that are written wherever control gets to the load, through pointers to its
// byte `at`.
void Definedness::find_written(const llvm::Value& pointer, uint64_t at, const llvm::LoadInst& load,
                               llvm::BitVector& written) const {
  const auto add = [&](uint64_t bytes) {
    if (at < written.size())
      written.set(static_cast<unsigned>(at),
                  static_cast<unsigned>(std::min<uint64_t>(at + bytes, written.size())));
  };
  for (const llvm::User* user : pointer.users()) {
    if (const auto* step = dyn_cast<llvm::GEPOperator>(user)) {
      llvm::APInt offset(64, 0);
      if (step->accumulateConstantOffset(layout_, offset) && !offset.isNegative())
        find_written(*step, at + offset.getZExtValue(), load, written);
      continue;
    }
    const auto* const write = dyn_cast<llvm::Instruction>(user);
    if (!write || !dominators_.dominates(write, &load)) continue;
    if (const auto* store = dyn_cast<llvm::StoreInst>(write)) {
      if (store->getPointerOperand() == &pointer)
        add(layout_.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue());
    } else if (const auto* memory = dyn_cast<llvm::MemIntrinsic>(write)) {
      const auto* length = dyn_cast<llvm::ConstantInt>(memory->getLength());
      const auto* copy = dyn_cast<llvm::MemTransferInst>(write);
      const bool is_of_own = copy && copies_own_memory(*copy);
      if (memory->getRawDest() == &pointer && length && !is_of_own) add(length->getZExtValue());
    } else if (const auto* call = dyn_cast<llvm::CallBase>(write); call && !call->getType()->isVoidTy()) {
      // A result by a pointer.
      for (const PointerUse& use : pointer_uses(*call).value_or(std::vector<PointerUse>{}))
        if (use.writes && use.offset_operand < 0 && use.count_operand < 0 &&
            call->getArgOperand(use.operand) == &pointer)
          add(static_cast<uint64_t>(use.bytes));
    }
  }
}

// Adds the bytes that loops write which are over wherever control gets to the load.
void Definedness::find_written_in_loops(const llvm::AllocaInst& variable, const llvm::LoadInst& load,
                                        llvm::BitVector& written) const {
  std::vector<const llvm::Value*> pointers{&variable};
  for (size_t i = 0; i < pointers.size(); ++i) {
    for (const llvm::User* user : pointers[i]->users()) {
      if (isa<llvm::GEPOperator>(user)) pointers.push_back(user);
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      if (!store || store->getPointerOperand() != pointers[i]) continue;
      const llvm::SCEV* const at =
          evolution_.getMinusSCEV(evolution_.getSCEV(const_cast<llvm::Value*>(pointers[i])),
                                  evolution_.getSCEV(const_cast<llvm::AllocaInst*>(&variable)));
      const uint64_t bytes = layout_.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
      for (const int64_t first : places_in_loops(at, *store, load, dominators_, evolution_))
        if (first >= 0 && static_cast<uint64_t>(first) + bytes <= written.size())
          written.set(static_cast<unsigned>(first),
                      static_cast<unsigned>(static_cast<uint64_t>(first) + bytes));
    }
  }
}

}  // namespace mkmd::compiler
