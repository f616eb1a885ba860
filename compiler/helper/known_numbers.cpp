// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/known_numbers.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

using Objects = llvm::SmallVector<const llvm::Value*, 4>;

constexpr Known kAny = {Constants::any, true};

// Of results of operations on constants. No operand has none.
Constants sum(Constants a, Constants b) {
  return std::min(a, b) == Constants::zero ? std::max(a, b) : Constants::any;
}
Constants product(Constants a, Constants b) {
  return std::min(a, b) == Constants::zero ? Constants::zero : std::max(a, b);
}
Constants quotient(Constants a, Constants) {
  return a == Constants::zero ? Constants::zero : Constants::any;
}

// Whether 0 times a number is 0, whatever the number.
bool zero_decides(const llvm::Instruction& product) {
  return isa<llvm::FPMathOperator>(product) && product.hasNoNaNs() && product.hasNoSignedZeros();
}

// Numbers with one source are one, as far as is known: elements of an object, or the same question.
const llvm::Value& source_of(const llvm::Value& value) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&value))
    return *llvm::getUnderlyingObject(load->getPointerOperand(), 0);
  const auto* const call = dyn_cast<llvm::CallBase>(&value);
  const bool asks = call != nullptr && work_item_builtin(declared_callee(*call)) != Builtin::none;
  return asks ? *call->getCalledFunction() : value;
}

const llvm::Value* loaded_object(const llvm::Value& value) {
  const llvm::Value* at = &given_back(value);
  while (isa<llvm::CastInst, llvm::FreezeInst>(at))
    at = &given_back(*llvm::cast<llvm::Instruction>(at)->getOperand(0));
  return isa<llvm::LoadInst>(at) ? &source_of(*at) : nullptr;
}
bool may_be_equal(const llvm::Value& a, const llvm::Value& b) {
  const llvm::Value* const object = loaded_object(a);
  return object != nullptr && object == loaded_object(b);
}

// It begins with a constant, and constants are added. Whether a compiler copies such a loop for each of its
// numbers hardly depends on what stands around it.
bool is_counter(const llvm::PHINode& phi) {
  return phi.getType()->isIntegerTy() &&
         std::ranges::all_of(phi.incoming_values(), [&](const llvm::Use& from) {
           const auto* const step = dyn_cast<llvm::BinaryOperator>(from);
           return isa<llvm::ConstantInt>(from) ||
                  (step != nullptr && step->getOpcode() == llvm::Instruction::Add &&
                   step->getOperand(0) == &phi && isa<llvm::ConstantInt>(step->getOperand(1)));
         });
}

// Those of a vector that is made of elements.
Constants constant_elements(const llvm::Value& hidden) {
  const llvm::Value& value = given_back(hidden);
  if (const auto* constant = dyn_cast<llvm::Constant>(&value)) return constants_of(*constant);
  if (!isa<llvm::InsertElementInst, llvm::ShuffleVectorInst>(value)) return Constants::none;
  const auto& i = llvm::cast<llvm::Instruction>(value);
  return std::max(constant_elements(*i.getOperand(0)), constant_elements(*i.getOperand(1)));
}

// Ids of other dimensions are 0.
bool has_dimension(const llvm::CallBase& question) {
  const auto* const dimension = dyn_cast<llvm::ConstantInt>(question.getArgOperand(0));
  return dimension != nullptr && dimension->getZExtValue() < 3;
}

Objects objects(const llvm::Value& pointer) {
  Objects found;
  llvm::getUnderlyingObjects(&pointer, found, nullptr, 0);
  return found;
}

}  // namespace

bool is_float(const llvm::Value& value) {
  return value.getType()->isFPOrFPVectorTy();
}

Constants constants_of(const llvm::Constant& constant) {
  if (isa<llvm::UndefValue>(constant)) return Constants::none;  // lanes of a vector that others replace
  if (constant.isZeroValue()) return Constants::zero;
  if (const llvm::Constant* all = constant.getType()->isVectorTy() ? constant.getSplatValue() : nullptr)
    return constants_of(*all);
  const auto* const real = dyn_cast<llvm::ConstantFP>(&constant);
  const auto* const whole = dyn_cast<llvm::ConstantInt>(&constant);
  const bool is_power =
      (real != nullptr && real->getValueAPF().getExactInverse(nullptr)) ||
      (whole != nullptr && (whole->getValue().isPowerOf2() || whole->getValue().isNegatedPowerOf2()));
  return is_power ? Constants::powers : Constants::any;
}

const llvm::Value& given_back(const llvm::Value& value) {
  const auto* const call = dyn_cast<llvm::CallBase>(&value);
  const bool gives_back = call != nullptr && !call->arg_empty() && gives_back_operand(declared_callee(*call));
  return gives_back ? given_back(*call->getArgOperand(0)) : value;
}

bool sums_products(const llvm::CallBase& call) {
  const auto* const intrinsic = dyn_cast<llvm::IntrinsicInst>(&call);
  const llvm::StringRef name = base_name(declared_callee(call));
  return name == "mad" || name == "dot" || name == "cross" ||
         (intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd);
}

KnownNumbers::KnownNumbers(const llvm::Function& f, LocalSize local_size) : local_size_(local_size) {
  for (const llvm::Instruction& i : llvm::instructions(f))
    note_comparison(i);
  for (const llvm::Argument& argument : f.args())
    known_[&argument].constants = compared_.lookup(&argument);
  for (bool again = true; again;) {
    again = false;
    for (const llvm::Instruction& i : llvm::instructions(f)) {
      again |= note_store(i);
      if (i.getType()->isVoidTy() || i.getType()->isPtrOrPtrVectorTy()) continue;
      Known& known = known_[&i];
      Known now = known | compute(i);
      now.constants = std::max({now.constants, compared_.lookup(&i), compared_.lookup(&source_of(i))});
      now.parts &= !is_float(i);
      again |= now != known;
      known = now;
    }
  }
}

// Behind `n == 3`, n is a constant.
void KnownNumbers::note_comparison(const llvm::Instruction& i) {
  const auto* const compared = dyn_cast<llvm::CmpInst>(&i);
  const auto* const call = dyn_cast<llvm::CallBase>(&i);
  const llvm::StringRef name = call != nullptr ? base_name(declared_callee(*call)) : llvm::StringRef();
  const bool is_equality = compared != nullptr && compared->isEquality();
  if (isa<llvm::SwitchInst>(i)) note_compared(*i.getOperand(0), Constants::any);
  if (!is_equality && name != "isequal" && name != "isnotequal") return;
  for (const unsigned one : {0U, 1U}) {
    const auto* const constant = dyn_cast<llvm::Constant>(&given_back(*i.getOperand(1 - one)));
    note_compared(*i.getOperand(one), constant != nullptr ? constants_of(*constant) : Constants::any);
  }
}

// What is compared, and for integers all that it is made of: `k + 1 == 22` says what k is.
void KnownNumbers::note_compared(const llvm::Value& hidden, Constants constants) {
  const llvm::Value& value = given_back(hidden);
  const auto* const i = dyn_cast<llvm::Instruction>(&value);
  if ((i == nullptr && !isa<llvm::Argument>(value)) || value.getType()->isPtrOrPtrVectorTy()) return;
  Constants& before = compared_[&value];
  if (before >= constants) return;
  before = constants;
  const llvm::Value& source = source_of(value);
  if (&source != &value) {
    compared_[&source] = std::max(compared_.lookup(&source), constants);
  } else if (i != nullptr && (!is_float(value) || isa<llvm::CastInst, llvm::UnaryOperator>(i))) {
    for (const llvm::Use& operand : i->operands())
      if (is_float(value) || !is_float(*operand)) note_compared(*operand, constants);
  }
}

bool KnownNumbers::may_be_known(const llvm::Value& value) const {
  return !isa<llvm::Constant>(given_back(value)) && of(value).constants != Constants::none;
}

Known KnownNumbers::of(const llvm::Value& hidden) const {
  const llvm::Value& value = given_back(hidden);
  if (const auto* constant = dyn_cast<llvm::Constant>(&value)) return {constants_of(*constant), false};
  const auto found = known_.find(&value);
  return found != known_.end() ? found->second : Known{};
}

Known KnownNumbers::any_of(const llvm::User& user) const {
  Known known;
  for (const llvm::Use& operand : user.operands())
    known = known | of(*operand);
  return known;
}

// A result of operations on numbers that are all constants is one.
template <typename Operands>
Known KnownNumbers::if_all(const Operands& operands, Constants (*of_two)(Constants, Constants)) const {
  Known known;
  Constants least = Constants::any;
  for (const llvm::Use& operand : operands) {
    const Known one = of(*operand);
    known.constants = &operand == &*operands.begin() ? one.constants
                      : of_two                       ? of_two(known.constants, one.constants)
                                                     : Constants::any;
    known.parts |= one.parts;
    least = std::min(least, one.constants);
  }
  if (least == Constants::none) known.constants = Constants::none;
  return known;
}

Known KnownNumbers::compute(const llvm::Instruction& i) const {
  if (const auto* call = dyn_cast<llvm::CallBase>(&i)) return compute_call(*call);
  switch (i.getOpcode()) {
  case llvm::Instruction::PHI:
    return is_counter(llvm::cast<llvm::PHINode>(i)) ? Known{Constants::none, true} : merged(i, any_of(i));
  case llvm::Instruction::FNeg:
  case llvm::Instruction::FPExt:
  case llvm::Instruction::FPTrunc:
  case llvm::Instruction::BitCast:
  case llvm::Instruction::Freeze:
  case llvm::Instruction::SExt:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SIToFP:
  case llvm::Instruction::UIToFP:
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI:
  case llvm::Instruction::InsertElement:
  case llvm::Instruction::InsertValue:
  case llvm::Instruction::ExtractElement:
  case llvm::Instruction::ExtractValue:
  case llvm::Instruction::ShuffleVector:
    return vectors_or_values(i);
  case llvm::Instruction::Select:
    return merged(i, of(*i.getOperand(1)) | of(*i.getOperand(2)));
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp:
    return {Constants::powers, true};  // 0 or 1
  case llvm::Instruction::FMul:
    return zero_decides(i) ? any_of(i) : if_all(i.operands(), product);
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::Add:
    return if_all(i.operands(), sum);
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
    return if_all(i.operands(), quotient);
  case llvm::Instruction::Load:
    return loaded_from(*llvm::cast<llvm::LoadInst>(i).getPointerOperand(), is_float(i));
  default:
    return bits_of(i);
  }
}

// Of two integers a compiler may know the bits that both have. Of vectors, each may bring constants of its
// own.
Known KnownNumbers::merged(const llvm::Instruction& i, Known known) {
  for (const llvm::Use& operand : i.operands())
    if (operand->getType() == i.getType() && i.getType()->isVectorTy())
      known.constants = std::max(known.constants, constant_elements(*operand));
  return is_float(i) ? known : known | Known{Constants::none, true};
}

// An element that is a constant is so in each build, as long as it is known which one is meant.
Known KnownNumbers::vectors_or_values(const llvm::Instruction& i) const {
  const bool extracts = isa<llvm::ExtractElementInst>(i), inserts = isa<llvm::InsertElementInst>(i);
  if ((extracts && !isa<llvm::Constant>(i.getOperand(1))) ||
      (inserts && !isa<llvm::Constant>(i.getOperand(2))))
    return kAny;
  if (extracts || isa<llvm::ExtractValueInst>(i)) return of(*i.getOperand(0));
  if (!inserts && !isa<llvm::InsertValueInst, llvm::ShuffleVectorInst>(i)) return any_of(i);
  Known known;
  for (const unsigned operand : {0U, 1U})
    if (!isa<llvm::Constant>(given_back(*i.getOperand(operand)))) known = known | of(*i.getOperand(operand));
  return known;
}

// Whether an integer that may be any of many stays one. A compiler may know the lowest bits of ids, but few
// of them.
bool KnownNumbers::keeps_bits(const llvm::Instruction& i) const {
  constexpr unsigned kWide = 32, kShifted = 16;
  if (i.getType()->getScalarSizeInBits() < kWide) return false;
  switch (i.getOpcode()) {
  case llvm::Instruction::Trunc:
    return true;
  case llvm::Instruction::Sub:
    return !of(*i.getOperand(0)).parts || !of(*i.getOperand(1)).parts;
  case llvm::Instruction::Shl: {
    const auto* const places = dyn_cast<llvm::ConstantInt>(i.getOperand(1));
    return places != nullptr && places->getValue().ult(kShifted);
  }
  case llvm::Instruction::Mul:
    return std::ranges::none_of(i.operands(), [](const llvm::Use& factor) {
      const auto* const number = dyn_cast<llvm::ConstantInt>(factor);
      return number != nullptr && number->getValue().countTrailingZeros() >= kShifted;
    });
  default:
    return false;
  }
}

// An integer times 0 is 0, and so are its bits without all of them. Of what is made of bits, a compiler may
// know all if it knows some of them. The difference of two elements is known if both are the same one.
Known KnownNumbers::bits_of(const llvm::Instruction& i) const {
  const bool by_one =
      std::ranges::any_of(i.operands(), [this](const llvm::Use& use) { return may_be_known(*use); });
  const bool may_be_zero = i.getNumOperands() == 2 && may_be_equal(*i.getOperand(0), *i.getOperand(1));
  const Known known = if_all(i.operands());
  return by_one || may_be_zero || (known.parts && !keeps_bits(i)) ? kAny : known;
}

Known KnownNumbers::compute_call(const llvm::CallBase& call) const {
  const llvm::StringRef mangled = declared_callee(call), name = base_name(mangled);
  switch (work_item_builtin(mangled)) {
  case Builtin::none:
    break;
  case Builtin::local_id:
  case Builtin::local_linear_id:
  case Builtin::local_size:
    return local_size_ == LocalSize::same ? Known{} : kAny;
  case Builtin::global_id:
  case Builtin::group_id:
    return has_dimension(call) ? Known{Constants::none, local_size_ != LocalSize::same} : kAny;
  case Builtin::global_size:
  case Builtin::num_groups:
    return has_dimension(call) ? Known{Constants::none, true} : kAny;
  default:
    return kAny;
  }
  if (is_atomic(name) || name.starts_with("read_image")) return {};
  if (name.starts_with("vload")) return loaded_from(*call.getArgOperand(call.arg_size() - 1), is_float(call));
  if (gives_back_operand(mangled)) return call.arg_empty() ? Known{} : of(*call.getArgOperand(0));
  if (sums_products(call) && zero_decides(call)) return any_of(call);
  Known known = if_all(call.args());
  if (sums_products(call) || name == "fma") {
    if (known.constants == Constants::none) return known;
    const Constants of_factors =
        product(of(*call.getArgOperand(0)).constants, of(*call.getArgOperand(1)).constants);
    known.constants =
        sum(of_factors, call.arg_size() > 2 ? of(*call.getArgOperand(2)).constants : of_factors);
    return known;
  }
  if (name == "select" || name == "bitselect" || name == "shuffle" || name == "shuffle2") return kAny;
  if (!is_float(call)) return bits_of(call);
  // As of fmin, the result may be one of the arguments.
  for (const llvm::Use& argument : call.args())
    if (may_be_known(*argument)) known.constants = std::max(known.constants, of(*argument).constants);
  return known;
}

Known KnownNumbers::loaded_from(const llvm::Value& pointer, bool floats) const {
  Known known;
  for (const llvm::Value* object : objects(pointer)) {
    const auto* const variable = dyn_cast<llvm::GlobalVariable>(object);
    if (!isa<llvm::Argument, llvm::AllocaInst, llvm::GlobalVariable>(object) ||
        (variable != nullptr && variable->isConstant()))
      return kAny;
    known = known | stored_[floats ? 1 : 0].lookup(object);
  }
  return known;
}

bool KnownNumbers::note_store(const llvm::Instruction& i) {
  if (const auto* store = dyn_cast<llvm::StoreInst>(&i))
    return keep_value(*store->getPointerOperand(), *store->getValueOperand());
  const auto* const call = dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) return false;
  if (const auto* transfer = dyn_cast<llvm::MemTransferInst>(call)) {
    bool more = false;
    for (const bool real : {false, true})
      more |= keep(*transfer->getRawDest(), real, loaded_from(*transfer->getRawSource(), real));
    return more;
  }
  if (const auto* set = dyn_cast<llvm::MemSetInst>(call)) {
    const Known value =
        of(*set->getValue()).constants == Constants::zero ? Known{Constants::zero, false} : kAny;
    return keep(*set->getRawDest(), false, value) | keep(*set->getRawDest(), true, value);
  }
  const bool is_vstore = base_name(declared_callee(*call)).starts_with("vstore");
  return is_vstore && keep_value(*call->getArgOperand(call->arg_size() - 1), *call->getArgOperand(0));
}

bool KnownNumbers::keep_value(const llvm::Value& pointer, const llvm::Value& value) {
  Known known = of(value);
  known.constants = std::max(known.constants, constant_elements(value));
  return keep(pointer, is_float(value), known);
}

bool KnownNumbers::keep(const llvm::Value& pointer, bool floats, Known known) {
  bool more = false;
  for (const llvm::Value* object : objects(pointer)) {
    Known& stored = stored_[floats ? 1 : 0][object];
    more |= (stored | known) != stored;
    stored = stored | known;
  }
  return more;
}

}  // namespace mkmd::compiler
