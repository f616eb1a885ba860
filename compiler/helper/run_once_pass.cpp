// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/run_once_pass.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace mkmd::compiler {
namespace {

// How often the block with the loop's only test runs, if the body runs at most once; else 0.
unsigned tests_of_one_round(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::BasicBlock* test = loop.getExitingBlock();
  if (!test) return 0;
  const unsigned tests = evolution.getSmallConstantTripCount(&loop);
  const bool at_top = test == loop.getHeader() && test != loop.getLoopLatch();
  return tests == 1 || (tests == 2 && at_top) ? tests : 0;
}

}  // namespace

llvm::PreservedAnalyses RunOncePass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  auto& remarks = analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function);
  bool changed = false;
  // Inner loops first: those around them are still there when their turn comes.
  const auto in_preorder = loops.getLoopsInPreorder();
  for (llvm::Loop* loop : llvm::reverse(in_preorder)) {
    const unsigned tests = tests_of_one_round(*loop, evolution);
    if (tests == 0) continue;
    llvm::UnrollLoopOptions options{};
    options.Count = tests;
    options.Force = true;
    options.ForgetAllSCEV = true;
    const auto result = llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions,
                                         &target, &remarks, /*PreserveLCSSA=*/true);
    changed = changed || result != llvm::LoopUnrollResult::Unmodified;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace mkmd::compiler
