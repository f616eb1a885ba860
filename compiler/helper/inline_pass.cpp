// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/inline_pass.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <set>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {
namespace {

constexpr int kMaxInlined = 20000;  // calls per kernel; recursion was refused before, this stops explosion

// Only in a kernel can it be seen which memory a generic pointer of OpenCL 2 points to.
bool takes_generic_pointers(const llvm::Function& f) {
  for (const llvm::Type* type : f.getFunctionType()->params())
    if (type->isPointerTy() && type->getPointerAddressSpace() == 4) return true;
  return false;
}

bool uses_ids(const llvm::Function& f) {
  for (const llvm::Instruction& i : llvm::instructions(f))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
      if (work_item_builtin(declared_callee(*call)) != Builtin::none) return true;
  return false;
}

std::set<const llvm::Function*> leading_to_ids(const llvm::Module& module) {
  std::set<const llvm::Function*> found;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function& f : module) {
      if (f.isDeclaration() || found.contains(&f)) continue;
      bool leads = uses_ids(f) || takes_generic_pointers(f);
      for (const llvm::Instruction& i : llvm::instructions(f))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) leads = leads || found.contains(call->getCalledFunction());
      if (leads) changed = found.insert(&f).second || changed;
    }
  }
  return found;
}

}  // namespace

bool is_kernel(const llvm::Function& f) {
  return !f.isDeclaration() && f.getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

llvm::PreservedAnalyses InlinePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const std::set<const llvm::Function*> wanted = leading_to_ids(module);
  bool changed = false;
  for (llvm::Function& kernel : module) {
    if (!is_kernel(kernel)) continue;
    int count = 0;
    for (bool again = true; again;) {
      again = false;
      std::vector<llvm::CallBase*> calls;
      for (llvm::Instruction& i : llvm::instructions(kernel)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
        llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || callee->isDeclaration() || callee == &kernel) continue;
        if (what_ == What::everything || wanted.contains(callee)) calls.push_back(call);
      }
      for (llvm::CallBase* call : calls) {
        if (++count > kMaxInlined) break;
        call->setCallingConv(call->getCalledFunction()->getCallingConv());  // kernels may be called like functions
        llvm::InlineFunctionInfo info;
        if (llvm::InlineFunction(*call, info).isSuccess()) again = changed = true;
      }
      if (count > kMaxInlined) break;
    }
  }
  // What was inlined everywhere has no purpose any more; nobody links against a program's functions.
  for (bool again = true; again;) {
    again = false;
    for (llvm::Function& f : llvm::make_early_inc_range(module))
      if (!f.isDeclaration() && !is_kernel(f) && f.use_empty()) {
        f.eraseFromParent();
        again = changed = true;
      }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace mkmd::compiler
