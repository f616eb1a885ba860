// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/library_pass.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace mkmd::compiler {
namespace {

// clang's table of builtins declares this one for a generic pointer even in OpenCL C 1.2; PoCL's generic variant lacks
// its body.
constexpr const char* kGenericWait = "_Z17wait_group_eventsiPU3AS49ocl_event";
constexpr const char* kPrivateWait = "_Z17wait_group_eventsiP9ocl_event";

}  // namespace

llvm::PreservedAnalyses LibraryPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::Function* generic = module.getFunction(kGenericWait);
  if (!generic) return llvm::PreservedAnalyses::all();
  for (llvm::User* user : llvm::make_early_inc_range(generic->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    auto* cast = call ? llvm::dyn_cast<llvm::AddrSpaceCastInst>(call->getArgOperand(1)) : nullptr;
    if (!cast || cast->getSrcAddressSpace() != 0) continue;
    llvm::Type* types[] = {call->getArgOperand(0)->getType(), cast->getPointerOperand()->getType()};
    auto* type = llvm::FunctionType::get(call->getType(), types, false);
    auto* f = llvm::cast<llvm::Function>(module.getOrInsertFunction(kPrivateWait, type, generic->getAttributes()).getCallee());
    f->setCallingConv(generic->getCallingConv());
    llvm::IRBuilder<> b(call);
    llvm::CallInst* direct = b.CreateCall(f, {call->getArgOperand(0), cast->getPointerOperand()});
    direct->setCallingConv(call->getCallingConv());
    direct->setAttributes(call->getAttributes());
    direct->setDebugLoc(call->getDebugLoc());
    call->replaceAllUsesWith(direct);
    call->eraseFromParent();
    if (cast->use_empty()) cast->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace mkmd::compiler
