// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/equal_stores.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <optional>

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using Kind = Update::Kind;

// One number of the value: all components of a vector are the same one.
const llvm::Value* number_in(const llvm::Value* stored) {
  if (!stored->getType()->isVectorTy()) return stored;
  const auto* constant = dyn_cast<llvm::Constant>(stored);
  return constant ? constant->getSplatValue() : nullptr;
}

// Devices may store other bits of a NaN.
std::optional<llvm::APInt> bits_of(const llvm::Value* number) {
  if (const auto* integer = dyn_cast<llvm::ConstantInt>(number)) return integer->getValue();
  const auto* floating = dyn_cast<llvm::ConstantFP>(number);
  if (!floating || floating->isNaN()) return std::nullopt;
  return floating->getValueAPF().bitcastToAPInt();
}

// An integer that is one number in each launch: the index of its expression, which has no value where a check
// of the number fails.
std::optional<uint64_t> uniform(llvm::Value* integer, Values& values, InfoBuilder& builder) {
  const std::optional<Number> number = values.number(integer);
  if (!number || !builder.atoms().is_uniform(number->poly)) return std::nullopt;
  std::optional<Expression> value = builder.as_expression(number->poly);
  for (const int index : number->checks) {
    const Check& check = builder.info().checks[static_cast<size_t>(index)];
    const Poly& checked = builder.check_poly(index);
    if (!value || !builder.atoms().is_uniform(checked)) return std::nullopt;
    const std::optional<Expression> number_of_check = builder.as_expression(checked);
    if (!number_of_check) return std::nullopt;
    using Op = Expression::Op;
    const Expression holds =
        Expression::combine(Op::bit_and, Expression::combine(Op::less_equal, check.lo, *number_of_check),
                            Expression::combine(Op::less_equal, *number_of_check, check.hi));
    value = Expression::combine(Op::divide, *value, holds);  // by 1 or by 0
  }
  if (!value) return std::nullopt;
  return static_cast<uint64_t>(builder.expression(*value));
}

}  // namespace

Update equal_store(const llvm::StoreInst& store, Values& values, InfoBuilder& builder) {
  const llvm::Value* number = number_in(store.getValueOperand());
  if (!number || !(number->getType()->isIntegerTy() || number->getType()->isFloatingPointTy())) return {};
  const uint64_t bits = number->getType()->getPrimitiveSizeInBits().getFixedValue();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return {};
  // Numbers that overlap in part would not commute.
  const llvm::DataLayout& layout = store.getModule()->getDataLayout();
  const auto bytes = static_cast<uint32_t>(bits / 8);
  auto* const pointer = const_cast<llvm::Value*>(store.getPointerOperand());
  if (llvm::getKnownAlignment(pointer, layout, &store) < bytes) return {};
  if (const std::optional<llvm::APInt> constant = bits_of(number))
    return {Kind::store, bytes, constant->getZExtValue()};
  if (!number->getType()->isIntegerTy() || llvm::isa<llvm::Constant>(number)) return {};
  const std::optional<uint64_t> expression = uniform(const_cast<llvm::Value*>(number), values, builder);
  return expression ? Update{Kind::store_uniform, bytes, *expression} : Update{};
}

}  // namespace mkmd::compiler
