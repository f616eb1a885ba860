// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/definedness.hpp"

#include <algorithm>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/own_memory.hpp"
#include "compiler/helper/pointer_forks_pass.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr int kAll = SpecifiedResults::kAll;
constexpr size_t kMost = 65536;  // values that one is made of; beyond that it may have no value

bool is_value(const llvm::Constant& c, int component) {
  const llvm::Constant* part =
      component == kAll ? &c : c.getAggregateElement(static_cast<unsigned>(component));
  return part && !isa<llvm::UndefValue>(part) && !part->containsUndefOrPoisonElement();
}

// Whether a function of OpenCL's is given a pointer to private memory to read from. What is there is not
// followed.
bool reads_own_memory(const llvm::CallBase& call) {
  const std::optional<std::vector<PointerUse>> uses = pointer_uses(call);
  return uses && std::ranges::any_of(*uses, [&](const PointerUse& use) {
           const llvm::Type* const pointer = call.getArgOperand(use.operand)->getType();
           return use.reads && leads_to_own_memory(pointer) &&
                  pointer->getPointerAddressSpace() != address_space::kLocal;
         });
}

int constant_index(const llvm::Value* index) {
  const auto* constant = dyn_cast<llvm::ConstantInt>(index);
  return constant ? static_cast<int>(constant->getZExtValue()) : kAll;
}

llvm::SmallVector<const llvm::Value*, 4> numbers_given_to(const llvm::CallBase& call) {
  llvm::SmallVector<const llvm::Value*, 4> numbers;
  for (const llvm::Value* operand : call.args()) {
    const llvm::Type* const type = operand->getType()->getScalarType();
    if (type->isIntegerTy() || type->isFloatingPointTy()) numbers.push_back(operand);
  }
  return numbers;
}

Definedness::Stored stored_with(const std::optional<Definedness::Checks>& checks, int64_t bytes) {
  return checks ? Definedness::Stored{bytes, *checks} : Definedness::Stored{};
}

// What decides where control goes from here, or which bytes are touched. Where the kernel selects, a driver
// may branch.
llvm::SmallVector<const llvm::Value*, 4> decides(const llvm::Instruction& i) {
  if (const auto* branch = dyn_cast<llvm::BranchInst>(&i); branch && branch->isConditional())
    return {branch->getCondition()};
  if (const auto* branch = dyn_cast<llvm::SwitchInst>(&i)) return {branch->getCondition()};
  if (const auto* select = dyn_cast<llvm::SelectInst>(&i)) return {select->getCondition()};
  if (const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&i)) return {pointer};
  if (const auto* atomic = dyn_cast<llvm::AtomicRMWInst>(&i)) return {atomic->getPointerOperand()};
  if (const auto* atomic = dyn_cast<llvm::AtomicCmpXchgInst>(&i)) return {atomic->getPointerOperand()};
  if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(&i))
    return {copy->getRawDest(), copy->getRawSource(), copy->getLength()};
  if (const auto* fill = dyn_cast<llvm::AnyMemIntrinsic>(&i)) return {fill->getRawDest(), fill->getLength()};
  llvm::SmallVector<const llvm::Value*, 4> all;
  const auto* call = dyn_cast<llvm::CallBase>(&i);
  const auto uses = call ? pointer_uses(*call) : std::nullopt;
  for (const PointerUse& use : uses.value_or(std::vector<PointerUse>{})) {
    all.push_back(call->getArgOperand(use.operand));
    for (const int operand : {use.offset_operand, use.count_operand, use.stride_operand})
      if (operand >= 0) all.push_back(call->getArgOperand(static_cast<unsigned>(operand)));
  }
  return all;
}

}  // namespace

Definedness::Definedness(llvm::Function& kernel, llvm::DominatorTree& dominators, llvm::LoopInfo& loops,
                         Values& values, InfoBuilder& builder)
    : kernel_(kernel), layout_(kernel.getParent()->getDataLayout()), dominators_(dominators),
      known_functions_(library_), assumptions_(kernel),
      evolution_(kernel, known_functions_, assumptions_, dominators, loops),
      specified_(evolution_, values, builder) {}

void Definedness::want(const llvm::Value* value, int component) {
  const Part part{value, value->getType()->isVectorTy() ? component : kAll};
  if (const auto known = have_values_.find(part); known != have_values_.end())
    merge_checks(checks_, sets_[known->second]);
  else if (seen_.insert(part).second)
    todo_.push_back(part);
}

// The checks under which all that it is made of has values.
std::optional<Definedness::Checks> Definedness::has_value(const llvm::Value* value, int component) {
  seen_.clear();
  todo_.clear();
  checks_.clear();
  want(value, component);
  while (!todo_.empty()) {
    const Part part = todo_.back();
    todo_.pop_back();
    if (seen_.size() > kMost || !look_at(part)) return std::nullopt;
  }
  if (sets_.back() != checks_) sets_.push_back(checks_);
  for (const Part& part : seen_)
    have_values_.try_emplace(part, sets_.size() - 1);
  return checks_;
}

std::optional<Definedness::Checks> Definedness::has_value(const llvm::Value* value) {
  const auto* vector = dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!vector) return has_value(value, kAll);
  Checks all;
  for (int component = 0; component < static_cast<int>(vector->getNumElements()); ++component) {
    const std::optional<Checks> checks = has_value(value, component);
    if (!checks) return std::nullopt;
    merge_checks(all, *checks);
  }
  return all;
}

std::optional<Definedness::Checks> Definedness::have_values(llvm::ArrayRef<const llvm::Value*> values) {
  Checks all;
  for (const llvm::Value* value : values) {
    const std::optional<Checks> checks = has_value(value);
    if (!checks) return std::nullopt;
    merge_checks(all, *checks);
  }
  return all;
}

std::optional<Definedness::Checks> Definedness::conditions_and_addresses() {
  Checks all;
  for (const llvm::Instruction& i : llvm::instructions(kernel_)) {
    const std::optional<Checks> checks = have_values(decides(i));
    if (!checks) return std::nullopt;
    merge_checks(all, *checks);
  }
  return all;
}

// False: it may have no value. Wants what it is made of.
bool Definedness::look_at(const Part& part) {
  const llvm::Value& v = *part.first;
  if (const auto* c = dyn_cast<llvm::Constant>(&v)) return is_value(*c, part.second);
  const auto* i = dyn_cast<llvm::Instruction>(&v);
  if (!i) return true;
  const auto* division = dyn_cast<llvm::BinaryOperator>(i);
  if (division && division->isIntDivRem()) {
    const std::optional<Checks> checks = specified_.divides(*division);
    if (!checks) return false;
    merge_checks(checks_, *checks);
  }
  switch (i->getOpcode()) {
  case llvm::Instruction::InsertElement:
    return look_at_insert(v, part.second);
  case llvm::Instruction::ShuffleVector:
    return look_at_shuffle(v, part.second);
  case llvm::Instruction::Call:
    return look_at_call(v, part.second);
  case llvm::Instruction::ExtractElement:
    want(i->getOperand(0), constant_index(i->getOperand(1)));
    want(i->getOperand(1), kAll);
    return true;
  case llvm::Instruction::Load:
    return is_filled(llvm::cast<llvm::LoadInst>(*i), part.second);
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI:
    if (!specified_.converts(llvm::cast<llvm::CastInst>(*i), part.second)) return false;
    break;
  default:
    break;
  }
  const auto* phi = dyn_cast<llvm::PHINode>(i);
  const bool is_one_way = phi && is_of_one_way(*phi);
  const int component = isa<llvm::BitCastInst>(i) ? kAll : part.second;
  if (isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
          llvm::PHINode, llvm::GetElementPtrInst, llvm::FreezeInst>(i))
    for (const llvm::Value* operand : i->operand_values())
      if (!is_one_way || !isa<llvm::PoisonValue>(operand)) want(operand, component);
  return true;
}

bool Definedness::look_at_insert(const llvm::Value& value, int component) {
  const auto& insert = llvm::cast<llvm::InsertElementInst>(value);
  const int index = constant_index(insert.getOperand(2));
  want(insert.getOperand(2), kAll);
  if (index == kAll || component == kAll || index == component) want(insert.getOperand(1), kAll);
  const auto count = llvm::cast<llvm::FixedVectorType>(insert.getType())->getNumElements();
  for (int other = 0; other < static_cast<int>(count); ++other)
    if (other != index && (component == kAll || component == other)) want(insert.getOperand(0), other);
  return true;
}

bool Definedness::look_at_shuffle(const llvm::Value& value, int component) {
  const auto& shuffle = llvm::cast<llvm::ShuffleVectorInst>(value);
  const auto* type = llvm::cast<llvm::FixedVectorType>(shuffle.getOperand(0)->getType());
  const int count = static_cast<int>(type->getNumElements());
  const llvm::ArrayRef<int> mask = shuffle.getShuffleMask();
  for (int i = 0; i < static_cast<int>(mask.size()); ++i) {
    if (component != kAll && i != component) continue;
    const int from = mask[static_cast<size_t>(i)];
    if (from < 0) return false;
    want(shuffle.getOperand(from < count ? 0 : 1), from % count);
  }
  return true;
}

bool Definedness::look_at_call(const llvm::Value& value, int component) {
  const auto& call = llvm::cast<llvm::CallBase>(value);
  const bool gives_back = gives_back_operand(declared_callee(call));
  for (const llvm::Value* number : numbers_given_to(call))
    want(number, gives_back ? component : kAll);
  return gives_back || (specified_.converts(call, component) && !reads_own_memory(call));
}

void Definedness::want_all(const llvm::Value& value, int component) {
  const auto* vector = dyn_cast<llvm::FixedVectorType>(value.getType());
  if (!vector || component != kAll) return want(&value, component);
  for (int other = 0; other < static_cast<int>(vector->getNumElements()); ++other)
    want(&value, other);
}

Definedness::Stored Definedness::surely_stored(const llvm::Value* value) {
  const auto bytes = [&](llvm::Type* t) {
    return static_cast<int64_t>(layout_.getTypeStoreSize(t).getFixedValue());
  };
  const auto* vector = dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!vector) return stored_with(have_values({value}), bytes(value->getType()));
  Stored stored;
  for (int component = 0; component < static_cast<int>(vector->getNumElements()); ++component) {
    const std::optional<Checks> checks = has_value(value, component);
    if (!checks) return stored;
    stored.bytes += bytes(vector->getElementType());
    merge_checks(stored.checks, *checks);
  }
  stored.bytes = bytes(value->getType());
  return stored;
}

Definedness::Stored Definedness::surely_stored(const llvm::CallBase& call, int64_t bytes) {
  return stored_with(have_values(numbers_given_to(call)), bytes);
}

}  // namespace mkmd::compiler
