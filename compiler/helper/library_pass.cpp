// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/library_pass.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {
namespace {

// clang's table of builtins declares this one for a generic pointer even in OpenCL C 1.2; PoCL's generic
// variant lacks its body.
constexpr const char* kGenericWait = "_Z17wait_group_eventsiPU3AS49ocl_event";
constexpr const char* kPrivateWait = "_Z17wait_group_eventsiP9ocl_event";

// atom_add of OpenCL 1.0's extension is atomic_add of 1.1; libraries have the old names for 64-bit numbers
// only.
bool rename_old_atomics(llvm::Module& module) {
  std::vector<llvm::Function*> old;
  for (llvm::Function& f : module)
    if (f.isDeclaration() && base_name(f.getName()).startswith("atom_") &&
        parameters(f.getName()).find_first_of("ij", 1) != llvm::StringRef::npos)
      old.push_back(&f);
  for (llvm::Function* f : old) {
    const std::string name = "atomic_" + base_name(f->getName()).drop_front(5).str();
    const std::string mangled = "_Z" + std::to_string(name.size()) + name + parameters(f->getName()).str();
    if (llvm::Function* there = module.getFunction(mangled)) {
      f->replaceAllUsesWith(llvm::ConstantExpr::getBitCast(there, f->getType()));
      f->eraseFromParent();
    } else {
      f->setName(mangled);
    }
  }
  return !old.empty();
}

bool wait_for_private_events(llvm::Module& module) {
  llvm::Function* generic = module.getFunction(kGenericWait);
  if (!generic) return false;
  for (llvm::User* user : llvm::make_early_inc_range(generic->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    auto* cast = call ? llvm::dyn_cast<llvm::AddrSpaceCastInst>(call->getArgOperand(1)) : nullptr;
    if (!cast || cast->getSrcAddressSpace() != 0) continue;
    llvm::Type* types[] = {call->getArgOperand(0)->getType(), cast->getPointerOperand()->getType()};
    auto* type = llvm::FunctionType::get(call->getType(), types, false);
    auto* f = llvm::cast<llvm::Function>(
        module.getOrInsertFunction(kPrivateWait, type, generic->getAttributes()).getCallee());
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
  return true;
}

}  // namespace

llvm::PreservedAnalyses LibraryPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const bool atomics = rename_old_atomics(module), events = wait_for_private_events(module);
  return atomics || events ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace mkmd::compiler
