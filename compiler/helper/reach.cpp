// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/reach.hpp"

#include <algorithm>
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <numeric>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {

using llvm::dyn_cast;
using llvm::isa;

Reach reach_of(const llvm::Value& pointer, const llvm::DataLayout& layout) {
  Reach reach;
  const llvm::Value* at = &pointer;
  for (;;) {
    const auto* step = dyn_cast<llvm::GEPOperator>(at);
    if (!step) {
      const auto* cast = dyn_cast<llvm::AddrSpaceCastOperator>(at);
      if (!cast) break;
      at = cast->getPointerOperand();
      continue;
    }
    const unsigned width = layout.getIndexTypeSizeInBits(step->getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> strides;
    llvm::APInt offset(width, 0);
    if (!step->collectOffset(layout, width, strides, offset)) return {0, 1};
    reach.first += offset.getSExtValue();
    for (const auto& [index, stride] : strides)
      reach.stride = std::gcd(reach.stride, stride.abs().getZExtValue());
    at = step->getPointerOperand();
  }
  return isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::Argument>(at) ? reach : Reach{0, 1};
}

bool may_be_written(const llvm::LoadInst& load, const std::vector<const llvm::Value*>& pointers,
                    const llvm::DataLayout& layout) {
  const Reach loaded = reach_of(*load.getPointerOperand(), layout);
  llvm::BitVector reached(static_cast<unsigned>(layout.getTypeStoreSize(load.getType()).getFixedValue()));
  for (const llvm::Value* pointer : pointers) {
    for (const llvm::User* user : pointer->users()) {
      const auto* memory = dyn_cast<llvm::MemIntrinsic>(user);
      if (memory && memory->getRawDest() == pointer) return true;
      if (const auto* call = dyn_cast<llvm::CallBase>(user)) {
        const std::vector<PointerUse> uses = pointer_uses(*call).value_or(std::vector<PointerUse>{});
        if (std::ranges::any_of(uses, &PointerUse::writes)) return true;
      }
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      if (!store) continue;
      const Reach stored = reach_of(*store->getPointerOperand(), layout);
      if (stored.stride == 0 ? loaded.stride != 0 : loaded.stride % stored.stride != 0) continue;
      const uint64_t bytes = layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
      for (unsigned at = 0; at < reached.size(); ++at)
        if (stored.has(static_cast<uint64_t>(loaded.first) + at, bytes)) reached.set(at);
    }
  }
  return reached.all();
}

std::vector<const llvm::Value*> made_of(const llvm::Value& variable) {
  llvm::SmallPtrSet<const llvm::Value*, 16> seen{&variable};
  std::vector<const llvm::Value*> pointers{&variable};
  for (size_t i = 0; i < pointers.size(); ++i)
    for (const llvm::User* user : pointers[i]->users())
      if (user->getType()->isPointerTy() && !isa<llvm::CallBase, llvm::LoadInst>(user) &&
          seen.insert(user).second)
        pointers.push_back(user);
  return pointers;
}

}  // namespace mkmd::compiler
