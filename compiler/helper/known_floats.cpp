// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/known_floats.hpp"

#include <algorithm>
#include <iterator>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <map>
#include <set>
#include <vector>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/undecided.hpp"

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

// The object that a pointer leads into, if it is a buffer of the program's.
const llvm::Argument* buffer_of(const llvm::Value& pointer) {
  const auto* const argument = dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(&pointer, 0));
  if (argument == nullptr || !argument->getType()->isPointerTy()) return nullptr;
  const unsigned space = argument->getType()->getPointerAddressSpace();
  return space == address_space::kGlobal || space == address_space::kConstant ? argument : nullptr;
}

// Whether pointers are compared, or made numbers.
bool compares_pointers(const llvm::Function& f) {
  return std::ranges::any_of(llvm::instructions(f), [](const llvm::Instruction& i) {
    return isa<llvm::PtrToIntInst>(i) ||
           (isa<llvm::ICmpInst>(i) && i.getOperand(0)->getType()->isPtrOrPtrVectorTy());
  });
}

// The sizes and the loop variables in an address.
class SizesIn {
public:
  explicit SizesIn(const llvm::Value& pointer) {
    const llvm::Value* at = &pointer;
    for (; isa<llvm::GetElementPtrInst>(at);
         at = llvm::cast<llvm::GetElementPtrInst>(at)->getPointerOperand())
      for (const llvm::Use& index : llvm::cast<llvm::GetElementPtrInst>(at)->indices())
        visit(*index);
    is_whole_ = isa<llvm::Argument>(at);
  }
  // Whether the distance of the two addresses says nothing of sizes.
  bool are_also_in(const SizesIn& other) const {
    return is_whole_ && other.is_whole_ && sizes_ == other.sizes_ && variables_ == other.variables_;
  }

private:
  void visit(const llvm::Value& value) {
    const auto* const i = dyn_cast<llvm::Instruction>(&value);
    if (i == nullptr || isa<llvm::LoadInst>(i) || !seen_.insert(i).second) return;
    if (const auto* call = dyn_cast<llvm::CallBase>(i); call != nullptr) {
      const Builtin asked = work_item_builtin(declared_callee(*call));
      if (is_size(asked)) sizes_.insert({asked, call->arg_empty() ? nullptr : call->getArgOperand(0)});
      if (asked != Builtin::none) return;
    }
    if (isa<llvm::PHINode>(i)) {
      variables_.insert(i);
      return;
    }
    for (const llvm::Use& operand : i->operands())
      visit(*operand);
  }

  std::set<std::pair<Builtin, const llvm::Value*>> sizes_;
  std::set<const llvm::Instruction*> variables_, seen_;
  bool is_whole_ = false;  // all of the address was seen
};

// Buffers that the kernel reads and writes, where the distance of two accesses may follow from a size.
std::set<const llvm::Argument*> changed_in_place(const llvm::Function& f) {
  std::set<const llvm::Argument*> read, written, both;
  std::map<const llvm::Argument*, SizesIn> sizes;
  std::set<const llvm::Argument*> apart;
  const auto note = [&](std::set<const llvm::Argument*>& buffers, const llvm::Value& pointer) {
    const llvm::Argument* const buffer = buffer_of(pointer);
    if (buffer == nullptr) return;
    buffers.insert(buffer);
    const SizesIn here(pointer);
    if (!sizes.try_emplace(buffer, here).first->second.are_also_in(here)) apart.insert(buffer);
  };
  for (const llvm::Instruction& i : llvm::instructions(f)) {
    if (const auto* load = dyn_cast<llvm::LoadInst>(&i)) {
      note(read, *load->getPointerOperand());
    } else if (const auto* store = dyn_cast<llvm::StoreInst>(&i)) {
      note(written, *store->getPointerOperand());
    } else if (isa<llvm::CallBase, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) {
      const auto* const call = dyn_cast<llvm::CallBase>(&i);
      const bool loads = call != nullptr && base_name(declared_callee(*call)).starts_with("vload");
      const bool stores = call != nullptr && base_name(declared_callee(*call)).starts_with("vstore");
      for (const llvm::Use& operand : i.operands()) {
        if (!operand->getType()->isPointerTy()) continue;
        if (const llvm::Argument* buffer = buffer_of(*operand); buffer != nullptr) apart.insert(buffer);
        if (!stores) note(read, *operand);
        if (!loads) note(written, *operand);
      }
    }
  }
  std::ranges::set_intersection(read, written, std::inserter(both, both.end()));
  std::erase_if(both, [&](const llvm::Argument* buffer) { return !apart.contains(buffer); });
  return both;
}

// The result of comparisons. What could be decided of it could be of those.
bool is_condition(const llvm::Value& value) {
  if (value.getType()->isIntOrIntVectorTy(1)) return true;
  if (isa<llvm::ZExtInst, llvm::SExtInst>(value))
    return is_condition(*llvm::cast<llvm::Instruction>(value).getOperand(0));
  const auto* const both = dyn_cast<llvm::BinaryOperator>(&value);
  return both != nullptr && both->isBitwiseLogicOp() &&
         std::ranges::all_of(both->operands(), [](const llvm::Use& use) {
           return isa<llvm::Constant>(use) || is_condition(*use);
         });
}

// Follows integers from the functions that give them. A float follows from one if it is computed from it. All
// else must be such that nothing is decided, whatever a compiler knows of the integer.
class Numbers {
public:
  Numbers(llvm::Function& f, Known what)
      : f_(f), what_(what), computes_(computes_floats(f)), compares_pointers_(compares_pointers(f)),
        in_place_(what == Known::sizes ? changed_in_place(f) : std::set<const llvm::Argument*>{}) {}

  uint64_t largest_local_size() const { return largest_local_size_; }

  bool reach_floats() {
    for (llvm::Instruction& i : llvm::instructions(f_)) {
      const auto* call = dyn_cast<llvm::CallBase>(&i);
      if (call == nullptr) continue;
      const Builtin asked = work_item_builtin(declared_callee(*call));
      if (what_ == Known::sizes ? is_size(asked) : is_id_or_size(asked)) add(i);
    }
    for (size_t seen = 0; seen < found_.size() && !reached_;) {
      while (seen < found_.size() && !reached_)
        follow(*found_[seen++]);
      from_memory();
    }
    return reached_;
  }

private:
  void add(llvm::Value& value) {
    if (is_float(value)) {
      reached_ = true;
    } else if (known_.insert(&value).second) {
      found_.push_back(&value);
    }
  }

  void follow(llvm::Value& value) {
    for (const llvm::Use& use : value.uses()) {
      auto* const user = dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) continue;
      if (computes_ && may_decide(use, *user)) {
        reached_ = true;
        return;
      }
      if (auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (use.getOperandNo() == 0) memory_.insert(llvm::getUnderlyingObject(store->getPointerOperand()));
        continue;
      }
      const auto* const call = dyn_cast<llvm::CallBase>(user);
      if (call != nullptr && use.getOperandNo() == 0 &&
          base_name(declared_callee(*call)).starts_with("vstore"))
        memory_.insert(llvm::getUnderlyingObject(call->getArgOperand(call->arg_size() - 1)));
      const bool is_address = isa<llvm::GetElementPtrInst>(user) || (call != nullptr && takes_address(*call));
      const bool chooses = isa<llvm::SelectInst>(user) && use.getOperandNo() == 0;
      if (!is_address && !chooses && !user->isTerminator() && !isa<llvm::ICmpInst>(user)) add(*user);
    }
  }

  // Whether a compiler that knows something of a number may decide a condition by it, or which element of
  // some memory of the kernel's own is meant.
  bool may_decide(const llvm::Use& number, const llvm::Instruction& user) {
    if (is_condition(*number)) return false;
    if (const auto* compared = dyn_cast<llvm::ICmpInst>(&user)) {
      if (is_undecided(*compared, what_)) return false;
      const uint64_t most = what_ == Known::sizes ? compiler::largest_local_size(*compared) : 0;
      largest_local_size_ = std::min(largest_local_size_, most);
      return most == 0;
    }
    if (isa<llvm::SwitchInst, llvm::IntToPtrInst>(user)) return true;
    if (isa<llvm::TruncInst>(user)) return user.getType()->isIntOrIntVectorTy(1);
    if (const auto* address = dyn_cast<llvm::GetElementPtrInst>(&user))
      return !may_be_at(*address->getPointerOperand());
    const auto* const call = dyn_cast<llvm::CallBase>(&user);
    return call != nullptr && takes_address(*call) &&
           std::ranges::any_of(call->args(), [this](const llvm::Use& argument) {
             return argument->getType()->isPointerTy() && !may_be_at(*argument);
           });
  }

  // An element of a buffer may have any value. But a compiler that knows that two elements differ may keep
  // one of them while it stores to the other. The local size has no part in that.
  bool may_be_at(const llvm::Value& pointer) const {
    const llvm::Argument* const buffer = buffer_of(pointer);
    return buffer != nullptr && !compares_pointers_ && !in_place_.contains(buffer);
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
      if (load != nullptr && memory_.contains(llvm::getUnderlyingObject(load->getPointerOperand()))) add(i);
    }
  }

  llvm::Function& f_;
  const Known what_;
  const bool computes_;  // else it does not matter what is decided
  const bool compares_pointers_;
  const std::set<const llvm::Argument*> in_place_;  // of no interest for ids
  std::vector<llvm::Value*> found_;
  std::set<const llvm::Value*> known_;   // all of these
  std::set<const llvm::Value*> memory_;  // to which one was stored
  uint64_t largest_local_size_ = KernelInfo::kAnyLocalSize;
  bool reached_ = false;
};

}  // namespace

void find_known_floats(llvm::Function& kernel, KernelInfo& info) {
  info.ids_in_floats = Numbers(kernel, Known::ids).reach_floats();
  Numbers sizes(kernel, Known::sizes);
  info.sizes_in_floats = sizes.reach_floats();
  info.largest_local_size = sizes.largest_local_size();
}

}  // namespace mkmd::compiler
