// SPDX-License-Identifier: Apache-2.0
// The part of Conditions that reads flags: values that are set on some ways and tested later, as "found"
// behind a loop. If one way alone makes the tested condition true, control has come that way.
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/helper/conditions.hpp"

namespace mkmd::compiler {

using namespace llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::isa;
using Block = llvm::BasicBlock;
using Test = Conditions::Test;
using Way = Conditions::Way;

namespace {

// A phi or a select.
bool joins(const llvm::Value* v) {
  return isa<llvm::PHINode, llvm::SelectInst>(v) && v->getType()->isIntegerTy();
}

std::optional<Test> test_of(llvm::Value* condition, bool polarity) {
  llvm::Value* value = nullptr;
  if (match(condition, m_Trunc(m_Value(value)))) condition = value;
  if (joins(condition)) return Test{condition, nullptr, polarity};
  auto* c = dyn_cast<llvm::ICmpInst>(condition);
  if (c && isa<llvm::ConstantInt>(c->getOperand(1)) && joins(c->getOperand(0)))
    return Test{c->getOperand(0), c, polarity};
  return std::nullopt;
}

std::vector<Way> ways_to(const llvm::Instruction& joined) {
  std::vector<Way> ways;
  if (const auto* p = dyn_cast<llvm::PHINode>(&joined)) {
    for (unsigned n = 0; n < p->getNumIncomingValues(); ++n)
      ways.push_back({p, n, p->getIncomingValue(n)});
  } else {
    for (const unsigned n : {1U, 2U})
      ways.push_back({&joined, n, joined.getOperand(n)});
  }
  return ways;
}

// The ways on which values come that pass the test. Values that are undefined pass nothing in a correct
// program. None: they are too many, or came from another iteration of a loop around `at`.
std::vector<Way> passing_ways(const Test& test, const llvm::BasicBlock* at, const llvm::LoopInfo& loops) {
  constexpr size_t kMost = 16;
  std::vector<const llvm::Instruction*> todo{llvm::cast<llvm::Instruction>(test.flag)};
  std::vector<Way> passing;
  for (size_t i = 0; i < todo.size(); ++i) {
    const llvm::BasicBlock* const block = todo[i]->getParent();
    const llvm::Loop* loop = loops.getLoopFor(block);
    const bool moved = isa<llvm::PHINode>(todo[i]) && loop && loop->getHeader() == block;
    if ((moved && loop->contains(at)) || todo.size() > kMost) return {};
    for (const Way& way : ways_to(*todo[i])) {
      if (isa<llvm::UndefValue>(way.value)) continue;
      if (const auto* c = dyn_cast<llvm::ConstantInt>(way.value); c && !test.passed_by(c->getValue()))
        continue;
      if (joins(way.value)) {
        const auto* other = llvm::cast<llvm::Instruction>(way.value);
        if (!llvm::is_contained(todo, other)) todo.push_back(other);
        continue;
      }
      passing.push_back(way);
    }
  }
  return passing;
}

const llvm::BasicBlock* block_before(const Way& way) {
  const auto* const p = dyn_cast<llvm::PHINode>(way.to);
  return p ? p->getIncomingBlock(way.number) : way.to->getParent();
}

}  // namespace

bool Conditions::Test::passed_by(const llvm::APInt& number) const {
  if (compared == nullptr) return number[0] == polarity;
  const auto& bound = llvm::cast<llvm::ConstantInt>(*compared->getOperand(1));
  return llvm::ICmpInst::compare(number, bound.getValue(), compared->getPredicate()) == polarity;
}

// The conditions are necessary only. Control has passed the point where all the ways begin. A flag set in a
// loop that the test is not in says nothing. It was set in some iteration, and other conditions speak of
// the last one.
void Conditions::decode_flag(llvm::Value* condition, bool polarity, std::vector<Scope>& out) {
  constexpr int kDeepest = 3;
  const std::optional<Test> test = test_of(condition, polarity);
  const Block* const at = at_;
  if (!test || flags_ >= kDeepest) return;
  const std::vector<Way> ways = passing_ways(*test, at, loops_);
  if (ways.empty()) return;
  const Block* from = block_before(ways.front());
  for (const Way& way : ways)
    from = dominators_.findNearestCommonDominator(from, block_before(way));
  std::set<int> around;
  for (const llvm::Loop* l = loops_.getLoopFor(at); l; l = l->getParentLoop())
    around.insert(values_.loop_index(l));
  for (const llvm::Loop* l = loops_.getLoopFor(from); l; l = l->getParentLoop())
    if (!around.contains(values_.loop_index(l))) return;
  ++flags_;
  std::vector<Scope> scopes = possible_scopes(const_cast<Block*>(from));
  if (ways.size() == 1) decode_way(*test, ways.front(), from, scopes);
  --flags_;
  at_ = at;
  for (const Scope& scope : scopes)
    if (scope.kind == Scope::Kind::guard || !around.contains(scope.index)) out.push_back(scope);
}

// What else holds on the only way: the edge or the side of a select, and the truth value that became the
// flag.
void Conditions::decode_way(const Test& test, const Way& way, const Block* from, std::vector<Scope>& out) {
  if (isa<llvm::PHINode>(way.to)) {
    (void)decode_edge(from, way.to->getParent(), out);
  } else {
    at_ = from;
    (void)decode(way.to->getOperand(0), way.number == 1, out);
  }
  llvm::Value* truth = nullptr;
  const unsigned bits = test.flag->getType()->getIntegerBitWidth();
  const bool one = test.passed_by(llvm::APInt(bits, 1)), zero = test.passed_by(llvm::APInt(bits, 0));
  at_ = from;
  if (one != zero && match(way.value, m_ZExt(m_Value(truth))) && truth->getType()->isIntegerTy(1))
    (void)decode(truth, one, out);
}

}  // namespace mkmd::compiler
