// SPDX-License-Identifier: Apache-2.0
// The part of Values that reads what ways through the code join: values that loops move, and values after
// loops.
#include "compiler/helper/values.hpp"

#include <algorithm>
#include <llvm/IR/Constants.h>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/forks.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {

using llvm::dyn_cast;
using llvm::isa;

namespace {

// Whether a value made inside the loop is the same in all iterations: nothing but arithmetic on what comes
// from outside. Whatever reads memory, or joins ways through the loop, may differ.
bool fixed_in(const llvm::Loop& loop, const llvm::Value* v, int depth) {
  const auto* i = dyn_cast<llvm::Instruction>(v);
  if (!i || !loop.contains(i)) return true;
  if (depth > 8 || isa<llvm::PHINode, llvm::AllocaInst, llvm::FreezeInst>(i)) return false;
  if (const auto* call = dyn_cast<llvm::CallBase>(i)) {
    const llvm::StringRef callee = declared_callee(*call);
    if (work_item_builtin(callee) == Builtin::none && !gives_back_operand(callee)) return false;
  } else if (i->mayReadOrWriteMemory()) {
    return false;
  }
  return llvm::all_of(i->operands(), [&](const llvm::Use& u) { return fixed_in(loop, u.get(), depth + 1); });
}

}  // namespace

std::set<int> Values::varies_in(llvm::Value* v) const {
  std::set<int> found;
  const auto* i = dyn_cast<llvm::Instruction>(v);
  for (const llvm::Loop* l = i ? loops_.getLoopFor(i->getParent()) : nullptr; l; l = l->getParentLoop())
    if (!fixed_in(*l, v, 0)) found.insert(loop_index(l));
  return found;
}

bool Values::varies(const llvm::Loop& loop, const Poly& poly) const {
  return std::ranges::any_of(loop_index_, [&](const auto& l) {
    return loop.contains(l.first) && b_.atoms().depends_on_loop(poly, l.second);
  });
}

bool Values::hold_in_all_rounds(const llvm::Loop& loop, const std::vector<int>& checks) const {
  return std::ranges::all_of(checks, [&](int index) {
    const Check& check = b_.info().checks[static_cast<size_t>(index)];
    const Poly& checked = b_.check_poly(index);
    return b_.atoms().range(checked).within({check.lo, check.hi, true}) || !varies(loop, checked);
  });
}

std::optional<Number> Values::hull(llvm::Value* v, int lane, const std::optional<Number>& a,
                                   const std::optional<Number>& b) {
  if (!a || !b) return std::nullopt;
  if (a->poly == b->poly) {
    Number r = *a;
    merge_checks(r.checks, b->checks);
    return r;
  }
  const auto wild = [&](const Number& n) {
    return is_integer(v) && b_.atoms().wild_terms(n.poly, width(v)) > 0;
  };
  if (wild(*a) || wild(*b)) return b_.opaque({v, lane}, width(v), varies_in(v));
  // Ways that differ by the same number for all work-items: the shorter one, and that number once or not at
  // all. In a loop it is the one that takes no step.
  const bool first = a->poly.terms().size() <= b->poly.terms().size();
  const std::optional<Number>&base = first ? a : b, &other = first ? b : a;
  const std::optional<Number> more = add(other, base, -1);
  if (more && b_.atoms().is_uniform(more->poly))
    return add(base, multiply(more, b_.choice({v, lane}, first, varies_in(v))));
  return b_.between({v, lane}, *a, *b, varies_in(v));
}

std::optional<Number> Values::at_loop_exit(llvm::PHINode* p) {
  // A value of a loop seen after it: known only if no loop that was left moves it.
  llvm::Value* inside = p->getIncomingValue(0);
  if (llvm::any_of(p->incoming_values(), [&](const llvm::Use& u) { return u.get() != inside; }))
    return std::nullopt;
  std::optional<Number> n = number(inside);
  if (!n) return n;
  for (const llvm::BasicBlock* from : p->blocks())
    for (llvm::Loop* l = loops_.getLoopFor(from); l && !l->contains(p->getParent()); l = l->getParentLoop())
      if (b_.atoms().depends_on_loop(n->poly, loop_index(l)) && !(n = after(*l, *n))) return n;
  return n;
}

// A number where the loop's test ends it: the counter has passed as many tests as the loop's distance has
// steps.
std::optional<Number> Values::after(const llvm::Loop& loop, const Number& n) {
  const int index = loop_index(&loop);
  const mkmd::compiler::Loop& known = b_.info().loops[static_cast<size_t>(index)];
  const auto distance = distances_.find(&loop);
  const std::optional<int64_t> step = b_.info().expressions[static_cast<size_t>(known.step)].constant();
  if (distance == distances_.end() || !known.exact || loop.getExitingBlock() != test_block(&loop) || !step ||
      *step <= 0)
    return std::nullopt;
  std::optional<Number> passed = add(distance->second, Number{Poly(*step - 1), {}});
  if (passed && *step > 1) passed = b_.quotient(*passed, {Poly(*step), {}}, true);
  if (!passed) return std::nullopt;
  if (const std::optional<Expression> e = b_.as_expression(passed->poly))
    passed->poly = Poly::atom(b_.uniform(Expression::combine(Expression::Op::maximum, *e, int64_t{0})));
  else
    passed = b_.derive(Derived::Op::maximum, *passed, Number{});
  const auto parts = n.poly.linear_in(b_.atoms().variable({Variable::Kind::loop, index}));
  if (!parts) return std::nullopt;
  const std::optional<Number> last =
      add(Number{parts->second, n.checks}, multiply(Number{parts->first, {}}, passed));
  if (!last || b_.atoms().depends_on_loop(last->poly, index) || !hold_in_all_rounds(loop, n.checks))
    return std::nullopt;
  return last;
}

std::optional<Number> Values::phi(llvm::PHINode* p) {
  llvm::Loop* loop = loops_.getLoopFor(p->getParent());
  if (!loop || loop->getHeader() != p->getParent()) {
    bool leaves = false;
    for (llvm::BasicBlock* from : p->blocks()) {
      llvm::Loop* l = loops_.getLoopFor(from);
      if (l && !l->contains(p->getParent())) leaves = true;
    }
    if (leaves) return at_loop_exit(p);
    return any_of_ways(p);
  }
  llvm::BasicBlock *preheader = loop->getLoopPreheader(), *latch = loop->getLoopLatch();
  if (!preheader || !latch) return std::nullopt;
  llvm::Value* const before = p->getIncomingValueForBlock(preheader);
  const std::optional<Number> init = isa<llvm::UndefValue>(before) ? Number{} : number(before);
  if (!init) return std::nullopt;
  const int self = b_.atoms().placeholder();
  const size_t mark = order_.size();
  numbers_[{p, -1}] = Number{Poly::atom(self), {}};
  const std::optional<Number> next = number(p->getIncomingValueForBlock(latch));
  forget_since(mark);
  numbers_.erase({p, -1});
  const std::optional<Number> moved = next ? add(init, added_by(*loop, p, *next, self)) : std::nullopt;
  return moved ? moved : kept_within(p);
}

// Some values only hand on each other and what comes from elsewhere (`brought`), as a position in a ring
// does. They stay in an interval that holds everything brought while they are in it. The interval is a
// guess, made from what many numbers bring. That it holds is then shown by induction.
std::optional<Number> Values::kept_within(llvm::PHINode* p) {
  if (in_induction_ || width(p) < 8 || p->getType()->isVectorTy()) return std::nullopt;
  std::vector<llvm::Value*> handed_on{p}, brought;
  if (!who_brings(handed_on, brought)) return std::nullopt;
  in_induction_ = true;
  std::vector<int> checks;
  // What is brought, if all values lie in `all`.
  const auto round = [&](const Interval& all) -> Interval {
    const size_t mark = order_.size();
    const auto known = numbers_;  // also: what other loops assume of theirs
    for (llvm::Value* v : handed_on)
      numbers_[{v, -1}] = b_.within({v, -1}, all, varies_in(v));
    Interval reached{INT64_MAX, INT64_MIN, true};
    for (llvm::Value* v : brought) {
      const std::optional<Number> n = number(v);
      const Interval one = n ? b_.atoms().range(n->poly) : kUnknown;
      reached = {std::min(reached.lo, one.lo), std::max(reached.hi, one.hi), reached.known && one.bounded()};
      if (n) merge_checks(checks, n->checks);
    }
    forget_since(mark);
    numbers_ = known;
    return reached;
  };
  const auto checks_hold = [&] {
    return llvm::all_of(handed_on, [&](llvm::Value* v) {
      const llvm::Loop* loop = loops_.getLoopFor(llvm::cast<llvm::Instruction>(v)->getParent());
      return loop == nullptr || hold_in_all_rounds(*loop, checks);
    });
  };
  std::optional<Number> found;
  const Interval any = signed_range(width(p));
  for (const Interval& guess : {Interval{0, any.hi / 2}, any}) {
    const Interval guessed = round(guess);
    if (found || !guessed.within(any) || (guessed.lo == any.lo && guessed.hi == any.hi)) continue;
    checks.clear();
    if (round(guessed).within(guessed) && checks_hold()) found = b_.within({p, -1}, guessed, varies_in(p));
    if (found) merge_checks(found->checks, checks);
  }
  in_induction_ = false;
  return found;
}

// False: they are too many.
bool Values::who_brings(std::vector<llvm::Value*>& handed_on, std::vector<llvm::Value*>& brought) {
  constexpr size_t kMost = 16;
  for (size_t i = 0; i < handed_on.size(); ++i) {
    const auto* select = dyn_cast<llvm::SelectInst>(handed_on[i]);
    for (llvm::Value* from : llvm::cast<llvm::User>(handed_on[i])->operand_values()) {
      if (isa<llvm::UndefValue>(from) || (select && from == select->getCondition())) continue;
      std::vector<llvm::Value*>& to = isa<llvm::PHINode, llvm::SelectInst>(from) ? handed_on : brought;
      if (!llvm::is_contained(to, from)) to.push_back(from);
    }
    if (handed_on.size() > kMost || brought.size() > kMost) return false;
  }
  return true;
}

// A choice that is the same for the whole launch: arithmetic on a number that is 0 or 1.
std::optional<Number> Values::chosen(llvm::Value* condition, const std::optional<Number>& yes,
                                     const std::optional<Number>& no) {
  Number truth;
  const std::optional<Expression> holds = uniform_condition(condition, truth.checks);
  if (!holds) return std::nullopt;
  truth.poly = Poly::atom(b_.uniform(Expression::choose(*holds, int64_t{1}, int64_t{0})));
  const std::optional<Number> one = add(no, multiply(truth, add(yes, no, -1)));
  return one && b_.affine(one->poly) ? one : std::nullopt;  // two long sums may be too long together
}

// A choice by an order of two numbers, between two others that are as far apart: the greater or the lesser
// one.
std::optional<Number> Values::extreme_of(const Fork& fork) {
  const auto* c = dyn_cast<llvm::ICmpInst>(fork.condition);
  if (!c || !c->isRelational() || c->isUnsigned()) return std::nullopt;
  for (const llvm::Value* v : {c->getOperand(0), static_cast<llvm::Value*>(fork.yes)})
    if (!is_integer(v) || width(v) < 8) return std::nullopt;
  llvm::Value *x = c->getOperand(0), *y = c->getOperand(1);
  auto relation = c->getPredicate();
  if (llvm::ICmpInst::isGT(relation) || llvm::ICmpInst::isGE(relation)) {
    std::swap(x, y);
    relation = llvm::ICmpInst::getSwappedPredicate(relation);
  }
  const std::optional<Number> yes = as_signed(fork.yes), no = as_signed(fork.no);
  const std::optional<Number> over = add(yes, no, -1), ahead = add(as_signed(y), as_signed(x), -1);
  if (!over || !ahead) return std::nullopt;
  // x < y is x <= y - 1.
  for (const int64_t slack : {int64_t{0}, int64_t{llvm::ICmpInst::isLT(relation) ? -1 : 1}}) {
    for (const bool least : {false, true}) {
      const std::optional<Poly> rest = Poly::sum(over->poly, ahead->poly, least ? 1 : -1);
      if (!rest || *rest != Poly(least ? -slack : slack)) continue;
      Number yes_or_no = *yes;
      merge_checks(yes_or_no.checks, ahead->checks);
      return extreme(least, true, yes_or_no, no, width(fork.yes));
    }
  }
  return std::nullopt;
}

// A way that leaves the value undefined brings whatever another one brings: no address of a program depends
// on it.
std::optional<Number> Values::any_of_ways(llvm::PHINode* p) {
  if (const std::optional<Fork> fork = fork_of(*p)) {
    if (std::optional<Number> one = chosen(fork->condition, number(fork->yes), number(fork->no))) return one;
    if (std::optional<Number> one = extreme_of(*fork)) return one;
  }
  std::optional<Number> all;
  bool several = false;
  for (const llvm::Use& way : p->incoming_values()) {
    if (isa<llvm::UndefValue>(way.get())) continue;
    const std::optional<Number> n = number(way.get());
    all = several ? hull(p, -1, all, n) : n;
    if (!all) return all;
    several = true;
  }
  return all;
}

// What the iterations before have added to a value of the loop, of which one makes `next` out of the
// placeholder `self`. A step that is the same in all iterations counts as often as the counter says. One that
// each iteration takes or leaves, whatever the others do, counts any number of times up to that.
std::optional<Number> Values::added_by(const llvm::Loop& loop, llvm::PHINode* p, const Number& next,
                                       int self) {
  if (!hold_in_all_rounds(loop, next.checks)) return std::nullopt;
  std::optional<Poly> step = Poly::sum(next.poly, Poly::atom(self), -1);
  const Number counter{Poly::atom(b_.atoms().variable({Variable::Kind::loop, loop_index(&loop)})),
                       next.checks};
  std::optional<Number> total = Number{};
  for (const int choice : step ? b_.atoms().choices(*step) : std::vector<int>{}) {
    if (!varies(loop, Poly::atom(choice))) continue;
    const auto parts = step->linear_in(choice);
    if (!parts || varies(loop, parts->first)) return std::nullopt;
    const auto taken = b_.between({p, -3 - choice}, Number{}, counter, varies_in(p));
    total = add(total, multiply(Number{parts->first, {}}, taken));
    step = parts->second;
  }
  if (!step || varies(loop, *step) || step->contains(self)) return std::nullopt;
  return add(total, multiply(Number{*step, {}}, counter));
}

}  // namespace mkmd::compiler
