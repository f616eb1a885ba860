// SPDX-License-Identifier: Apache-2.0
// The part of Values that reads calls: work-item functions, and built-in functions on integers.
#include "compiler/helper/values.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {

using llvm::dyn_cast;

std::optional<Number> Values::symbol(Expression::Op op, unsigned d) {
  // Drivers differ in what they say of dimensions there are not: PoCL 3.1 answers 0 where 1 is specified.
  if (d > 2) return std::nullopt;
  return Number{Poly::atom(b_.uniform(Expression::symbol(op, d))), {}};
}

std::optional<Number> Values::id(Variable::Kind kind, unsigned d) {
  if (d > 2) return std::nullopt;
  return Number{Poly::atom(b_.variable({kind, static_cast<int>(d)})), {}};
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

std::optional<Number> Values::integer_builtin(llvm::StringRef mangled, llvm::CallBase* c) {
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
  return builtin != Builtin::none ? work_item(builtin, c) : integer_builtin(mangled, c);
}

}  // namespace mkmd::compiler
