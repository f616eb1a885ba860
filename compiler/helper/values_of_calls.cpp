// SPDX-License-Identifier: Apache-2.0
// The part of Values that reads calls: work-item functions, and built-in functions on integers.
#include "compiler/helper/values.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {

using llvm::dyn_cast;

std::optional<Number> Values::symbol(Expression::Op op, unsigned d) {
  // Drivers differ in what they say of dimensions there are not: PoCL 3.1 answers 0 where 1 is specified.
  if (d > 2) return std::nullopt;
  return Number{Poly::atom(b_.uniform(Expression::symbol(op, d))), {}};
}

std::optional<Number> Values::id(Variable::Kind kind, unsigned d) {
  if (d > 2) return std::nullopt;
  return Number{Poly::atom(b_.atoms().variable({kind, static_cast<int>(d)})), {}};
}

std::optional<Number> Values::local_linear_id() {
  using Op = Expression::Op;
  using Kind = Variable::Kind;
  const auto yz = add(id(Kind::local_id, 1), multiply(id(Kind::local_id, 2), symbol(Op::local_size, 1)));
  return add(id(Kind::local_id, 0), multiply(yz, symbol(Op::local_size, 0)));
}

std::optional<Number> Values::global_linear_id() {
  using Op = Expression::Op;
  const auto at = [&](unsigned d) {
    return add(id(Variable::Kind::global_id, d), symbol(Op::global_offset, d), -1);
  };
  const auto yz = add(at(1), multiply(at(2), symbol(Op::global_size, 1)));
  return add(at(0), multiply(yz, symbol(Op::global_size, 0)));
}

std::optional<Number> Values::work_item(Builtin builtin, llvm::CallBase* c) {
  if (builtin == Builtin::work_dim) return symbol(Expression::Op::work_dim, 0);
  if (builtin == Builtin::local_linear_id) return local_linear_id();
  if (builtin == Builtin::global_linear_id) return global_linear_id();
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

namespace {

// The mangled type of the first parameter, or of the components of a vector: 'i' of "iii" and of "Dv4_iS_S_".
char component_type(llvm::StringRef types) {
  if (types.consume_front("Dv")) types = types.drop_until([](char c) { return c == '_'; }).drop_front();
  return types.empty() ? '\0' : types[0];
}

bool is_saturated(llvm::StringRef name) {
  return name == "add_sat" || name == "sub_sat";
}

}  // namespace

// The nearest number of so many bits.
std::optional<Number> Values::saturated(const std::optional<Number>& n, unsigned bits, bool is_signed) {
  const Interval all = is_signed ? signed_range(bits) : unsigned_range(bits);
  return extreme(true, true, extreme(false, true, n, Number{Poly(all.lo), {}}, bits),
                 Number{Poly(all.hi), {}}, bits);
}

// Of each component of vectors, what it is of numbers.
std::optional<Number> Values::integer_builtin(llvm::StringRef mangled, llvm::CallBase* c, int lane) {
  const llvm::StringRef name = base_name(mangled);
  const char type = component_type(parameters(mangled));
  if (!is_integer(c) || type == '\0') return std::nullopt;
  const unsigned bits = width(c);
  const bool is_signed = llvm::StringRef("acsilx").contains(type);
  // A scalar stands for a vector of equal components.
  const auto lane_of = [&](llvm::Value* v) { return v->getType()->isVectorTy() ? lane : -1; };
  const auto any = [&](unsigned i) { return number(c->getArgOperand(i), lane_of(c->getArgOperand(i))); };
  const auto operand = [&](unsigned i) {
    llvm::Value* v = c->getArgOperand(i);
    return is_signed ? as_signed(v, lane_of(v)) : as_unsigned(v, lane_of(v));
  };
  if ((name == "min" || name == "max") && c->arg_size() == 2)
    return extreme(name == "min", is_signed, operand(0), operand(1), bits);
  if (name == "clamp" && c->arg_size() == 3) {
    // Read as what it is until the upper limit bounds it.
    const auto raised = extreme(false, true, operand(0), operand(1), bits);
    std::optional<Number> clamped = extreme(true, is_signed, raised, operand(2), bits);
    // Not specified where the lower limit is above the upper one: drivers give either.
    const auto room = add(add(operand(2), operand(1), -1), Number{Poly(1), {}});
    if (!clamped || !room || !b_.is_positive(*clamped, room->poly)) return std::nullopt;
    merge_checks(clamped->checks, room->checks);
    return clamped;
  }
  if (name == "abs" && is_signed) {
    const std::optional<Number> a = operand(0);
    return a ? b_.derive(Derived::Op::absolute, *a, Number{}) : a;
  }
  if (name == "popcount" || name == "clz" || name == "ctz")
    return b_.between({c, lane}, Number{}, Number{Poly(bits), {}}, varies_in(c));
  // Sums of two numbers of 32 bits are exact in ours of 64.
  if (is_saturated(name) && bits <= 32)
    return saturated(add(operand(0), operand(1), name == "add_sat" ? 1 : -1), bits, is_signed);
  if ((name == "hadd" || name == "rhadd") && bits <= 32) {
    const auto sum = add(add(operand(0), operand(1)), Number{Poly(name == "rhadd" ? 1 : 0), {}});
    return quotient(sum, Number{Poly(2), {}}, true);
  }
  if (name == "mul24" || name == "mad24") {
    // Defined only for 24-bit operands; the product may be cut to 32 bits, which the ring arithmetic allows.
    std::optional<Number> a = any(0), b = any(1);
    const int64_t lo = is_signed ? -(1 << 23) : 0, hi = is_signed ? (1 << 23) - 1 : (1 << 24) - 1;
    if (!a || !b || !b_.check(*a, a->poly, lo, hi) || !b_.check(*b, b->poly, lo, hi)) return std::nullopt;
    const auto product = multiply(a, b);
    return name == "mul24" ? product : add(product, any(2));
  }
  return std::nullopt;
}

// Pixels of a row, rows, and so on: see ScalarSlot.
std::optional<Number> Values::extent(const llvm::Argument& image, unsigned dimension) {
  constexpr uint64_t kBytes = sizeof(uint64_t);
  return slot(static_cast<int>(image.getArgNo()), dimension * kBytes, kBytes);
}

std::optional<Number> Values::image_size(const ImageCall& asked, llvm::StringRef name, int lane) {
  if (!asked.image || asked.coordinates == 0) return std::nullopt;
  if (name == "get_image_width") return extent(*asked.image, 0);
  if (name == "get_image_height") return extent(*asked.image, 1);
  if (name == "get_image_depth") return extent(*asked.image, 2);
  if (name == "get_image_array_size") return extent(*asked.image, asked.coordinates - 1);
  const bool one = name == "get_image_dim" && lane >= 0 && static_cast<unsigned>(lane) < asked.coordinates;
  return one ? extent(*asked.image, static_cast<unsigned>(lane)) : std::nullopt;
}

std::optional<Number> Values::pixel(const ImageCall& write) {
  std::optional<Number> pixel = Number{};
  for (unsigned d = write.coordinates; d-- > 0;) {
    std::optional<Number> at = as_signed(write.at, write.lane(d));
    const std::optional<Number> size = extent(*write.image, d), behind = add(size, at, -1);
    if (!at || !behind || !b_.check(*at, at->poly, 0, INT32_MAX) ||
        !b_.check(*at, behind->poly, 1, INT32_MAX))
      return std::nullopt;
    pixel = add(multiply(pixel, size), at);
  }
  return pixel;
}

std::optional<Number> Values::call(llvm::CallBase* c, int lane) {
  if (auto* intrinsic = dyn_cast<llvm::MinMaxIntrinsic>(c)) {
    const auto operand = [&](unsigned i) {
      return intrinsic->isSigned() ? as_signed(c->getArgOperand(i), lane)
                                   : as_unsigned(c->getArgOperand(i), lane);
    };
    const bool least =
        llvm::ICmpInst::isLT(intrinsic->getPredicate()) || llvm::ICmpInst::isLE(intrinsic->getPredicate());
    return extreme(least, intrinsic->isSigned(), operand(0), operand(1), width(c));
  }
  const llvm::StringRef mangled = declared_callee(*c);
  if (gives_back_operand(mangled)) return number(c->getArgOperand(0), lane);
  if (const std::optional<ImageCall> image = image_call(*c))
    return image->use == ImageCall::Use::asks ? image_size(*image, base_name(mangled), lane) : std::nullopt;
  const Builtin builtin = work_item_builtin(mangled);
  return builtin != Builtin::none ? work_item(builtin, c) : integer_builtin(mangled, c, lane);
}

}  // namespace mkmd::compiler
