// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/conditions.hpp"

#include <algorithm>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>
#include <utility>

namespace mkmd::compiler {

using namespace llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::isa;
using Block = llvm::BasicBlock;

bool Conditions::decode(llvm::Value* condition, bool polarity, std::vector<Scope>& out) {
  llvm::Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a)))) return decode(a, !polarity, out);
  const bool both = polarity ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                             : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both) {
    const bool first = decode(a, polarity, out);
    return decode(b, polarity, out) && first;
  }
  if (auto* c = dyn_cast<llvm::ConstantInt>(condition)) {
    if (c->isOne() == polarity) return true;
    bool ok = true;
    guard({Guard::Relation::not_equal, 0, 64, {}, {}, {}}, Number{}, Number{}, out, ok);  // 0 != 0: never
    return ok;
  }
  if (necessary_only_) decode_flag(condition, polarity, out);
  auto* c = dyn_cast<llvm::ICmpInst>(condition);
  return c && compare(c, polarity, out);
}

void Conditions::guard(Guard g, const Number& a, const Number& b, std::vector<Scope>& out, bool& ok) {
  const std::optional<Affine> x = b_.affine(b_.simplified(a.poly)), y = b_.affine(b_.simplified(b.poly));
  if (!x || !y) {
    ok = false;
    return;
  }
  g.a = *x;
  g.b = *y;
  g.checks = a.checks;
  merge_checks(g.checks, b.checks);
  std::vector<Guard>& all = b_.info().guards;
  const auto same = [&](const Guard& o) {
    return o.relation == g.relation && o.slack == g.slack && o.bits == g.bits && o.a == g.a && o.b == g.b &&
           o.checks == g.checks;
  };
  auto it = std::ranges::find_if(all, same);
  if (it == all.end()) it = all.insert(all.end(), g);
  const Scope scope{Scope::Kind::guard, static_cast<int>(it - all.begin())};
  if (std::ranges::find(out, scope) == out.end()) out.push_back(scope);
}

// What is not above a minimum is above neither of its numbers; what is not below a maximum is below neither.
void Conditions::order(const Guard& g, const Number& a, const Number& b, std::vector<Scope>& out, bool& ok) {
  guard(g, a, b, out, ok);
  for (const bool of_b : {false, true}) {
    const Number& bound = of_b ? b : a;
    const auto extreme = b_.extreme(bound.poly);
    if (!extreme || extreme->least != of_b) continue;
    for (const Poly& one : {extreme->a, extreme->b}) {
      const Number other{one, bound.checks};
      order(g, of_b ? a : other, of_b ? other : b, out, ok);
    }
    return;
  }
}

bool Conditions::decode_edge(const Block* from, const Block* to, std::vector<Scope>& out) {
  at_ = from;
  if (auto* branch = dyn_cast<llvm::BranchInst>(from->getTerminator())) {
    if (branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return true;
    return decode(branch->getCondition(), branch->getSuccessor(0) == to, out);
  }
  auto* s = dyn_cast<llvm::SwitchInst>(from->getTerminator());
  if (!s) return false;
  const std::optional<Number> value = values_.as_signed(s->getCondition());
  if (!value) return false;
  bool ok = true;
  const bool is_default = s->getDefaultDest() == to;
  int leading = 0;
  for (auto& c : s->cases())
    if (c.getCaseSuccessor() == to) ++leading;
  if (is_default ? leading != 0 : leading != 1) return false;  // "one of these values": not a conjunction
  for (auto& c : s->cases()) {
    if (is_default == (c.getCaseSuccessor() == to)) continue;
    const auto relation = is_default ? Guard::Relation::not_equal : Guard::Relation::equal;
    guard({relation, 0, 64, {}, {}, {}}, *value, Number{Poly(c.getCaseValue()->getSExtValue()), {}}, out, ok);
  }
  return ok;
}

bool Conditions::compare(llvm::ICmpInst* c, bool polarity, std::vector<Scope>& out) {
  auto relation = polarity ? c->getPredicate() : c->getInversePredicate();
  llvm::Value *x = c->getOperand(0), *y = c->getOperand(1);
  if (!x->getType()->isIntegerTy()) return false;
  // (int)(a < b) != 0, as C's truth values come out of the front end
  llvm::Value* truth = nullptr;
  if (llvm::ICmpInst::isEquality(relation) && match(y, m_Zero()) && match(x, m_ZExtOrSExt(m_Value(truth))) &&
      truth->getType()->isIntegerTy(1))
    return decode(truth, relation == llvm::ICmpInst::ICMP_NE, out);
  const unsigned bits = x->getType()->getIntegerBitWidth();
  if (bits == 1 && llvm::ICmpInst::isEquality(relation) && isa<llvm::ConstantInt>(y))
    return decode(x, llvm::cast<llvm::ConstantInt>(y)->isOne() == (relation == llvm::ICmpInst::ICMP_EQ), out);
  if (bits == 1 || bits > 64) return false;
  bool ok = true;
  if (llvm::ICmpInst::isEquality(relation)) {
    std::optional<Number> a = values_.number(x), b = values_.number(y);
    if (!a || !b) return false;
    // Equal modulo 2^bits is equal if they are less than 2^bits apart.
    std::optional<Poly> difference = Poly::sum(a->poly, b->poly, -1);
    if (!difference) return false;
    const int64_t most = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
    if (!b_.check(*a, *difference, -most, most)) return false;
    guard({relation == llvm::ICmpInst::ICMP_EQ ? Guard::Relation::equal : Guard::Relation::not_equal,
           0,
           static_cast<int>(bits),
           {},
           {},
           {}},
          *a, *b, out, ok);
    return ok;
  }
  if (llvm::ICmpInst::isGT(relation) || llvm::ICmpInst::isGE(relation)) {
    std::swap(x, y);
    relation = llvm::ICmpInst::getSwappedPredicate(relation);
  }
  const int slack = llvm::ICmpInst::isLT(relation) ? 1 : 0;
  if (llvm::ICmpInst::isSigned(relation)) {
    std::optional<Number> a = values_.as_signed(x), b = values_.as_signed(y);
    if (!a || !b) return false;
    order({Guard::Relation::signed_order, slack, static_cast<int>(bits), {}, {}, {}}, *a, *b, out, ok);
  } else {
    // No range checks: footprint.cpp looks at the intervals, because a negative number here is a range test's
    // lower end.
    std::optional<Number> a = values_.number(x), b = values_.number(y);
    if (a && b_.atoms().wild_terms(a->poly, bits) > 0) a = values_.as_signed(x);
    if (b && b_.atoms().wild_terms(b->poly, bits) > 0) b = values_.as_unsigned(y);
    if (!a || !b) return false;
    for (std::optional<Number>* n : {&a, &b})
      if (std::optional<int64_t> k = (*n)->poly.constant(); k && *k < 0 && bits < 64)
        (*n)->poly = Poly(*k + (int64_t{1} << bits));
    guard({Guard::Relation::unsigned_order, slack, static_cast<int>(bits), {}, {}, {}}, *a, *b, out, ok);
  }
  return ok;
}

// Whether an edge ends one execution of the region: a return has no edges, so for loops the way back and the
// ways out.
bool Conditions::leaves(const Block*, const Block* to, const llvm::Loop* region) const {
  return region && (to == region->getHeader() || !region->contains(to));
}

bool Conditions::reaches(const Block* from, const llvm::Loop* region, const Blocks& targets,
                         const Block* not_through) const {
  Blocks seen;
  std::vector<const Block*> todo{from};
  while (!todo.empty()) {
    const Block* b = todo.back();
    todo.pop_back();
    if (b == not_through || !seen.insert(b).second) continue;
    --budget_;
    if (targets.contains(b)) return true;
    for (const Block* next : llvm::successors(b))
      if (!leaves(b, next, region)) todo.push_back(next);
  }
  return false;
}

bool Conditions::covers(const Block* from, const llvm::Loop* region, const Blocks& targets) const {
  Blocks seen;
  std::vector<const Block*> todo{from};
  while (!todo.empty()) {
    const Block* b = todo.back();
    todo.pop_back();
    if (targets.contains(b) || !seen.insert(b).second) continue;
    if (--budget_ < 0 || llvm::succ_empty(b)) return false;
    for (const Block* next : llvm::successors(b)) {
      if (leaves(b, next, region)) return false;
      todo.push_back(next);
    }
  }
  return true;
}

bool Conditions::walk(const Block* start, const llvm::Loop* region, const Blocks& targets,
                      std::vector<Scope>& out) {
  const Block* at = start;
  for (int steps = 0; steps < 10000 && budget_ > 0; ++steps) {
    if (targets.contains(at) || covers(at, region, targets)) return true;
    const auto skip = [&]() -> bool {  // to where the ways meet again, if no target lies in between
      auto* node = post_.getNode(const_cast<Block*>(at));
      const Block* meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      if (!meet || (region && !region->contains(meet)) || meet == start) return false;
      for (const Block* next : llvm::successors(at))
        if (!leaves(at, next, region) && reaches(next, region, targets, meet)) return false;
      if (!reaches(meet, region, targets, nullptr)) return false;
      at = meet;
      return true;
    };
    const llvm::Loop* inner = loops_.getLoopFor(at);
    if (inner && inner != region && inner->getHeader() == at && (!region || region->contains(inner))) {
      if (!skip()) return false;
      continue;
    }
    if (const Block* only = at->getUniqueSuccessor()) {
      if (leaves(at, only, region)) return false;
      at = only;
      continue;
    }
    const Block* way = nullptr;
    bool several = false;
    for (const Block* next : llvm::successors(at)) {
      if (next == way || leaves(at, next, region) || !reaches(next, region, targets, nullptr)) continue;
      several = several || way;
      way = next;
    }
    if (several) {
      if (!skip()) return false;
      continue;
    }
    if (!way || !decode_edge(at, way, out)) return false;
    at = way;
  }
  return false;
}

std::optional<std::vector<Scope>> Conditions::sure_scopes(const Blocks& blocks) {
  const llvm::Loop* innermost = loops_.getLoopFor(*blocks.begin());
  std::vector<const llvm::Loop*> nest;
  for (const llvm::Loop* l = innermost; l; l = l->getParentLoop())
    nest.insert(nest.begin(), l);
  std::vector<Scope> scopes;
  const Block* start = &f_.getEntryBlock();
  const llvm::Loop* region = nullptr;
  for (const llvm::Loop* loop : nest) {
    if (!walk(start, region, {loop->getHeader()}, scopes)) return std::nullopt;
    region = loop;
    start = loop->getHeader();
    if (values_.tests_at_top(loop)) {
      if (blocks.contains(start)) return std::nullopt;  // runs once more than the body
      // The body begins where the test at the top leads on.
      for (const Block* next : llvm::successors(start))
        if (loop->contains(next)) start = next;
    }
    scopes.push_back({Scope::Kind::loop, values_.loop_index(loop)});
  }
  if (!walk(start, region, blocks, scopes)) return std::nullopt;
  return scopes;
}

std::vector<Scope> Conditions::possible_scopes(Block* block) {
  const bool outermost = !std::exchange(necessary_only_, true);
  // Collected from the inside out, each level's scopes in a group of its own.
  std::vector<std::vector<Scope>> groups;
  auto* node = dominators_.getNode(block);
  const llvm::Loop* loop = loops_.getLoopFor(block);
  const auto enter = [&](const Block* at) {
    while (loop && loop->getHeader() == at) {
      const bool header = block == at && values_.tests_at_top(loop);
      groups.push_back({{header ? Scope::Kind::loop_header : Scope::Kind::loop, values_.loop_index(loop)}});
      loop = loop->getParentLoop();
    }
  };
  enter(block);
  for (; node && node->getIDom(); node = node->getIDom()) {
    Block *child = node->getBlock(), *parent = node->getIDom()->getBlock();
    const llvm::Loop* here = loops_.getLoopFor(parent);
    const bool loop_test = here && here->contains(child) && values_.test_block(here) == parent;
    const bool loop_end = here && !here->contains(child);
    if (!loop_test && !loop_end && child->getUniquePredecessor() == parent) {
      std::vector<Scope> guards;
      (void)decode_edge(parent, child, guards);
      groups.push_back(std::move(guards));
    }
    enter(parent);
  }
  std::vector<Scope> scopes;
  for (auto g = groups.rbegin(); g != groups.rend(); ++g)
    scopes.insert(scopes.end(), g->begin(), g->end());
  if (outermost) necessary_only_ = false;
  return scopes;
}

double Conditions::likelihood(Block* block) {
  double share = 1;
  for (auto* node = dominators_.getNode(block); node && node->getIDom(); node = node->getIDom()) {
    Block *child = node->getBlock(), *parent = node->getIDom()->getBlock();
    const llvm::Loop* here = loops_.getLoopFor(parent);
    if (parent->getUniqueSuccessor() || child->getUniquePredecessor() != parent) continue;
    if (here && (values_.test_block(here) == parent || !here->contains(child))) continue;
    std::vector<Scope> scratch;
    const size_t guards = b_.info().guards.size();
    // A test of ids against sizes is mostly true; one of data is anybody's guess.
    const bool decoded = decode_edge(parent, child, scratch);
    const bool of_data = std::ranges::any_of(scratch, [&](const Scope& s) {
      const Guard& g = b_.info().guards[static_cast<size_t>(s.index)];
      return b_.atoms().from_data(g.a) || b_.atoms().from_data(g.b);
    });
    if (!decoded || of_data) share *= 0.5;
    b_.info().guards.resize(guards);
  }
  return share;
}

}  // namespace mkmd::compiler
