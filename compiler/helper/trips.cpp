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
    const Loop trips = trip_count(loop);
    b_.info().loops[static_cast<size_t>(loop_index(loop))] = trips;
  };
  for (llvm::Loop* loop : llvm::reverse(loops_))
    visit(visit, loop);
}

// to - from, of numbers that are exact. Where one is a minimum or a maximum, so is the difference. min(a,
// b) - x is min(a - x, b - x), and x - max(a, b) is min(x - a, x - b). What x has in common with a or b
// cancels then. So a loop from y to min(y + 4, rows) runs at most four times, whatever y is.
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

// How often one loop runs, from the comparison that ends it: the distance that its counter goes, and the
// step. A step of the reasoning that returns false ends it: then the loop runs any number of times.
class Values::Trips {
public:
  Trips(Values& values, llvm::Loop& loop) : values_(values), b_(values.b_), loop_(loop) {}

  // `exact` becomes false if what is found is only the most.
  bool find(const llvm::BasicBlock& test, bool& exact) {
    if (!read_test(test) || !bound_is_fixed(exact) || !read_counter() || !read_checks()) return false;
    if (relation_ == llvm::ICmpInst::ICMP_NE) return count_until_equal();
    if (llvm::ICmpInst::isLT(relation_) || llvm::ICmpInst::isLE(relation_)) return count_until_passed(true);
    if (llvm::ICmpInst::isGT(relation_) || llvm::ICmpInst::isGE(relation_)) return count_until_passed(false);
    return false;
  }
  const Number& distance() const { return distance_; }
  const Poly& step() const { return step_; }

private:
  // Written as: go on while counter < bound (or another relation).
  bool read_test(const llvm::BasicBlock& test) {
    const auto* branch = dyn_cast<llvm::BranchInst>(test.getTerminator());
    const auto* compare =
        branch && branch->isConditional() ? dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || !is_integer(compare->getOperand(0))) return false;
    relation_ = compare->getPredicate();
    if (!loop_.contains(branch->getSuccessor(0))) relation_ = llvm::ICmpInst::getInversePredicate(relation_);
    left_ = compare->getOperand(0);
    right_ = compare->getOperand(1);
    variable_ = b_.atoms().variable({Variable::Kind::loop, index_});
    std::optional<Number> counter = counter_of(left_);
    if (!counter) {
      counter = counter_of(right_);
      std::swap(left_, right_);
      relation_ = llvm::ICmpInst::getSwappedPredicate(relation_);
    }
    const std::optional<Number> bound = values_.number(right_);
    if (!counter || !bound) return false;
    counter_ = std::move(*counter);
    bound_ = *bound;
    return true;
  }

  // A counter that begins anywhere may have been cut to its width. Where its first value and its last one are
  // checked, no value is cut.
  std::optional<Number> counter_of(llvm::Value* compared) {
    std::optional<Number> n = values_.number(compared);
    if (!n) return std::nullopt;
    n->poly = b_.uncut(n->poly, width(compared));
    return n->poly.contains(variable_) ? n : std::nullopt;
  }

  // A bound that is not the same in all iterations is at most as large as the largest one.
  bool bound_is_fixed(bool& exact) {
    bool varies = false;
    for (const auto& [l, i] : values_.loop_index_) {
      if (!loop_.contains(l)) continue;
      if (bound_.poly.contains(b_.atoms().variable({Variable::Kind::loop, i}))) return false;
      varies = varies || b_.atoms().depends_on_loop(bound_.poly, i);
    }
    if (varies && relation_ == llvm::ICmpInst::ICMP_NE) return false;
    exact = exact && !varies;
    return true;
  }

  bool read_counter() {
    const auto parts = counter_.poly.linear_in(variable_);
    if (!parts || !b_.atoms().is_uniform(parts->first)) return false;
    for (const auto& [l, i] : values_.loop_index_)
      if (loop_.contains(l) && b_.atoms().depends_on_loop(parts->second, i)) return false;
    step_ = parts->first;
    first_ = {parts->second, {}};
    const std::optional<Number> bound = relation_ == llvm::ICmpInst::ICMP_NE ? values_.number(right_)
                                        : is_unsigned()                      ? values_.as_unsigned(right_)
                                                                             : values_.as_signed(right_);
    if (!bound) return false;
    bound_ = *bound;
    return true;
  }

  // What the counter passes through on its way to the test (a short widened to int) is checked at both ends
  // instead.
  bool read_checks() {
    for (int check : counter_.checks) {
      const Poly& checked = b_.check_poly(check);
      if (!b_.atoms().depends_on_loop(checked, index_)) {
        merge_checks(first_.checks, {check});
        continue;
      }
      if (checked != counter_.poly) return false;
      const Check& c = b_.info().checks[static_cast<size_t>(check)];
      ranges_.push_back({c.lo, c.hi});
    }
    return true;
  }

  bool in_ranges(const Poly& last) {
    return std::ranges::all_of(ranges_, [&](const auto& r) {
      return b_.check(distance_, first_.poly, r.first, r.second) &&
             b_.check(distance_, last, r.first, r.second);
    });
  }

  bool count_until_equal() {
    const std::optional<int64_t> by = step_.constant();
    if (by != 1 && by != -1) return false;
    const std::optional<Number> distance =
        *by > 0 ? values_.add(bound_, first_, -1) : values_.add(first_, bound_, -1);
    if (!distance) return false;
    distance_ = *distance;
    step_ = Poly(1);
    // Both are known modulo 2^bits only: the counter goes as far as their difference says if that is less.
    const unsigned bits = width(left_);
    const int64_t farthest = bits >= 62 ? INT64_MAX / 4 : (int64_t{1} << bits) - 1;
    return b_.check(distance_, distance_.poly, 0, farthest) && in_ranges(bound_.poly);
  }

  // No value that the test sees may wrap around. These are the first value and the last one, which is a
  // step beyond the last that passes the test.
  bool count_until_passed(bool upwards) {
    std::optional<Number> distance =
        upwards ? values_.difference(bound_, first_) : values_.difference(first_, bound_);
    const bool with_end = llvm::ICmpInst::isLE(relation_) || llvm::ICmpInst::isGE(relation_);
    if (with_end) distance = values_.add(distance, Number{Poly(1), {}});
    std::optional<Poly> last = Poly::sum(bound_.poly, step_);
    if (last && !with_end) last = Poly::sum(*last, Poly(upwards ? -1 : 1));
    if (!distance || !last) return false;
    distance_ = *distance;
    const unsigned bits = width(left_);
    const int64_t hi = is_unsigned() ? (bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1)
                                     : (bits >= 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1);
    const int64_t lo = is_unsigned() ? 0 : -hi - 1;
    if (!b_.check(distance_, first_.poly, lo, hi) || !b_.check(distance_, *last, lo, hi)) return false;
    if (!in_ranges(*last)) return false;
    if (!upwards) step_ = *Poly::product(step_, Poly(-1));
    return true;
  }

  bool is_unsigned() const { return llvm::ICmpInst::isUnsigned(relation_); }

  Values& values_;
  InfoBuilder& b_;
  const llvm::Loop& loop_;
  const int index_ = values_.loop_index(&loop_);
  llvm::ICmpInst::Predicate relation_ = llvm::ICmpInst::ICMP_NE;
  llvm::Value *left_ = nullptr, *right_ = nullptr;  // the counter's, and the bound's
  int variable_ = -1;                               // the atom of the loop's iteration
  Number counter_, bound_;
  Number first_;  // of the counter's values
  Poly step_;
  Number distance_;
  std::vector<std::pair<int64_t, int64_t>> ranges_;  // in which the counter is to stay
};

Loop Values::trip_count(llvm::Loop* loop) {
  Loop result;
  result.distance = {b_.expression(int64_t{0}), {}};
  result.step = b_.expression(int64_t{1});
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop->getExitingBlocks(exiting);
  result.exact = exiting.size() == 1;
  const llvm::BasicBlock* test = test_block(loop);
  result.extra = test && tests_at_top(loop) ? 0 : 1;  // a body without a test at its top runs at least once
  Trips trips(*this, *loop);
  if (!test || !trips.find(*test, result.exact)) return result;
  const std::optional<Expression> by = b_.as_expression(trips.step());
  const std::optional<Affine> far = b_.affine(b_.simplified(trips.distance().poly));
  if (!by || !far) return result;
  result.known = true;
  result.distance = *far;
  result.step = b_.expression(*by);
  result.checks = trips.distance().checks;
  distances_[loop] = trips.distance();
  return result;
}

}  // namespace mkmd::compiler
