// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/specified_results.hpp"

#include <algorithm>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::APFloat;
using llvm::dyn_cast;
using llvm::isa;

constexpr auto kDown = llvm::RoundingMode::TowardNegative, kUp = llvm::RoundingMode::TowardPositive;
constexpr int kAll = SpecifiedResults::kAll;

unsigned lanes(const llvm::Type* type) {
  const auto* vector = dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

// A number of a vector's component, or of one for all components.
const llvm::Constant* component_of(const llvm::Constant& c, int component) {
  if (!c.getType()->isVectorTy()) return &c;
  return component == kAll ? c.getSplatValue() : c.getAggregateElement(static_cast<unsigned>(component));
}

// What a floating number lies between, on every device. Infinities are bounds like others.
struct Bounds {
  APFloat low, high;
  bool may_be_nan = false;

  bool are_finite() const { return low.isFinite() && high.isFinite() && !may_be_nan; }
};

// Devices may take denormalised numbers for zero.
Bounds flushed(Bounds b) {
  if (b.low.isDenormal() && !b.low.isNegative()) b.low = APFloat::getZero(b.low.getSemantics());
  if (b.high.isDenormal() && b.high.isNegative()) b.high = APFloat::getZero(b.high.getSemantics());
  return b;
}

Bounds unknown(const llvm::fltSemantics& semantics) {
  return {APFloat::getInf(semantics, true), APFloat::getInf(semantics), true};
}

Bounds either(const Bounds& a, const Bounds& b) {
  return {minnum(a.low, b.low), maxnum(a.high, b.high), a.may_be_nan || b.may_be_nan};
}

Bounds negative(const Bounds& b) {
  return {-b.high, -b.low, b.may_be_nan};
}

Bounds sum(const Bounds& a, const Bounds& b) {
  if (!a.are_finite() || !b.are_finite()) return unknown(a.low.getSemantics());
  Bounds out = a;
  out.low.add(b.low, kDown);
  out.high.add(b.high, kUp);
  return flushed(out);
}

Bounds product(const Bounds& a, const Bounds& b) {
  if (!a.are_finite() || !b.are_finite()) return unknown(a.low.getSemantics());
  std::optional<Bounds> out;
  for (const APFloat& x : {a.low, a.high}) {
    for (const APFloat& y : {b.low, b.high}) {
      APFloat least = x, most = x;
      least.multiply(y, kDown);
      most.multiply(y, kUp);
      const Bounds of_two{least, most};
      out = out ? either(*out, of_two) : of_two;
    }
  }
  return flushed(*out);
}

// fmin, and fmax by signs. Of a number and none it is the number (OpenCL C specification, 6.15.2).
Bounds smaller(const Bounds& a, const Bounds& b) {
  Bounds out{minnum(a.low, b.low), minnum(a.high, b.high), a.may_be_nan && b.may_be_nan};
  if (a.may_be_nan) out.high = maxnum(out.high, b.high);
  if (b.may_be_nan) out.high = maxnum(out.high, a.high);
  return out;
}

Bounds larger(const Bounds& a, const Bounds& b) {
  return negative(smaller(negative(a), negative(b)));
}

// What is no number may stay so.
Bounds clamped(const Bounds& number, const Bounds& least, const Bounds& most) {
  Bounds out = smaller(larger(number, least), most);
  out.may_be_nan = number.may_be_nan || least.may_be_nan || most.may_be_nan;
  return out;
}

Bounds absolute(const Bounds& b) {
  const Bounds size = either(b, negative(b));
  const bool has_sign = b.low.isNegative() == b.high.isNegative();
  return {has_sign ? minnum(abs(b.low), abs(b.high)) : APFloat::getZero(b.low.getSemantics()), size.high,
          b.may_be_nan};
}

Bounds whole_numbers(Bounds b) {
  b.low.roundToIntegral(kDown);
  b.high.roundToIntegral(kUp);
  return b;
}

class BoundsOf {
public:
  explicit BoundsOf(llvm::ScalarEvolution& evolution) : evolution_(evolution) {}

  Bounds number(const llvm::Value* value, int component) {
    const llvm::Value& v = *given(value);
    const llvm::fltSemantics& semantics = v.getType()->getScalarType()->getFltSemantics();
    if (steps_-- <= 0) return unknown(semantics);
    if (const auto* c = dyn_cast<llvm::Constant>(&v)) {
      const auto* f = llvm::dyn_cast_or_null<llvm::ConstantFP>(component_of(*c, component));
      return f && f->getValueAPF().isFinite() ? flushed({f->getValueAPF(), f->getValueAPF()})
                                              : unknown(semantics);
    }
    // Options that allow other results, and results without a value.
    if (const auto* operation = dyn_cast<llvm::FPMathOperator>(&v)) {
      llvm::FastMathFlags flags = operation->getFastMathFlags();
      flags.setAllowContract(false);
      if (flags.any()) return unknown(semantics);
    }
    const auto* i = dyn_cast<llvm::Instruction>(&v);
    const std::optional<Bounds> found = i ? instruction(*i, component) : std::nullopt;
    return found ? *found : unknown(semantics);
  }

private:
  std::optional<Bounds> instruction(const llvm::Instruction& i, int component) {
    const auto operand = [&](unsigned n) { return number(i.getOperand(n), component); };
    switch (i.getOpcode()) {
    case llvm::Instruction::FAdd:
      return sum(operand(0), operand(1));
    case llvm::Instruction::FSub:
      return sum(operand(0), negative(operand(1)));
    case llvm::Instruction::FMul:
      return product(operand(0), operand(1));
    case llvm::Instruction::FNeg:
      return negative(operand(0));
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
      return in_type(operand(0), i.getType()->getScalarType()->getFltSemantics());
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      return of_integer(llvm::cast<llvm::CastInst>(i));
    case llvm::Instruction::Select:
      return either(operand(1), operand(2));
    case llvm::Instruction::PHI: {
      Bounds all = operand(0);
      for (unsigned n = 1; n < i.getNumOperands() && steps_ > 0; ++n)
        all = either(all, operand(n));
      return steps_ > 0 ? std::optional(all) : std::nullopt;
    }
    case llvm::Instruction::InsertElement:
      return of_insert(llvm::cast<llvm::InsertElementInst>(i), component);
    case llvm::Instruction::ExtractElement: {
      const auto* index = dyn_cast<llvm::ConstantInt>(i.getOperand(1));
      if (!index || index->getValue().uge(lanes(i.getOperand(0)->getType()))) return std::nullopt;
      return number(i.getOperand(0), static_cast<int>(index->getZExtValue()));
    }
    case llvm::Instruction::ShuffleVector:
      return of_shuffle(llvm::cast<llvm::ShuffleVectorInst>(i), component);
    case llvm::Instruction::Call:
      return of_call(llvm::cast<llvm::CallBase>(i), component);
    default:
      return std::nullopt;
    }
  }

  static Bounds in_type(Bounds b, const llvm::fltSemantics& semantics) {
    bool loses = false;
    b.low.convert(semantics, kDown, &loses);
    b.high.convert(semantics, kUp, &loses);
    return flushed(b);
  }

  Bounds of_integer(const llvm::CastInst& conversion) {
    auto* integer = const_cast<llvm::Value*>(conversion.getOperand(0));
    const bool is_signed = isa<llvm::SIToFPInst>(conversion);
    const unsigned bits = integer->getType()->getScalarSizeInBits();
    llvm::ConstantRange range = llvm::ConstantRange::getFull(bits);
    if (evolution_.isSCEVable(integer->getType())) {
      const llvm::SCEV* const known = evolution_.getSCEV(integer);
      range = is_signed ? evolution_.getSignedRange(known) : evolution_.getUnsignedRange(known);
    }
    const llvm::fltSemantics& semantics = conversion.getType()->getScalarType()->getFltSemantics();
    Bounds out = unknown(semantics);
    out.may_be_nan = false;
    out.low.convertFromAPInt(is_signed ? range.getSignedMin() : range.getUnsignedMin(), is_signed, kDown);
    out.high.convertFromAPInt(is_signed ? range.getSignedMax() : range.getUnsignedMax(), is_signed, kUp);
    return out;
  }

  std::optional<Bounds> of_insert(const llvm::InsertElementInst& insert, int component) {
    const auto* index = dyn_cast<llvm::ConstantInt>(insert.getOperand(2));
    if (component == kAll || !index) return std::nullopt;
    return index->equalsInt(static_cast<uint64_t>(component)) ? number(insert.getOperand(1), kAll)
                                                              : number(insert.getOperand(0), component);
  }

  std::optional<Bounds> of_shuffle(const llvm::ShuffleVectorInst& shuffle, int component) {
    const int from = component == kAll ? -1 : shuffle.getMaskValue(static_cast<unsigned>(component));
    const auto count = static_cast<int>(lanes(shuffle.getOperand(0)->getType()));
    if (from < 0) return std::nullopt;
    return number(shuffle.getOperand(from < count ? 0 : 1), from % count);
  }

  std::optional<Bounds> of_call(const llvm::CallBase& call, int component) {
    const auto operand = [&](unsigned n) {
      const llvm::Value* v = call.getArgOperand(n);
      return number(v, v->getType()->isVectorTy() ? component : kAll);
    };
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call);
    const llvm::StringRef name = base_name(declared_callee(call));
    if ((intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd) || name == "fma" ||
        name == "mad")
      return sum(product(operand(0), operand(1)), operand(2));
    if (name == "fmin") return smaller(operand(0), operand(1));
    if (name == "fmax") return larger(operand(0), operand(1));
    if (name == "clamp") return clamped(operand(0), operand(1), operand(2));
    if (name == "fabs") return absolute(operand(0));
    if (name == "floor" || name == "ceil" || name == "round" || name == "rint" || name == "trunc")
      return whole_numbers(operand(0));
    return std::nullopt;
  }

  llvm::ScalarEvolution& evolution_;
  int steps_ = 256;  // values looked at for one question; beyond that nothing is known
};

bool fits(const Bounds& b, unsigned bits, bool is_unsigned, bool rounds) {
  if (!b.are_finite()) return false;
  const auto becomes = [&](const APFloat& number, llvm::RoundingMode away) {
    llvm::APSInt result(bits, is_unsigned);
    bool exact = false;
    return number.convertToInteger(result, rounds ? away : llvm::RoundingMode::TowardZero, &exact) !=
           APFloat::opInvalidOp;
  };
  return becomes(b.low, kDown) && becomes(b.high, kUp);
}

bool all_fit(llvm::ScalarEvolution& evolution, const llvm::Value& number, int component, unsigned bits,
             bool is_unsigned, bool rounds) {
  const bool is_vector = number.getType()->isVectorTy();
  const int first = is_vector && component == kAll ? 0 : component;
  const int last = is_vector && component == kAll ? static_cast<int>(lanes(number.getType())) - 1 : component;
  for (int c = first; c <= last; ++c)
    if (!fits(BoundsOf(evolution).number(&number, is_vector ? c : kAll), bits, is_unsigned, rounds))
      return false;
  return true;
}

bool is_signed(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

}  // namespace

const llvm::Value* given(const llvm::Value* value) {
  while (const auto* call = dyn_cast<llvm::CallBase>(value)) {
    if (!gives_back_operand(declared_callee(*call))) break;
    value = call->getArgOperand(0);
  }
  return value;
}

bool SpecifiedResults::always_divides(const llvm::BinaryOperator& division) const {
  const llvm::Value* const by = given(division.getOperand(1));
  if (isa<llvm::Constant>(by)) return divides_all(by, is_signed(division));
  if (!evolution_.isSCEVable(by->getType())) return false;
  const auto number = [this](const llvm::Value* v) {
    return evolution_.getSCEV(const_cast<llvm::Value*>(given(v)));
  };
  const auto known = [&](llvm::CmpInst::Predicate predicate, int64_t than) {
    const llvm::SCEV* const other = evolution_.getConstant(by->getType(), static_cast<uint64_t>(than), true);
    return evolution_.isKnownPredicateAt(predicate, number(by), other, &division);
  };
  if (known(llvm::CmpInst::ICMP_SGT, 0)) return true;
  if (!known(llvm::CmpInst::ICMP_NE, 0)) return false;
  return !is_signed(division) || known(llvm::CmpInst::ICMP_NE, -1) ||
         !evolution_.getSignedRangeMin(number(division.getOperand(0))).isMinSignedValue();
}

std::optional<std::vector<int>> SpecifiedResults::divides(const llvm::BinaryOperator& division) const {
  std::vector<int> checks;
  if (always_divides(division)) return checks;
  llvm::Value* const by = division.getOperand(1);
  const bool is_vector = by->getType()->isVectorTy();
  for (int lane = 0; lane < static_cast<int>(lanes(by->getType())); ++lane) {
    std::optional<Number> number = is_signed(division) ? values_.as_signed(by, is_vector ? lane : kAll)
                                                       : values_.as_unsigned(by, is_vector ? lane : kAll);
    // Of the launch alone: the stored value may come from other work-items, or from rounds that are over.
    const auto is_of_launch = [this](const Poly& p) { return builder_.atoms().is_uniform(p); };
    if (!number || !is_of_launch(number->poly) || !builder_.is_positive(*number, number->poly) ||
        !std::ranges::all_of(number->checks,
                             [&](int check) { return is_of_launch(builder_.check_poly(check)); }))
      return std::nullopt;
    merge_checks(checks, number->checks);
  }
  return checks;
}

bool SpecifiedResults::converts(const llvm::CastInst& conversion, int component) const {
  return all_fit(evolution_, *conversion.getOperand(0), component,
                 conversion.getType()->getScalarSizeInBits(), isa<llvm::FPToUIInst>(conversion), false);
}

bool SpecifiedResults::converts(const llvm::CallBase& call, int component) const {
  const llvm::StringRef name = base_name(declared_callee(call));
  llvm::StringRef type = name;
  if (!type.consume_front("convert_") || call.arg_size() != 1) return true;
  const llvm::Value& number = *call.getArgOperand(0);
  if (!number.getType()->isFPOrFPVectorTy() || !call.getType()->isIntOrIntVectorTy()) return true;
  // PoCL converts before it saturates, where a rounding mode is given.
  if (name.ends_with("_sat")) return true;
  return all_fit(evolution_, number, component, call.getType()->getScalarSizeInBits(), type.starts_with("u"),
                 type.contains("_rt"));
}

}  // namespace mkmd::compiler
