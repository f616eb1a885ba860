// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/known_floats.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <set>
#include <vector>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/builtins.hpp"

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

// Follows integers from the functions that give them.
class Numbers {
public:
  Numbers(llvm::Function& f, bool (*counts)(Builtin)) : f_(f), counts_(counts) {}

  bool reach_floats() {
    for (llvm::Instruction& i : llvm::instructions(f_)) {
      const auto* call = dyn_cast<llvm::CallBase>(&i);
      if (call != nullptr && counts_(work_item_builtin(declared_callee(*call)))) add(i);
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
      if (auto* store = dyn_cast<llvm::StoreInst>(user)) {
        if (use.getOperandNo() == 0) memory_.insert(llvm::getUnderlyingObject(store->getPointerOperand()));
      } else if (auto* select = dyn_cast<llvm::SelectInst>(user)) {
        const bool chooses = use.getOperandNo() == 0;
        const bool of_constants =
            isa<llvm::Constant>(select->getTrueValue()) && isa<llvm::Constant>(select->getFalseValue());
        if (!chooses || !is_float(*select) || of_constants) add(*select);
      } else if (auto* call = dyn_cast<llvm::CallBase>(user)) {
        if (!takes_address(*call)) add(*call);
      } else if (user->isTerminator()) {
        branches_ = true;
      } else if (!isa<llvm::GetElementPtrInst, llvm::LoadInst>(user) && !user->getType()->isPointerTy()) {
        add(*user);
      }
    }
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

  // One of several constants, as a branch has chosen.
  void from_branches() {
    if (!branches_) return;
    for (llvm::Instruction& i : llvm::instructions(f_)) {
      const auto* const phi = dyn_cast<llvm::PHINode>(&i);
      if (phi == nullptr) continue;
      std::set<const llvm::Value*> constants;
      for (const llvm::Value* incoming : phi->incoming_values())
        if (isa<llvm::Constant>(incoming)) constants.insert(incoming);
      if (constants.size() > 1) add(i);
    }
  }

  llvm::Function& f_;
  bool (*const counts_)(Builtin);
  std::vector<llvm::Value*> found_;
  std::set<const llvm::Value*> known_;   // all of these
  std::set<const llvm::Value*> memory_;  // to which one was stored
  bool branches_ = false;
  bool reached_ = false;
};

}  // namespace

void find_known_floats(llvm::Function& kernel, KernelInfo& info) {
  info.ids_in_floats = Numbers(kernel, is_id_or_size).reach_floats();
  info.sizes_in_floats = info.ids_in_floats && Numbers(kernel, is_size).reach_floats();
}

}  // namespace mkmd::compiler
