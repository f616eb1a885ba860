// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/values.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/helper/arguments.hpp"
#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {

using namespace llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr int kMaxDepth = 400;  // of recursion over a kernel's values

}  // namespace

Values::Values(llvm::Function& f, InfoBuilder& builder, llvm::LoopInfo& loops)
    : f_(f), b_(builder), loops_(loops), layout_(f.getParent()->getDataLayout()) {
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    loop_index_[loop] = static_cast<int>(builder.info().loops.size());
    builder.info().loops.emplace_back();
  }
}

template <typename T, typename F>
T Values::remembered(std::map<Key, T>& memory, Key key, F compute) {
  if (auto it = memory.find(key); it != memory.end()) return it->second;
  if (depth_ > kMaxDepth || --budget_ < 0) return T{};
  ++depth_;
  T result = compute();
  --depth_;
  memory[key] = result;
  order_.push_back(key);
  return result;
}

void Values::forget_since(size_t mark) {
  for (size_t i = mark; i < order_.size(); ++i) {
    numbers_.erase(order_[i]);
    places_.erase(order_[i]);
  }
  order_.resize(mark);
}

std::optional<Number> Values::number(llvm::Value* v, int lane) {
  if (!is_integer(v)) return std::nullopt;
  return remembered(numbers_, {v, lane}, [&] { return compute_or_opaque(v, lane); });
}

std::optional<Number> Values::compute_or_opaque(llvm::Value* v, int lane) {
  std::optional<Number> n = compute(v, lane);
  if (!isa<llvm::Instruction>(v) || width(v) == 1 || v->getType()->isVectorTy() != (lane >= 0)) return n;
  const int wild = n ? b_.atoms().wild_terms(n->poly, width(v)) : 2;
  if (wild == 0 || (wild == 1 && n->poly.single_atom())) return n;
  // One atom stands for it, so that a comparison says something of all its uses.
  if (wild == 1 && width(v) < 64)
    if (std::optional<Number> one = b_.cut(*n, width(v), true)) return one;
  std::optional<Number> any = b_.opaque({v, lane}, width(v), varies_in(v));
  if (any && !n && isa<llvm::LoadInst>(v)) loaded_.emplace(any->poly.single_atom().value(), Key{v, lane});
  return any;
}

std::optional<Number> Values::as_signed(llvm::Value* v, int lane) {
  std::optional<Number> n = number(v, lane);
  const unsigned bits = width(v);
  if (!n || bits >= 64) return n;
  if (b_.atoms().wild_terms(n->poly, bits) > 0) return b_.cut(*n, bits, true);
  const Interval all = signed_range(bits);
  if (!b_.check(*n, n->poly, all.lo, all.hi)) return std::nullopt;
  return n;
}

std::optional<Number> Values::as_unsigned(llvm::Value* v, int lane) {
  std::optional<Number> n = number(v, lane);
  const unsigned bits = width(v);
  if (!n) return n;
  // A constant is kept as a signed number; a negative one is a large unsigned one.
  if (std::optional<int64_t> c = n->poly.constant(); c && *c < 0 && bits < 64) {
    n->poly = Poly(*c + (int64_t{1} << bits));
    return n;
  }
  if (b_.atoms().wild_terms(n->poly, bits) > 0) {
    // Of what comparisons say of it as a signed number, that it is not negative holds here, too.
    if (bits < 64) n = b_.cut(*n, bits, true);
    return n ? b_.cut(*n, bits, false) : n;
  }
  const Interval all = unsigned_range(bits);
  if (!b_.check(*n, n->poly, all.lo, all.hi)) return std::nullopt;
  return n;
}

// Of 64 bits, an unsigned number that data make is known from below only: as a signed one it may be negative.
std::optional<Number> Values::of_unsigned(const std::optional<Number>& n, unsigned bits) {
  return n && bits >= 64 && b_.atoms().from_data(n->poly) ? b_.cut(*n, bits, true) : n;
}

std::optional<Number> Values::add(const std::optional<Number>& a, const std::optional<Number>& b,
                                  int64_t factor) {
  if (!a || !b) return std::nullopt;
  std::optional<Poly> sum = Poly::sum(a->poly, b->poly, factor);
  if (!sum) return std::nullopt;
  Number r{std::move(*sum), a->checks};
  merge_checks(r.checks, b->checks);
  return r;
}

std::optional<Number> Values::multiply(const std::optional<Number>& a, const std::optional<Number>& b) {
  if (!a || !b) return std::nullopt;
  std::optional<Poly> product = Poly::product(a->poly, b->poly);
  if (!product) return std::nullopt;
  Number r{std::move(*product), a->checks};
  merge_checks(r.checks, b->checks);
  return r;
}

// An integer inside a vector or struct argument.
std::optional<Number> Values::slot(int argument, uint64_t offset, uint64_t bytes) {
  KernelInfo& info = b_.info();
  if (bytes == 0 || bytes > 8) return std::nullopt;
  // Read as signed; as it is only used modulo its width, that is as good as unsigned.
  for (size_t i = 0; i < info.extra_scalars.size(); ++i) {
    const ScalarSlot& s = info.extra_scalars[i];
    if (s.argument == argument && s.offset == offset && s.bytes == bytes)
      return Number{
          Poly::atom(b_.uniform(Expression::scalar(static_cast<int64_t>(info.arguments.size() + i)))), {}};
  }
  info.extra_scalars.push_back({argument, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), true});
  return Number{Poly::atom(b_.uniform(Expression::scalar(
                    static_cast<int64_t>(info.arguments.size() + info.extra_scalars.size() - 1)))),
                {}};
}

std::optional<Number> Values::compute(llvm::Value* v, int lane) {
  if (auto* c = dyn_cast<llvm::Constant>(v)) {
    if (lane >= 0) c = c->getAggregateElement(static_cast<unsigned>(lane));
    auto* i = llvm::dyn_cast_or_null<llvm::ConstantInt>(c);
    if (!i) return std::nullopt;
    return Number{Poly(width(v) == 1 ? static_cast<int64_t>(i->getZExtValue()) : i->getSExtValue()), {}};
  }
  if (auto* a = dyn_cast<llvm::Argument>(v)) {
    const auto index = static_cast<int>(a->getArgNo());
    if (width(v) < 8) return std::nullopt;
    if (lane >= 0) return slot(index, static_cast<uint64_t>(lane) * width(v) / 8, width(v) / 8);
    return Number{Poly::atom(b_.uniform(Expression::scalar(index))), {}};
  }
  if (auto* i = dyn_cast<llvm::Instruction>(v)) return instruction(i, lane);
  return std::nullopt;
}

std::optional<Number> Values::instruction(llvm::Instruction* i, int lane) {
  if (auto* b = dyn_cast<llvm::BinaryOperator>(i)) return binary(b, lane);
  if (auto* s = dyn_cast<llvm::SelectInst>(i)) return select(s, lane);
  switch (i->getOpcode()) {
  case llvm::Instruction::Trunc:
    if (width(i) == 1) return std::nullopt;
    return low_bits(i->getOperand(0), width(i), lane, 0);
  case llvm::Instruction::Freeze:
    return number(i->getOperand(0), lane);
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt: {
    llvm::Value* from = i->getOperand(0);
    const bool is_signed = isa<llvm::SExtInst>(i);
    if (width(from) == 1)  // a truth value
      return hull(i, lane, Number{Poly(0), {}}, Number{Poly(is_signed ? -1 : 1), {}});
    return is_signed ? as_signed(from, lane) : as_unsigned(from, lane);
  }
  case llvm::Instruction::ExtractElement: {
    auto* index = dyn_cast<llvm::ConstantInt>(i->getOperand(1));
    if (!index || index->getZExtValue() > 15) return std::nullopt;
    return number(i->getOperand(0), static_cast<int>(index->getZExtValue()));
  }
  case llvm::Instruction::InsertElement: {
    auto* index = dyn_cast<llvm::ConstantInt>(i->getOperand(2));
    if (!index || lane < 0) return std::nullopt;
    if (index->getZExtValue() == static_cast<uint64_t>(lane)) return number(i->getOperand(1));
    return number(i->getOperand(0), lane);
  }
  case llvm::Instruction::ShuffleVector: {
    auto* s = llvm::cast<llvm::ShuffleVectorInst>(i);
    auto* type = dyn_cast<llvm::FixedVectorType>(s->getOperand(0)->getType());
    if (!type || lane < 0 || lane >= static_cast<int>(s->getShuffleMask().size())) return std::nullopt;
    const int from = s->getMaskValue(static_cast<unsigned>(lane)),
              count = static_cast<int>(type->getNumElements());
    if (from < 0) return std::nullopt;
    return from < count ? number(s->getOperand(0), from) : number(s->getOperand(1), from - count);
  }
  case llvm::Instruction::PHI:
    return lane < 0 ? phi(llvm::cast<llvm::PHINode>(i)) : std::nullopt;
  case llvm::Instruction::Call:
    return call(llvm::cast<llvm::CallBase>(i), lane);
  case llvm::Instruction::Load:
    return lane < 0 ? load(llvm::cast<llvm::LoadInst>(i)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Number> Values::low_bits(llvm::Value* v, unsigned bits, int lane, int depth) {
  auto* i = dyn_cast<llvm::Instruction>(v);
  if (!i || depth > 8 || lane >= 0) return number(v, lane);
  const auto operand = [&](unsigned n) { return low_bits(i->getOperand(n), bits, lane, depth + 1); };
  switch (i->getOpcode()) {
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
    // (int)((long)x + size): a counter stepped by a size_t, which must not need to know its own range.
    if (width(i->getOperand(0)) < bits) return number(v);
    return width(i->getOperand(0)) == bits ? number(i->getOperand(0)) : operand(0);
  case llvm::Instruction::Trunc:
    return operand(0);
  case llvm::Instruction::Add:
    return add(operand(0), operand(1));
  case llvm::Instruction::Sub:
    return add(operand(0), operand(1), -1);
  case llvm::Instruction::Mul:
    return multiply(operand(0), operand(1));
  default:
    return number(v);
  }
}

std::optional<Expression> Values::uniform_condition(llvm::Value* condition, std::vector<int>& checks) {
  auto* c = dyn_cast<llvm::ICmpInst>(condition);
  if (!c || !is_integer(c->getOperand(0)) || c->getType()->isVectorTy()) return std::nullopt;
  auto relation = c->getPredicate();
  llvm::Value *x = c->getOperand(0), *y = c->getOperand(1);
  if (llvm::ICmpInst::isGT(relation) || llvm::ICmpInst::isGE(relation)) {
    std::swap(x, y);
    relation = llvm::ICmpInst::getSwappedPredicate(relation);
  }
  const bool is_unsigned = llvm::ICmpInst::isUnsigned(relation);
  const std::optional<Number> a = is_unsigned ? as_unsigned(x) : as_signed(x),
                              b = is_unsigned ? as_unsigned(y) : as_signed(y);
  if (!a || !b || !b_.atoms().is_uniform(a->poly) || !b_.atoms().is_uniform(b->poly)) return std::nullopt;
  const std::optional<Expression> left = b_.as_expression(a->poly), right = b_.as_expression(b->poly);
  if (!left || !right) return std::nullopt;
  merge_checks(checks, a->checks);
  merge_checks(checks, b->checks);
  using Op = Expression::Op;
  const Op op = relation == llvm::ICmpInst::ICMP_EQ   ? Op::equal
                : relation == llvm::ICmpInst::ICMP_NE ? Op::not_equal
                : llvm::ICmpInst::isLT(relation)      ? Op::less
                                                      : Op::less_equal;
  return Expression::combine(op, *left, *right);
}

// 2^shift.
std::optional<Number> Values::power_of_two(llvm::Value* shift, int lane) {
  std::optional<Number> s = as_unsigned(shift, lane);
  const unsigned bits = width(shift);
  if (!s) return std::nullopt;
  if (std::optional<int64_t> c = s->poly.constant()) {
    if (*c < 0 || *c > 62 || *c >= bits) return std::nullopt;
    return Number{Poly(int64_t{1} << *c), {}};
  }
  if (!b_.atoms().is_uniform(s->poly)) return std::nullopt;
  if (!b_.check(*s, s->poly, 0, bits - 2)) return std::nullopt;
  std::optional<Expression> e = b_.as_expression(s->poly);
  if (!e) return std::nullopt;
  return Number{Poly::atom(b_.uniform(Expression::combine(Expression::Op::shift_left, int64_t{1}, *e))),
                s->checks};
}

std::optional<Number> Values::quotient(const std::optional<Number>& a, const std::optional<Number>& d,
                                       bool floor) {
  return a && d ? b_.quotient(*a, *d, floor) : std::nullopt;
}

std::optional<Number> Values::remainder(const std::optional<Number>& a, const std::optional<Number>& d,
                                        bool floor) {
  return a && d ? b_.remainder(*a, *d, floor) : std::nullopt;
}

// Nothing is known of a signed division by -1, which the least number of a type has no result for.
std::optional<Number> Values::divisor(llvm::Value* y, int lane) {
  const std::optional<Number> number = as_signed(y, lane);
  return number && number->poly == Poly(-1) ? std::nullopt : number;
}

std::optional<Number> Values::bitwise(Derived::Op op, llvm::Value* x, llvm::Value* y, int lane) {
  const std::optional<Number> a = as_unsigned(x, lane), b = as_unsigned(y, lane);
  return a && b ? of_unsigned(b_.derive(op, *a, *b), width(x)) : std::nullopt;
}

std::optional<Number> Values::bit_and(llvm::Value* x, llvm::Value* y, int lane) {
  llvm::ConstantInt* mask = nullptr;
  if (match(x, m_ConstantInt(mask))) std::swap(x, y);
  if (lane < 0 && match(y, m_ConstantInt(mask))) {
    // The rest is the same for all numbers that are equal modulo the width: it needs no check.
    const int64_t m = mask->getSExtValue();
    if (m > 0 && m < INT64_MAX && (m & (m + 1)) == 0)  // …00111
      return remainder(number(x), Number{Poly(m + 1), {}}, true);
    if (m < 0 && m != INT64_MIN && (-m & (-m - 1)) == 0)  // …11000
      return add(number(x), remainder(number(x), Number{Poly(-m), {}}, true), -1);
  }
  return bitwise(Derived::Op::bit_and, x, y, lane);
}

std::optional<Number> Values::binary(llvm::BinaryOperator* b, int lane) {
  llvm::Value *x = b->getOperand(0), *y = b->getOperand(1);
  if (width(b) == 1) return std::nullopt;
  switch (b->getOpcode()) {
  case llvm::Instruction::Add:
    return add(number(x, lane), number(y, lane));
  case llvm::Instruction::Sub:
    return add(number(x, lane), number(y, lane), -1);
  case llvm::Instruction::Mul:
    return multiply(number(x, lane), number(y, lane));
  case llvm::Instruction::Shl:
    return multiply(number(x, lane), power_of_two(y, lane));
  case llvm::Instruction::UDiv:
    return quotient(as_unsigned(x, lane), as_unsigned(y, lane), true);
  case llvm::Instruction::URem:
    return remainder(as_unsigned(x, lane), as_unsigned(y, lane), true);
  case llvm::Instruction::SDiv:
    return quotient(as_signed(x, lane), divisor(y, lane), false);
  case llvm::Instruction::SRem:
    return remainder(as_signed(x, lane), divisor(y, lane), false);
  case llvm::Instruction::LShr:
    return quotient(as_unsigned(x, lane), power_of_two(y, lane), true);
  case llvm::Instruction::AShr:
    return quotient(as_signed(x, lane), power_of_two(y, lane), true);
  case llvm::Instruction::And:
    return bit_and(x, y, lane);
  case llvm::Instruction::Or:
    if (lane < 0 && llvm::haveNoCommonBitsSet(x, y, layout_)) return add(number(x), number(y));
    return bitwise(Derived::Op::bit_or, x, y, lane);
  case llvm::Instruction::Xor:
    if (match(y, m_AllOnes())) return add(Number{Poly(-1), {}}, number(x, lane), -1);
    return bitwise(Derived::Op::bit_xor, x, y, lane);
  default:
    return std::nullopt;
  }
}

std::optional<Number> Values::extreme(bool least, bool is_signed, const std::optional<Number>& a,
                                      const std::optional<Number>& b, unsigned bits) {
  if (!a || !b) return std::nullopt;
  const std::optional<Number> n = b_.derive(least ? Derived::Op::minimum : Derived::Op::maximum, *a, *b);
  return is_signed ? n : of_unsigned(n, bits);
}

std::optional<Number> Values::select(llvm::SelectInst* s, int lane) {
  if (lane < 0) {
    llvm::Value *a = nullptr, *b = nullptr;
    const auto flavor = llvm::matchSelectPattern(s, a, b).Flavor;
    const bool is_signed = flavor == llvm::SPF_SMIN || flavor == llvm::SPF_SMAX;
    if (is_signed || flavor == llvm::SPF_UMIN || flavor == llvm::SPF_UMAX) {
      if (a->getType() == s->getType() && b->getType() == s->getType()) {
        const auto x = is_signed ? as_signed(a) : as_unsigned(a),
                   y = is_signed ? as_signed(b) : as_unsigned(b);
        const bool least = flavor == llvm::SPF_SMIN || flavor == llvm::SPF_UMIN;
        if (x && y) return extreme(least, is_signed, x, y, width(s));
      }
    }
  }
  const std::optional<Number> yes = number(s->getTrueValue(), lane), no = number(s->getFalseValue(), lane);
  if (yes && no && b_.atoms().is_uniform(yes->poly) && b_.atoms().is_uniform(no->poly)) {
    Number r;
    const std::optional<Expression> condition = uniform_condition(s->getCondition(), r.checks);
    const std::optional<Expression> a = b_.as_expression(yes->poly), b = b_.as_expression(no->poly);
    if (condition && a && b) {
      merge_checks(r.checks, yes->checks);
      merge_checks(r.checks, no->checks);
      r.poly = Poly::atom(b_.uniform(Expression::choose(*condition, *a, *b)));
      return r;
    }
  }
  if (const std::optional<Number> one = chosen(s->getCondition(), yes, no)) return one;
  if (lane < 0 && !s->getType()->isVectorTy())
    if (std::optional<Number> one = extreme_of({s->getCondition(), s->getTrueValue(), s->getFalseValue()}))
      return one;
  // Either side, taken modulo the width: a range check where it is used covers both.
  return hull(s, lane, yes, no);
}

std::optional<Number> Values::load(llvm::LoadInst* l) {
  // A member of a struct passed by value.
  llvm::APInt offset(64, 0);
  llvm::Value* base = l->getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
  auto* a = dyn_cast<llvm::Argument>(base);
  if (!a || !a->hasByValAttr() || offset.isNegative() || !stays_as_passed(*a)) return std::nullopt;
  const uint64_t size = layout_.getTypeAllocSize(a->getParamByValType()).getFixedValue();
  if (width(l) % 8 != 0 || offset.getZExtValue() + width(l) / 8 > size) return std::nullopt;
  return slot(static_cast<int>(a->getArgNo()), offset.getZExtValue(), width(l) / 8);
}

}  // namespace mkmd::compiler
