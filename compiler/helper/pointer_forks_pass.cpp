// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/pointer_forks_pass.hpp"

#include <array>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <optional>
#include <set>
#include <vector>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/forks.hpp"
#include "compiler/helper/own_memory.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr const char* kOneWay = "mkmd.one_way";

// What a pointer is moved from, by a step without a choice of its own. Null: it is no such step.
llvm::Value* before(const llvm::Value* pointer) {
  if (isa<llvm::GEPOperator, llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst>(pointer))
    return llvm::cast<llvm::User>(pointer)->getOperand(0);
  return nullptr;
}

std::optional<Fork> chosen(llvm::Value* pointer) {
  if (auto* s = dyn_cast<llvm::SelectInst>(pointer); s && s->getCondition()->getType()->isIntegerTy(1))
    return Fork{s->getCondition(), s->getTrueValue(), s->getFalseValue()};
  const auto* p = dyn_cast<llvm::PHINode>(pointer);
  return p ? fork_of(*p) : std::nullopt;
}

// All that a pointer may be moved from, whatever joins and loops are in between.
std::set<const llvm::Value*> origins_of(llvm::Value* pointer) {
  std::set<const llvm::Value*> origins, seen;
  std::vector<llvm::Value*> todo{pointer};
  while (!todo.empty()) {
    llvm::Value* at = todo.back();
    todo.pop_back();
    while (llvm::Value* const from = before(at))
      at = from;
    if (!seen.insert(at).second) continue;
    if (auto* s = dyn_cast<llvm::SelectInst>(at)) {
      todo.insert(todo.end(), {s->getTrueValue(), s->getFalseValue()});
    } else if (auto* p = dyn_cast<llvm::PHINode>(at)) {
      todo.insert(todo.end(), p->value_op_begin(), p->value_op_end());
    } else {
      origins.insert(at);
    }
  }
  return origins;
}

// Where the pointer was chosen among buffers. Null: nowhere.
llvm::Instruction* join_of(llvm::Value* pointer) {
  if (!pointer->getType()->isPointerTy()) return nullptr;
  while (llvm::Value* const from = before(pointer))
    pointer = from;
  if (leads_to_own_memory(pointer->getType())) return nullptr;
  const std::optional<Fork> fork = chosen(pointer);
  return fork && origins_of(fork->yes) != origins_of(fork->no) ? llvm::cast<llvm::Instruction>(pointer)
                                                               : nullptr;
}

// The operands by which an instruction accesses memory, if nothing else of it depends on where it stands.
std::vector<unsigned> pointers_of(const llvm::Instruction& i) {
  if (isa<llvm::LoadInst>(i)) return {llvm::LoadInst::getPointerOperandIndex()};
  if (isa<llvm::StoreInst>(i)) return {llvm::StoreInst::getPointerOperandIndex()};
  const auto* call = dyn_cast<llvm::CallInst>(&i);
  if (!call) return {};
  if (isa<llvm::MemTransferInst>(call)) return {0, 1};
  if (isa<llvm::MemIntrinsic>(call) || is_atomic(base_name(declared_callee(*call)))) return {0};
  std::vector<unsigned> found;
  for (const PointerUse& use : pointer_uses(*call).value_or(std::vector<PointerUse>{})) {
    if (use.count_operand >= 0) return {};  // all work-items of a group make an asynchronous copy together
    found.push_back(use.operand);
  }
  return found;
}

// The pointer that one way brings, where both ways have met. Nobody asks for it behind the other one.
llvm::Value* brought(llvm::Instruction& join, llvm::Value* taken, const llvm::DominatorTree& dominators) {
  auto* const p = dyn_cast<llvm::PHINode>(&join);
  const auto* const i = dyn_cast<llvm::Instruction>(taken);
  if (!p || !i || dominators.dominates(i, &join)) return taken;
  auto* const alone = llvm::PHINode::Create(p->getType(), 2, "", p);
  alone->setMetadata(kOneWay, llvm::MDNode::get(p->getContext(), {}));
  for (llvm::BasicBlock* const from : p->blocks()) {
    const bool is_way = p->getIncomingValueForBlock(from) == taken;
    alone->addIncoming(is_way ? taken : llvm::PoisonValue::get(p->getType()), from);
  }
  return alone;
}

// The same steps from another pointer.
llvm::Value* moved(llvm::Value* pointer, const llvm::Value* join, llvm::Value* from, llvm::Instruction* at) {
  if (pointer == join) return from;
  llvm::Instruction* const step = llvm::cast<llvm::Instruction>(pointer)->clone();
  step->setOperand(0, moved(step->getOperand(0), join, from, at));
  step->insertBefore(at);
  return step;
}

// False: it stays as it is.
bool divide(llvm::Instruction& access, unsigned operand, const llvm::DominatorTree& dominators) {
  llvm::Value* const pointer = access.getOperand(operand);
  llvm::Instruction* const join = join_of(pointer);
  if (!join) return false;
  const Fork fork = *chosen(join);
  if (const auto* c = dyn_cast<llvm::Instruction>(fork.condition); c && !dominators.dominates(c, &access))
    return false;
  const std::array<llvm::Value*, 2> taken{brought(*join, fork.yes, dominators),
                                          brought(*join, fork.no, dominators)};
  std::array<llvm::Instruction*, 2> ends{}, copies{};
  llvm::SplitBlockAndInsertIfThenElse(fork.condition, &access, &ends[0], &ends[1]);
  for (const size_t n : {0, 1}) {
    copies[n] = access.clone();
    copies[n]->setOperand(operand, moved(pointer, join, taken[n], ends[n]));
    copies[n]->insertBefore(ends[n]);
  }
  if (!access.use_empty()) {
    auto* const result = llvm::PHINode::Create(access.getType(), 2, "", &access);
    for (llvm::Instruction* const copy : copies)
      result->addIncoming(copy, copy->getParent());
    access.replaceAllUsesWith(result);
  }
  access.eraseFromParent();
  return true;
}

bool divide_one(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  for (llvm::Instruction& i : llvm::instructions(function)) {
    for (const unsigned operand : pointers_of(i))
      if (dominators.isReachableFromEntry(i.getParent()) && divide(i, operand, dominators)) return true;
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses PointerForksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  constexpr int kMost = 256;  // each makes two accesses of one
  int divided = 0;
  while (divided < kMost && !function.isDeclaration() && divide_one(function))
    ++divided;
  return divided > 0 ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

bool is_of_one_way(const llvm::PHINode& phi) {
  return phi.getMetadata(kOneWay) != nullptr;
}

}  // namespace mkmd::compiler
