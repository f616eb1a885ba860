// SPDX-License-Identifier: Apache-2.0
// The loop half of Values: how often each loop runs, from the comparison that ends it.
#include <algorithm>
#include <llvm/IR/Constants.h>

#include "compiler/helper/values.hpp"

namespace mkmd::compiler {

using llvm::dyn_cast;

bool Values::tests_at_top(const llvm::Loop* loop) const {
  return test_block(loop) == loop->getHeader() && loop->getHeader() != loop->getLoopLatch();
}

llvm::BasicBlock* Values::test_block(const llvm::Loop* loop) const {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop->getExitingBlocks(exiting);
  for (llvm::BasicBlock* b : {loop->getHeader(), loop->getLoopLatch()})
    if (b && llvm::is_contained(exiting, b)) return b;
  return nullptr;
}

void Values::find_trip_counts() {
  // Inner loops before those around them, and in the order of the program: what a loop leaves behind may be
  // where the next one begins.
  const auto visit = [&](const auto& self, llvm::Loop* loop) -> void {
    for (llvm::Loop* inner : llvm::reverse(*loop))
      self(self, inner);
    find_trip_count(loop);
  };
  for (llvm::Loop* loop : llvm::reverse(loops_))
    visit(visit, loop);
}

// to - from, of numbers that are exact. Where one is a minimum or a maximum, so is the difference:
// min(a, b) - x is min(a - x, b - x), and x - max(a, b) is min(x - a, x - b). What x has in common with a or
// b cancels then: a loop from y to min(y + 4, rows) runs at most four times, whatever y is.
std::optional<Number> Values::difference(const std::optional<Number>& to, const std::optional<Number>& from,
                                         int depth) {
  if (!to || !from) return std::nullopt;
  constexpr int kDeepest = 3;  // each level asks twice
  const std::optional<InfoBuilder::Extreme> end = depth < kDeepest ? b_.extreme(to->poly) : std::nullopt;
  const std::optional<InfoBuilder::Extreme> start =
      depth < kDeepest && !end ? b_.extreme(from->poly) : std::nullopt;
  if (!end && !start) return add(to, from, -1);
  const InfoBuilder::Extreme& known = end ? *end : *start;
  const auto with = [&](const Poly& operand) {
    return end ? difference(Number{operand, to->checks}, from, depth + 1)
               : difference(to, Number{operand, from->checks}, depth + 1);
  };
  const std::optional<Number> a = with(known.a), b = with(known.b);
  const bool least = end ? known.least : !known.least;
  return a && b ? b_.derive(least ? Derived::Op::minimum : Derived::Op::maximum, *a, *b) : std::nullopt;
}

void Values::find_trip_count(llvm::Loop* loop) {
  const int index = loop_index(loop);
  Loop result;
  result.distance = {b_.expression(int64_t{0}), {}};
  result.step = b_.expression(int64_t{1});
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop->getExitingBlocks(exiting);
  result.exact = exiting.size() == 1;
  llvm::BasicBlock* test = test_block(loop);
  result.extra = test && tests_at_top(loop) ? 0 : 1;  // a body without a test at its top runs at least once
  const auto finish = [&] { b_.info().loops[static_cast<size_t>(index)] = result; };
  auto* branch = test ? dyn_cast<llvm::BranchInst>(test->getTerminator()) : nullptr;
  auto* compare =
      branch && branch->isConditional() ? dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || !is_integer(compare->getOperand(0))) return finish();
  // Written as: go on while counter < bound (or another relation).
  auto relation = compare->getPredicate();
  if (!loop->contains(branch->getSuccessor(0))) relation = llvm::ICmpInst::getInversePredicate(relation);
  llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  const bool is_unsigned = llvm::ICmpInst::isUnsigned(relation);
  const auto read = [&](llvm::Value* v) {
    return relation == llvm::ICmpInst::ICMP_NE ? number(v) : is_unsigned ? as_unsigned(v) : as_signed(v);
  };
  std::optional<Number> counter = number(left), bound = number(right);
  if (!counter || !bound) return finish();
  const int variable = b_.atoms().variable({Variable::Kind::loop, index});
  if (!counter->poly.contains(variable)) {
    std::swap(counter, bound);
    std::swap(left, right);
    relation = llvm::ICmpInst::getSwappedPredicate(relation);
  }
  // A bound that is not the same in all iterations is at most as large as the largest one.
  bool varies = false;
  for (const auto& [l, i] : loop_index_) {
    if (!loop->contains(l)) continue;
    if (bound->poly.contains(b_.atoms().variable({Variable::Kind::loop, i}))) return finish();
    varies = varies || b_.atoms().depends_on_loop(bound->poly, i);
  }
  if (varies && relation == llvm::ICmpInst::ICMP_NE) return finish();
  result.exact = result.exact && !varies;
  const auto parts = counter->poly.linear_in(variable);
  if (!parts || !b_.atoms().is_uniform(parts->first)) return finish();
  for (const auto& [l, i] : loop_index_)
    if (loop->contains(l) && b_.atoms().depends_on_loop(parts->second, i)) return finish();
  if (!(bound = read(right))) return finish();
  // What the counter passes through on its way to the test (a short widened to int) is checked at both ends
  // instead.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  Number first{parts->second, {}}, step{parts->first, {}};
  for (int check : counter->checks) {
    const Poly& checked = b_.check_poly(check);
    if (!b_.atoms().depends_on_loop(checked, index)) {
      merge_checks(first.checks, {check});
      continue;
    }
    if (checked != counter->poly) return finish();
    const Check& c = b_.info().checks[static_cast<size_t>(check)];
    ranges.push_back({c.lo, c.hi});
  }
  const auto in_ranges = [&](Number& n, const Poly& last) {
    return std::ranges::all_of(ranges, [&](const auto& r) {
      return b_.check(n, first.poly, r.first, r.second) && b_.check(n, last, r.first, r.second);
    });
  };
  std::optional<Number> distance;
  const bool upwards = llvm::ICmpInst::isLT(relation) || llvm::ICmpInst::isLE(relation);
  if (relation == llvm::ICmpInst::ICMP_NE) {
    const std::optional<int64_t> by = step.poly.constant();
    if (by != 1 && by != -1) return finish();
    distance = *by > 0 ? add(bound, first, -1) : add(first, bound, -1);
    // Both are known modulo 2^bits only: the counter goes as far as their difference says if that is less.
    const unsigned bits = width(left);
    const int64_t farthest = bits >= 62 ? INT64_MAX / 4 : (int64_t{1} << bits) - 1;
    if (!distance || !b_.check(*distance, distance->poly, 0, farthest)) return finish();
    if (!in_ranges(*distance, bound->poly)) return finish();
    step.poly = Poly(1);
  } else if (upwards || llvm::ICmpInst::isGT(relation) || llvm::ICmpInst::isGE(relation)) {
    distance = upwards ? difference(bound, first) : difference(first, bound);
    const bool with_end = llvm::ICmpInst::isLE(relation) || llvm::ICmpInst::isGE(relation);
    if (with_end) distance = add(distance, Number{Poly(1), {}});
    // No value the test sees may wrap around: the first one, and the last one, which is a step beyond the
    // last that passes the test.
    const unsigned bits = width(left);
    const int64_t hi = is_unsigned ? (bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1)
                                   : (bits >= 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1);
    const int64_t lo = is_unsigned ? 0 : -hi - 1;
    std::optional<Poly> last = Poly::sum(bound->poly, step.poly);
    if (last && !with_end) last = Poly::sum(*last, Poly(upwards ? -1 : 1));
    if (!distance || !last || !b_.check(*distance, first.poly, lo, hi) || !b_.check(*distance, *last, lo, hi))
      return finish();
    if (!in_ranges(*distance, *last)) return finish();
    if (!upwards) step.poly = *Poly::product(step.poly, Poly(-1));
  } else {
    return finish();
  }
  const std::optional<Expression> by = b_.as_expression(step.poly);
  const std::optional<Affine> far = b_.affine(b_.simplified(distance->poly));
  if (!by || !far) return finish();
  result.known = true;
  result.distance = *far;
  result.step = b_.expression(*by);
  result.checks = distance->checks;
  distances_[loop] = *distance;
  finish();
}

}  // namespace mkmd::compiler
