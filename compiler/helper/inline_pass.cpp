// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/inline_pass.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <set>

namespace mkmd::compiler {
namespace {

constexpr size_t kMaxInstructions =
    300'000;  // per kernel; what is larger keeps its calls, and is refused for that

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

}  // namespace

bool is_kernel(const llvm::Function& f) {
  return !f.isDeclaration() && f.getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

llvm::PreservedAnalyses InlinePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
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
        calls.push_back(call);
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
