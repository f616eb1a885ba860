// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/pipeline.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/inline_pass.hpp"
#include "compiler/helper/pointer_forks_pass.hpp"
#include "compiler/helper/run_once_pass.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

constexpr PipelineStep kAnalysis[] = {
    {"mkmd-constants", "a table that nobody changes is no variable of the program"},
    {"function(mkmd-unspecified)", "before all that folds: a division by zero gives some number"},
    {"mkmd-inline", "accesses are described per kernel, through its helper functions"},
    {"function(sroa)", "first of all: an index must be a value, not a variable in memory"},
    {"function(mkmd-infer-address-spaces)",
     "generic pointers of OpenCL 2 become global or local ones where that is provable"},
    {"function(early-cse)", "equal addresses become the same value"},
    {"function(loop-simplify,lcssa,mkmd-run-once)", "a loop that runs once moves nothing"},
    {"function(simplifycfg)",
     "removes the empty blocks the front end leaves; without turning branches into arithmetic"},
    {"function(instsimplify)",
     "not instcombine: that rewrites range tests and divisions into forms we would have to undo"},
    {"function(mkmd-pointer-forks)", "each access leads to one buffer, if it may"},
    {"function(loop-simplify)", "gives loops one entry and one way back, which the loop counters need"},
    {"function(lcssa)",
     "last: values seen after their loop are marked as such; any pass behind could undo it"},
};

bool only_read(const llvm::Value& pointer) {
  return llvm::all_of(pointer.uses(), [](const llvm::Use& use) {
    const llvm::User& user = *use.getUser();
    if (llvm::isa<llvm::GEPOperator, llvm::BitCastOperator>(user)) return only_read(user);
    if (const auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&user))
      return &use == &transfer->getRawSourceUse();
    return llvm::isa<llvm::LoadInst>(user);
  });
}

// Clang keeps what a local array begins with in a variable of private memory that is not marked as constant.
struct ConstantsPass : llvm::PassInfoMixin<ConstantsPass> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    bool changed = false;
    for (llvm::GlobalVariable& g : module.globals()) {
      if (g.isConstant() || !g.hasLocalLinkage() || g.getAddressSpace() != address_space::kPrivate ||
          !only_read(g))
        continue;
      g.setConstant(true);
      changed = true;
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

class Runner {
public:
  explicit Runner(llvm::Module& module) : module_(module) {
    // No function of the program or of OpenCL is one of C's: "sqrt" and "printf" mean nothing here.
    library_.disableAllFunctions();
    function_analyses_.registerPass([&] { return llvm::TargetLibraryAnalysis(library_); });
    builder_.registerModuleAnalyses(module_analyses_);
    builder_.registerCGSCCAnalyses(scc_analyses_);
    builder_.registerFunctionAnalyses(function_analyses_);
    builder_.registerLoopAnalyses(loop_analyses_);
    builder_.crossRegisterProxies(loop_analyses_, function_analyses_, scc_analyses_, module_analyses_);
    using Nested = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;
    builder_.registerPipelineParsingCallback(
        [](llvm::StringRef name, llvm::ModulePassManager& passes, Nested) {
          if (name == "mkmd-inline")
            passes.addPass(InlinePass());
          else if (name == "mkmd-constants")
            passes.addPass(ConstantsPass());
          else
            return false;
          return true;
        });
    builder_.registerPipelineParsingCallback(
        [](llvm::StringRef name, llvm::FunctionPassManager& passes, Nested) {
          if (name == "mkmd-infer-address-spaces")
            passes.addPass(llvm::InferAddressSpacesPass(4));  // 4: SPIR's generic address space
          else if (name == "mkmd-run-once")
            passes.addPass(RunOncePass());
          else if (name == "mkmd-pointer-forks")
            passes.addPass(PointerForksPass());
          else if (name == "mkmd-unspecified")
            passes.addPass(UnspecifiedPass());
          else
            return false;
          return true;
        });
  }

  Status run(const std::string& passes) {
    llvm::ModulePassManager manager;
    if (llvm::Error error = builder_.parsePassPipeline(manager, passes))
      return Status::internal("unknown pass in '" + passes + "': " + llvm::toString(std::move(error)));
    manager.run(module_, module_analyses_);
    return {};
  }

  Status run(llvm::ArrayRef<PipelineStep> steps) {
    for (const PipelineStep& step : steps)
      if (Status s = run(std::string(step.passes)); !s.ok()) return s;
    std::string problem;
    llvm::raw_string_ostream out(problem);
    if (llvm::verifyModule(module_, &out))
      return Status::internal("the transformed program is not valid: " + out.str());
    return {};
  }

private:
  llvm::Module& module_;
  llvm::LoopAnalysisManager loop_analyses_;
  llvm::FunctionAnalysisManager function_analyses_;
  llvm::CGSCCAnalysisManager scc_analyses_;
  llvm::ModuleAnalysisManager module_analyses_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::PassBuilder builder_;
};

}  // namespace

Status prepare_for_analysis(llvm::Module& module) {
  return Runner(module).run(kAnalysis);
}
Status run_passes(llvm::Module& module, const std::string& passes) {
  return Runner(module).run(passes);
}

}  // namespace mkmd::compiler
