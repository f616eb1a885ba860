// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/undecided.hpp"

#include <llvm/IR/Constants.h>
#include <set>
#include <utility>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr unsigned kWide = 32;
// Of what is added to a number that may be any, and of factors. With more, it may no longer be any.
constexpr int64_t kMostAdded = int64_t{1} << 24, kMostAddedToIds = 1024, kMostFactor = 64;

bool is_within(const llvm::Value& value, int64_t least, int64_t most) {
  const auto* const number = dyn_cast<llvm::ConstantInt>(&value);
  return number != nullptr && number->getValue().getSignificantBits() <= 64 &&
         number->getSExtValue() >= least && number->getSExtValue() <= most;
}

bool gives_back(const llvm::Value& value) {
  const auto* const call = dyn_cast<llvm::CallBase>(&value);
  return call != nullptr && gives_back_operand(declared_callee(*call));
}

Builtin asked_by(const llvm::Value& value) {
  const auto* const call = dyn_cast<llvm::CallBase>(&value);
  return call != nullptr ? work_item_builtin(declared_callee(*call)) : Builtin::none;
}

bool is_id(Builtin asked) {
  return asked == Builtin::global_id || asked == Builtin::group_id;
}

// A number that may be any of its type, or any id, give or take a little.
struct Any {
  const llvm::Value* number = nullptr;  // an argument, or loaded, or an id; null: it may not be any
  bool is_id = false;
  bool signed_extended = false, extended = false;
};
Any any_of(const llvm::Value& value) {
  if (value.getType()->isIntegerTy() && value.getType()->getIntegerBitWidth() >= kWide) {
    if (isa<llvm::Argument, llvm::LoadInst>(value)) return {&value};
    if (is_id(asked_by(value))) return {&value, true};
  }
  const auto* const i = dyn_cast<llvm::Instruction>(&value);
  if (i == nullptr || !i->getType()->isIntegerTy()) return {};
  Any of;
  switch (i->getOpcode()) {
  case llvm::Instruction::Trunc:
    if (i->getType()->getIntegerBitWidth() < kWide) return {};
    return any_of(*i->getOperand(0));
  case llvm::Instruction::SExt:
    of = any_of(*i->getOperand(0));
    of.signed_extended = true;
    return of;
  case llvm::Instruction::ZExt:
    of = any_of(*i->getOperand(0));
    of.extended = true;
    return of;
  case llvm::Instruction::Freeze:
    return any_of(*i->getOperand(0));
  case llvm::Instruction::Call:
    return gives_back(value) ? any_of(*i->getOperand(0)) : Any{};
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub: {
    of = any_of(*i->getOperand(0));
    const int64_t most = of.is_id || of.extended ? kMostAddedToIds : kMostAdded;
    return is_within(*i->getOperand(1), -most, most) ? of : Any{};
  }
  default:
    return {};
  }
}

// What a number is made of.
class Parts {
public:
  explicit Parts(const llvm::Value& value) { visit(value); }

  bool has(const Any& other) const {
    if (other.is_id) return has_ids_;
    return isa<llvm::LoadInst>(other.number) ? has_loads_ : seen_.contains(other.number);
  }
  bool has_ids() const { return has_ids_; }
  // A sum of ids, sizes, what may be any, and products without large constants. It is not negative, unless
  // these are, or by no more than what may be added to ids.
  bool is_plain() const { return plain_; }
  // The same, without products with constants.
  bool is_sum() const { return plain_ && !has_factors_; }

private:
  void visit(const llvm::Value& value) {
    if (!seen_.insert(&value).second) return;
    if (isa<llvm::Constant>(value)) {
      plain_ &= is_within(value, -kMostAddedToIds, kMostAddedToIds);
      return;
    }
    if (isa<llvm::Argument>(value)) return;
    has_loads_ |= isa<llvm::LoadInst>(value);
    const Builtin asked = asked_by(value);
    has_ids_ |= is_id(asked) || asked == Builtin::global_linear_id;
    const auto* const i = dyn_cast<llvm::Instruction>(&value);
    if (i == nullptr || asked != Builtin::none) return;
    plain_ &= is_plain(*i);
    for (const llvm::Use& operand : i->operands()) {
      if (isa<llvm::Function, llvm::BasicBlock>(operand)) continue;
      const bool factor =
          i->getOpcode() == llvm::Instruction::Mul || i->getOpcode() == llvm::Instruction::Shl;
      if (factor && isa<llvm::Constant>(operand)) has_factors_ = true;
      if (!operand->getType()->isPointerTy()) visit(*operand);
    }
  }

  static bool is_plain(const llvm::Instruction& i) {
    switch (i.getOpcode()) {
    case llvm::Instruction::Trunc:
      return i.getType()->getScalarSizeInBits() >= kWide;
    case llvm::Instruction::Sub:
      return isa<llvm::Constant>(i.getOperand(1));
    case llvm::Instruction::Mul:
      return !isa<llvm::Constant>(i.getOperand(1)) || is_within(*i.getOperand(1), 1, kMostFactor);
    case llvm::Instruction::Add:
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Load:
      return true;
    case llvm::Instruction::Call:
      return gives_back(i);
    default:
      return false;
    }
  }

  std::set<const llvm::Value*> seen_;
  bool plain_ = true, has_factors_ = false, has_loads_ = false, has_ids_ = false;
};

bool is_undecided(const llvm::Value& number, const llvm::Value& other, Known what) {
  const Any any = any_of(other);
  if (any.number == nullptr) return false;
  const Parts parts(number);
  if (parts.has(any)) return false;
  // It must be neither too large nor negative where the other one is not.
  if (any.is_id) return what == Known::sizes && parts.is_plain();
  return (!any.extended && !any.signed_extended) || parts.is_plain();
}

}  // namespace

bool is_undecided(const llvm::ICmpInst& compared, Known what) {
  const llvm::Value &a = *compared.getOperand(0), &b = *compared.getOperand(1);
  return is_undecided(a, b, what) || is_undecided(b, a, what);
}

uint64_t largest_local_size(const llvm::ICmpInst& compared) {
  constexpr int64_t kSteps = 16;
  for (const unsigned constant : {0U, 1U}) {
    if (!is_within(*compared.getOperand(constant), kSteps, kMostAdded)) continue;
    const Parts parts(*compared.getOperand(1 - constant));
    if (!parts.has_ids() || !parts.is_sum()) return 0;
    return llvm::cast<llvm::ConstantInt>(compared.getOperand(constant))->getZExtValue() / kSteps;
  }
  return 0;
}

}  // namespace mkmd::compiler
