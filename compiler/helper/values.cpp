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
  const int wild = n ? b_.wild_terms(n->poly, width(v)) : 2;
  if (wild == 0 || (wild == 1 && n->poly.single_atom())) return n;
  // One atom stands for it, so that a comparison says something of all its uses.
  if (wild == 1 && width(v) < 64)
    if (std::optional<Number> one = b_.cut(*n, width(v), true)) return one;
  return b_.opaque({v, lane}, width(v), varies_in(v));
}

std::optional<Number> Values::as_signed(llvm::Value* v, int lane) {
  std::optional<Number> n = number(v, lane);
  const unsigned bits = width(v);
  if (!n || bits >= 64) return n;
  if (b_.wild_terms(n->poly, bits) > 0) return b_.cut(*n, bits, true);
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
  if (b_.wild_terms(n->poly, bits) > 0) {
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
  return n && bits >= 64 && b_.from_data(n->poly) ? b_.cut(*n, bits, true) : n;
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

namespace {

// Whether a value made inside the loop is the same in all iterations: nothing but arithmetic on what comes
// from outside. Whatever reads memory, or joins ways through the loop, may differ.
bool fixed_in(const llvm::Loop& loop, const llvm::Value* v, int depth) {
  const auto* i = dyn_cast<llvm::Instruction>(v);
  if (!i || !loop.contains(i)) return true;
  if (depth > 8 || isa<llvm::PHINode, llvm::AllocaInst, llvm::FreezeInst>(i)) return false;
  if (const auto* call = dyn_cast<llvm::CallBase>(i)) {
    if (work_item_builtin(declared_callee(*call)) == Builtin::none) return false;
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

std::optional<Number> Values::hull(llvm::Value* v, int lane, const std::optional<Number>& a,
                                   const std::optional<Number>& b) {
  if (!a || !b) return std::nullopt;
  if (a->poly == b->poly) {
    Number r = *a;
    merge_checks(r.checks, b->checks);
    return r;
  }
  const auto wild = [&](const Number& n) { return is_integer(v) && b_.wild_terms(n.poly, width(v)) > 0; };
  if (wild(*a) || wild(*b)) return b_.opaque({v, lane}, width(v), varies_in(v));
  return b_.between({v, lane}, *a, *b, varies_in(v));
}

std::optional<Number> Values::symbol(Expression::Op op, unsigned d) {
  // Drivers differ in what they say of dimensions there are not: PoCL 3.1 answers 0 where 1 is specified.
  if (d > 2) return std::nullopt;
  return Number{Poly::atom(b_.uniform(Expression::symbol(op, d))), {}};
}

std::optional<Number> Values::id(Variable::Kind kind, unsigned d) {
  if (d > 2) return std::nullopt;
  return Number{Poly::atom(b_.variable({kind, static_cast<int>(d)})), {}};
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
    return lane < 0 ? call(llvm::cast<llvm::CallBase>(i)) : std::nullopt;
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
  if (!a || !b || !b_.is_uniform(a->poly) || !b_.is_uniform(b->poly)) return std::nullopt;
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

std::optional<Number> Values::binary(llvm::BinaryOperator* b, int lane) {
  llvm::Value *x = b->getOperand(0), *y = b->getOperand(1);
  if (width(b) == 1) return std::nullopt;
  const auto power = [&](llvm::Value* shift) -> std::optional<Number> {  // 2^shift
    std::optional<Number> s = as_unsigned(shift, lane);
    if (!s) return std::nullopt;
    if (std::optional<int64_t> c = s->poly.constant()) {
      if (*c < 0 || *c > 62 || *c >= width(b)) return std::nullopt;
      return Number{Poly(int64_t{1} << *c), {}};
    }
    if (!b_.is_uniform(s->poly)) return std::nullopt;
    if (!b_.check(*s, s->poly, 0, width(b) - 2)) return std::nullopt;
    std::optional<Expression> e = b_.as_expression(s->poly);
    if (!e) return std::nullopt;
    return Number{Poly::atom(b_.uniform(Expression::combine(Expression::Op::shift_left, int64_t{1}, *e))),
                  s->checks};
  };
  const auto divide = [&](std::optional<Number> a, std::optional<Number> d, bool floor,
                          bool rest) -> std::optional<Number> {
    if (!a || !d) return std::nullopt;
    return rest ? b_.remainder(*a, *d, floor) : b_.quotient(*a, *d, floor);
  };
  const auto bits = [&](Derived::Op op) -> std::optional<Number> {
    const std::optional<Number> a = as_unsigned(x, lane), c = as_unsigned(y, lane);
    return a && c ? of_unsigned(b_.derive(op, *a, *c), width(b)) : std::nullopt;
  };
  switch (b->getOpcode()) {
  case llvm::Instruction::Add:
    return add(number(x, lane), number(y, lane));
  case llvm::Instruction::Sub:
    return add(number(x, lane), number(y, lane), -1);
  case llvm::Instruction::Mul:
    return multiply(number(x, lane), number(y, lane));
  case llvm::Instruction::Shl:
    return multiply(number(x, lane), power(y));
  case llvm::Instruction::UDiv:
    return divide(as_unsigned(x, lane), as_unsigned(y, lane), true, false);
  case llvm::Instruction::URem:
    return divide(as_unsigned(x, lane), as_unsigned(y, lane), true, true);
  case llvm::Instruction::SDiv:
    return divide(as_signed(x, lane), as_signed(y, lane), false, false);
  case llvm::Instruction::SRem:
    return divide(as_signed(x, lane), as_signed(y, lane), false, true);
  case llvm::Instruction::LShr:
    return divide(as_unsigned(x, lane), power(y), true, false);
  case llvm::Instruction::AShr:
    return divide(as_signed(x, lane), power(y), true, false);
  case llvm::Instruction::And: {
    llvm::ConstantInt* mask = nullptr;
    if (match(x, m_ConstantInt(mask))) std::swap(x, y);
    if (lane < 0 && match(y, m_ConstantInt(mask))) {
      // The rest is the same for all numbers that are equal modulo the width: it needs no check.
      const int64_t m = mask->getSExtValue();
      if (m > 0 && m < INT64_MAX && (m & (m + 1)) == 0)  // …00111
        return divide(number(x), Number{Poly(m + 1), {}}, true, true);
      if (m < 0 && m != INT64_MIN && (-m & (-m - 1)) == 0)  // …11000
        return add(number(x), divide(number(x), Number{Poly(-m), {}}, true, true), -1);
    }
    return bits(Derived::Op::bit_and);
  }
  case llvm::Instruction::Or:
    if (lane < 0 && llvm::haveNoCommonBitsSet(x, y, layout_)) return add(number(x), number(y));
    return bits(Derived::Op::bit_or);
  case llvm::Instruction::Xor:
    if (match(y, m_AllOnes())) return add(Number{Poly(-1), {}}, number(x, lane), -1);
    return bits(Derived::Op::bit_xor);
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
  if (yes && no && b_.is_uniform(yes->poly) && b_.is_uniform(no->poly)) {
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

std::optional<Number> Values::call(llvm::CallBase* c) {
  if (auto* intrinsic = dyn_cast<llvm::MinMaxIntrinsic>(c)) {
    const auto a = intrinsic->isSigned() ? as_signed(c->getArgOperand(0)) : as_unsigned(c->getArgOperand(0));
    const auto b = intrinsic->isSigned() ? as_signed(c->getArgOperand(1)) : as_unsigned(c->getArgOperand(1));
    const bool least =
        llvm::ICmpInst::isLT(intrinsic->getPredicate()) || llvm::ICmpInst::isLE(intrinsic->getPredicate());
    return extreme(least, intrinsic->isSigned(), a, b, width(c));
  }
  const llvm::StringRef mangled = declared_callee(*c);
  const Builtin builtin = work_item_builtin(mangled);
  if (builtin == Builtin::work_dim) return symbol(Expression::Op::work_dim, 0);
  const auto local_linear = [&]() -> std::optional<Number> {
    using Op = Expression::Op;
    using Kind = Variable::Kind;
    const auto yz = add(id(Kind::local_id, 1), multiply(id(Kind::local_id, 2), symbol(Op::local_size, 1)));
    return add(id(Kind::local_id, 0), multiply(yz, symbol(Op::local_size, 0)));
  };
  const auto global_linear = [&]() -> std::optional<Number> {
    using Op = Expression::Op;
    const auto at = [&](unsigned d) {
      return add(id(Variable::Kind::global_id, d), symbol(Op::global_offset, d), -1);
    };
    const auto yz = add(at(1), multiply(at(2), symbol(Op::global_size, 1)));
    return add(at(0), multiply(yz, symbol(Op::global_size, 0)));
  };
  if (builtin == Builtin::local_linear_id) return local_linear();
  if (builtin == Builtin::global_linear_id) return global_linear();
  if (builtin != Builtin::none) {
    auto* dimension = c->arg_size() == 1 ? dyn_cast<llvm::ConstantInt>(c->getArgOperand(0)) : nullptr;
    if (!dimension) return std::nullopt;
    const auto d = static_cast<unsigned>(std::min<uint64_t>(dimension->getZExtValue(), 3));
    switch (builtin) {
    case Builtin::global_id:
      return id(Variable::Kind::global_id, d);
    case Builtin::group_id:
      return id(Variable::Kind::group_id, d);
    case Builtin::local_id:
      return id(Variable::Kind::local_id, d);
    case Builtin::global_size:
      return symbol(Expression::Op::global_size, d);
    case Builtin::num_groups:
      return symbol(Expression::Op::num_groups, d);
    case Builtin::local_size:
      return symbol(Expression::Op::local_size, d);
    case Builtin::global_offset:
      return symbol(Expression::Op::global_offset, d);
    default:
      return std::nullopt;
    }
  }
  const llvm::StringRef name = base_name(mangled), types = parameters(mangled);
  if (!is_integer(c) || types.empty()) return std::nullopt;
  const bool is_signed = llvm::StringRef("acsilx").contains(types[0]);
  const auto operand = [&](unsigned i) {
    return is_signed ? as_signed(c->getArgOperand(i)) : as_unsigned(c->getArgOperand(i));
  };
  if ((name == "min" || name == "max") && c->arg_size() == 2)
    return extreme(name == "min", is_signed, operand(0), operand(1), width(c));
  if (name == "clamp" && c->arg_size() == 3) {
    // Read as what it is until the upper limit bounds it.
    const auto raised = extreme(false, true, operand(0), operand(1), width(c));
    return extreme(true, is_signed, raised, operand(2), width(c));
  }
  if (name == "abs" && is_signed) {
    const std::optional<Number> a = operand(0);
    return a ? b_.derive(Derived::Op::absolute, *a, Number{}) : a;
  }
  if (name == "mul24" || name == "mad24") {
    // Defined only for 24-bit operands; the product may be cut to 32 bits, which the ring arithmetic allows.
    std::optional<Number> a = number(c->getArgOperand(0)), b = number(c->getArgOperand(1));
    const int64_t lo = is_signed ? -(1 << 23) : 0, hi = is_signed ? (1 << 23) - 1 : (1 << 24) - 1;
    if (!a || !b || !b_.check(*a, a->poly, lo, hi) || !b_.check(*b, b->poly, lo, hi)) return std::nullopt;
    const auto product = multiply(a, b);
    return name == "mul24" ? product : add(product, number(c->getArgOperand(2)));
  }
  return std::nullopt;
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
      if (b_.depends_on_loop(n->poly, loop_index(l)) && !(n = after(*l, *n))) return n;
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
  const auto parts = n.poly.linear_in(b_.variable({Variable::Kind::loop, index}));
  if (!parts) return std::nullopt;
  const std::optional<Number> last =
      add(Number{parts->second, n.checks}, multiply(Number{parts->first, {}}, passed));
  // Its checks would have to hold for the counter's last value, too.
  const auto in_loop = [&](int check) { return b_.depends_on_loop(b_.check_poly(check), index); };
  if (!last || b_.depends_on_loop(last->poly, index) || llvm::any_of(n.checks, in_loop)) return std::nullopt;
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
    std::optional<Number> all = number(p->getIncomingValue(0));
    for (unsigned i = 1; i < p->getNumIncomingValues() && all; ++i)
      all = hull(p, -1, all, number(p->getIncomingValue(i)));
    return all;
  }
  llvm::BasicBlock *preheader = loop->getLoopPreheader(), *latch = loop->getLoopLatch();
  if (!preheader || !latch) return std::nullopt;
  const std::optional<Number> init = number(p->getIncomingValueForBlock(preheader));
  if (!init) return std::nullopt;
  const size_t mark = order_.size();
  const int self = b_.placeholder();
  numbers_[{p, -1}] = Number{Poly::atom(self), {}};
  std::optional<Number> next = number(p->getIncomingValueForBlock(latch));
  forget_since(mark);
  numbers_.erase({p, -1});
  if (!next) return std::nullopt;
  std::optional<Poly> step = Poly::sum(next->poly, Poly::atom(self), -1);
  if (!step) return std::nullopt;
  for (const auto& [l, index] : loop_index_)
    if (loop->contains(l) && b_.depends_on_loop(*step, index)) return std::nullopt;  // also: placeholders
  if (loop_index_.empty() || step->contains(self)) return std::nullopt;
  const Number counter{Poly::atom(b_.variable({Variable::Kind::loop, loop_index(loop)})), next->checks};
  return add(init, multiply(Number{*step, {}}, counter));
}

}  // namespace mkmd::compiler
