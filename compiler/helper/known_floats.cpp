// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/known_floats.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <set>
#include <vector>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

bool is_size(Builtin asked) {
  return asked == Builtin::num_groups || asked == Builtin::global_size || asked == Builtin::global_linear_id;
}

bool is_id_or_size(Builtin asked) {
  return asked != Builtin::none && asked != Builtin::work_dim && asked != Builtin::local_size;
}

bool is_float(const llvm::Value& value) {
  return value.getType()->isFPOrFPVectorTy();
}

bool is_constant(const llvm::Value& value) {
  return isa<llvm::Constant>(value);
}

// Whether anything may be rounded. Where numbers are only copied, it does not matter what is known of them.
bool computes_floats(const llvm::Function& f) {
  const auto computes = [](const llvm::Instruction& i) {
    if (isa<llvm::BinaryOperator>(i)) return is_float(i);
    const auto* const call = dyn_cast<llvm::CallBase>(&i);
    return call != nullptr &&
           (is_float(i) ||
            std::ranges::any_of(call->args(), [](const llvm::Use& argument) { return is_float(*argument); }));
  };
  return std::ranges::any_of(llvm::instructions(f), computes);
}

// Of numbers with fewer bits, a compiler may know how they compare with a size.
constexpr unsigned kWide = 32;

unsigned bits_of(const llvm::Value& value) {
  return value.getType()->getScalarSizeInBits();
}

// A number of which no compiler knows enough to tell how it compares with a size: what is passed, loaded or
// counted, or an id, as long as its upper bits are kept.
class Unknown {
public:
  bool operator()(const llvm::Value& value) {
    if (!value.getType()->isIntOrIntVectorTy() || bits_of(value) < kWide || !seen_.insert(&value).second)
      return false;
    if (isa<llvm::Argument, llvm::LoadInst>(value)) return true;
    const auto* const i = dyn_cast<llvm::Instruction>(&value);
    if (i == nullptr) return false;
    switch (i->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
      return (*this)(*i->getOperand(0)) || (*this)(*i->getOperand(1));
    case llvm::Instruction::Shl:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::ExtractElement:
      return (*this)(*i->getOperand(0));
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return (*this)(*i->getOperand(1));
    case llvm::Instruction::PHI:
    case llvm::Instruction::Select:
      return std::ranges::any_of(i->operands(), [this](const llvm::Use& use) { return (*this)(*use); });
    case llvm::Instruction::Call: {
      const Builtin asked = work_item_builtin(declared_callee(*llvm::cast<llvm::CallBase>(i)));
      if (asked == Builtin::global_id || asked == Builtin::group_id || asked == Builtin::global_linear_id)
        return true;
      return asked == Builtin::none &&
             std::ranges::any_of(i->operands(), [this](const llvm::Use& use) { return (*this)(*use); });
    }
    default:
      return false;
    }
  }

private:
  std::set<const llvm::Value*> seen_;
};

bool is_known(const llvm::Value& value) {
  return !Unknown()(value);
}

// Numbers of one kind.
struct Kind {
  bool (*is_asked_by)(Builtin);
  // Whether a compiler may know of another number what it takes to decide something about one of these.
  bool (*is_known)(const llvm::Value&);
  bool in_conditions;  // whether it may decide conditions, too
};
constexpr Kind kIdsAndSizes = {is_id_or_size, is_constant, false};
constexpr Kind kSizes = {is_size, is_known, true};

bool is_conversion(const llvm::CallBase& call) {
  return base_name(declared_callee(call)).starts_with("convert_");
}

// The result of comparisons. What could be decided of it could be of those.
bool is_condition(const llvm::Value& value) {
  if (bits_of(value) == 1) return true;
  if (isa<llvm::ZExtInst, llvm::SExtInst>(value))
    return is_condition(*llvm::cast<llvm::Instruction>(value).getOperand(0));
  const auto* const both = dyn_cast<llvm::BinaryOperator>(&value);
  return both != nullptr && both->isBitwiseLogicOp() &&
         std::ranges::all_of(both->operands(),
                             [](const llvm::Use& use) { return is_constant(*use) || is_condition(*use); });
}

// Follows integers from the functions that give them.
class Numbers {
public:
  Numbers(llvm::Function& f, const Kind& kind) : f_(f), kind_(kind), computes_(computes_floats(f)) {}

  uint64_t largest_local_size() const { return largest_local_size_; }

  bool reach_floats() {
    for (llvm::Instruction& i : llvm::instructions(f_)) {
      const auto* call = dyn_cast<llvm::CallBase>(&i);
      if (call != nullptr && kind_.is_asked_by(work_item_builtin(declared_callee(*call)))) add(i, false);
    }
    for (size_t seen = 0; seen < found_.size() && !reached_;) {
      while (seen < found_.size() && !reached_)
        follow(*found_[seen++]);
      from_memory();
      from_branches();
    }
    return reached_;
  }

private:
  void add(llvm::Value& value, bool divided) {
    if (is_float(value)) {
      reached_ = true;
      return;
    }
    const bool is_new = known_.insert(&value).second;
    if ((divided && divided_.insert(&value).second) || is_new) found_.push_back(&value);
  }

  void follow(llvm::Value& value) {
    const bool divided = divided_.contains(&value);
    for (const llvm::Use& use : value.uses()) {
      auto* const user = dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) continue;
      if (auto* const call = dyn_cast<llvm::CallBase>(user); call != nullptr && takes_address(*call))
        continue;
      if (computes_ && may_be_decided(use)) {
        reached_ = true;
        return;
      }
      if (auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (use.getOperandNo() == 0) memory_.insert(llvm::getUnderlyingObject(store->getPointerOperand()));
      } else if (auto* select = dyn_cast<llvm::SelectInst>(user)) {
        const bool chooses = use.getOperandNo() == 0;
        const bool of_constants =
            isa<llvm::Constant>(select->getTrueValue()) && isa<llvm::Constant>(select->getFalseValue());
        if (!chooses || !is_float(*select) || of_constants) add(*select, divided);
      } else if (user->isTerminator()) {
        branches_ = true;
      } else if (!isa<llvm::GetElementPtrInst, llvm::LoadInst>(user) && !user->getType()->isPointerTy() &&
                 !divides_unknown(use)) {
        add(*user, divided || is_small_division(*user));
      }
    }
  }

  // Whether a compiler that knows something of a number may know more of what is made of it than that it is
  // some number: that it is one of few, or whether a condition holds.
  bool may_be_decided(const llvm::Use& number) {
    const auto& user = *llvm::cast<llvm::Instruction>(number.getUser());
    if (is_condition(*number)) return false;
    const auto all_others_known = [&] {
      return std::ranges::all_of(user.operands(), [&](const llvm::Use& other) {
        return &other == &number || kind_.is_known(*other);
      });
    };
    switch (user.getOpcode()) {
    case llvm::Instruction::Trunc:
      return bits_of(user) < kWide;
    case llvm::Instruction::Call: {
      const auto& call = llvm::cast<llvm::CallBase>(user);
      if (is_conversion(call)) return bits_of(user) < kWide;
      return !gives_back_operand(declared_callee(call)) && all_others_known();
    }
    case llvm::Instruction::ICmp:
      return kind_.in_conditions && all_others_known() && !is_far_away(number);
    case llvm::Instruction::Switch:
      return kind_.in_conditions;
    case llvm::Instruction::Shl:
      return number.getOperandNo() == 1 && all_others_known();
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return all_others_known();
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv: {
      const bool stays_large = kind_.in_conditions && number.getOperandNo() == 0 && is_small_division(user) &&
                               !divided_.contains(number.get());
      return !stays_large && all_others_known();
    }
    default:
      return false;
    }
  }

  // The result is as unknown as what is divided.
  bool divides_unknown(const llvm::Use& number) const {
    const auto* const division = dyn_cast<llvm::BinaryOperator>(number.getUser());
    return kind_.in_conditions && division != nullptr && division->isIntDivRem() &&
           number.getOperandNo() == 1 && !kind_.is_known(*division->getOperand(0));
  }

  // What is divided so may still be one of many.
  static bool is_small_division(const llvm::Instruction& i) {
    constexpr uint64_t kMost = 64, kMostBits = 6;
    const bool shifts = i.getOpcode() == llvm::Instruction::LShr || i.getOpcode() == llvm::Instruction::AShr;
    if (!shifts && i.getOpcode() != llvm::Instruction::UDiv && i.getOpcode() != llvm::Instruction::SDiv)
      return false;
    const auto* const by = dyn_cast<llvm::ConstantInt>(i.getOperand(1));
    return by != nullptr && by->getLimitedValue() <= (shifts ? kMostBits : kMost);
  }

  // The sum of an id and sizes, as of a loop that goes on by the global size, is compared with a constant.
  // Known of it is that it is at least a few work-groups. Then a loop that may take more steps than are
  // unrolled stays a loop.
  bool is_far_away(const llvm::Use& number) {
    constexpr uint64_t kSteps = 16, kMost = uint64_t{1} << 24;
    const auto& compared = *llvm::cast<llvm::Instruction>(number.getUser());
    const auto* const constant = dyn_cast<llvm::ConstantInt>(compared.getOperand(1 - number.getOperandNo()));
    if (constant == nullptr || is_known(*number)) return false;
    const uint64_t most = constant->getLimitedValue();
    if (most < kSteps || most > kMost) return false;
    largest_local_size_ = std::min(largest_local_size_, most / kSteps);
    return true;
  }

  // An offset, or coordinates of a pixel, say where something is read.
  static bool takes_address(const llvm::CallBase& call) {
    return std::ranges::any_of(call.args(), [](const llvm::Use& argument) {
      return argument->getType()->isPointerTy() || argument->getType()->isTargetExtTy();
    });
  }

  // What is kept in private or local memory, or in a buffer, and loaded again.
  void from_memory() {
    for (llvm::Instruction& i : llvm::instructions(f_)) {
      auto* const load = dyn_cast<llvm::LoadInst>(&i);
      if (load != nullptr && memory_.contains(llvm::getUnderlyingObject(load->getPointerOperand())))
        add(i, true);
    }
  }

  // One of several constants, as a branch has chosen.
  void from_branches() {
    if (!branches_) return;
    for (llvm::Instruction& i : llvm::instructions(f_)) {
      const auto* const phi = dyn_cast<llvm::PHINode>(&i);
      if (phi == nullptr) continue;
      std::set<const llvm::Value*> constants;
      for (const llvm::Value* incoming : phi->incoming_values())
        if (isa<llvm::Constant>(incoming)) constants.insert(incoming);
      if (constants.size() > 1) add(i, true);
    }
  }

  llvm::Function& f_;
  const Kind& kind_;
  const bool computes_;  // else it does not matter what is decided
  std::vector<llvm::Value*> found_;
  std::set<const llvm::Value*> known_;    // all of these
  std::set<const llvm::Value*> divided_;  // of these: what may have been divided, by a small number
  std::set<const llvm::Value*> memory_;   // to which one was stored
  uint64_t largest_local_size_ = KernelInfo::kAnyLocalSize;
  bool branches_ = false;
  bool reached_ = false;
};

}  // namespace

void find_known_floats(llvm::Function& kernel, KernelInfo& info) {
  info.ids_in_floats = Numbers(kernel, kIdsAndSizes).reach_floats();
  Numbers sizes(kernel, kSizes);
  info.sizes_in_floats = sizes.reach_floats();
  info.largest_local_size = sizes.largest_local_size();
}

}  // namespace mkmd::compiler
