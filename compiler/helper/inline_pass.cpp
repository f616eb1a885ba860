// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/inline_pass.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <set>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {
namespace {

constexpr size_t kMaxInstructions =
    300'000;  // per kernel; what is larger keeps its calls, and is refused for that

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

// Functions that may call themselves, directly or not: they are never inlined.
std::set<const llvm::Function*> recursive_functions(llvm::Module& module) {
  std::set<const llvm::Function*> found;
  llvm::CallGraph graph(module);
  for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      for (const llvm::CallGraphNode* node : *scc)
        found.insert(node->getFunction());
  return found;
}

std::set<const llvm::Function*> leading_to_ids(const llvm::Module& module) {
  std::set<const llvm::Function*> found;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function& f : module) {
      if (f.isDeclaration() || found.contains(&f)) continue;
      bool leads = uses_ids(f) || takes_generic_pointers(f);
      for (const llvm::Instruction& i : llvm::instructions(f))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
          leads = leads || found.contains(call->getCalledFunction());
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
  const std::set<const llvm::Function*> recursive = recursive_functions(module);
  bool changed = false;
  for (llvm::Function& kernel : module) {
    if (!is_kernel(kernel)) continue;
    size_t size = kernel.getInstructionCount();
    for (bool again = true; again;) {
      again = false;
      std::vector<llvm::CallBase*> calls;
      for (llvm::Instruction& i : llvm::instructions(kernel)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
        llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || callee->isDeclaration() || recursive.contains(callee)) continue;
        if (what_ == What::everything || wanted.contains(callee)) calls.push_back(call);
      }
      for (llvm::CallBase* call : calls) {
        size += call->getCalledFunction()->getInstructionCount();
        if (size > kMaxInstructions) break;
        call->setCallingConv(
            call->getCalledFunction()->getCallingConv());  // kernels may be called like functions
        llvm::InlineFunctionInfo info;
        if (llvm::InlineFunction(*call, info).isSuccess()) again = changed = true;
      }
      if (size > kMaxInstructions) break;
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
