// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/safety.hpp"

#include <algorithm>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <set>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/arguments.hpp"
#include "compiler/helper/atomics.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/il_unit.hpp"
#include "compiler/helper/images.hpp"
#include "compiler/helper/own_memory.hpp"
#include "compiler/helper/source_line.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

class Checker {
public:
  Checker(llvm::Function& f, KernelInfo& info) : f_(f), info_(info) {}

  void run() {
    // Nothing that is found of it counts.
    if (f_.hasFnAttribute(kRunsWhole)) refuse_any(f_.getFnAttribute(kRunsWhole).getValueAsString().str(), 0);
    for (const Argument& a : info_.arguments) {
      if (a.kind == Argument::Kind::other)
        refuse("argument '" + a.name + "' is of a kind that is not supported", 0);
      if (a.kind == Argument::Kind::local) info_.uses_local_shape = true;
    }
    // Its copy is each work-item's own, but drivers (PoCL 3.1) give one to a whole work-group, depending on
    // how far they optimise. Only the program's own code then does what the program does.
    for (const llvm::Argument& a : f_.args())
      if (a.hasByValAttr() && !stays_as_passed(a))
        refuse("the struct argument '" + a.getName().str() + "' is changed", 0);
    for (llvm::Instruction& i : llvm::instructions(f_))
      visit(i);
    if (const llvm::Instruction* i = pointer_kept_as_something_else(f_))
      refuse_any("a pointer is read or written as something else", line_of(*i));
    for (const llvm::GlobalVariable* g : locals_)
      info_.local_bytes +=
          f_.getParent()->getDataLayout().getTypeAllocSize(g->getValueType()).getFixedValue();
  }

private:
  // One device has to run all work-items, whichever it is.
  void refuse_cuts(const std::string& text, int line) {
    if (std::ranges::none_of(info_.reasons, [&](const Reason& r) { return r.text == text; }))
      info_.reasons.push_back({text, line});
  }

  // Only the program's own code at home does what the program does.
  void refuse(const std::string& text, int line) {
    info_.runs_anywhere = false;
    refuse_cuts(text, line);
  }

  // It may touch any buffer there is, or let others do so.
  void refuse_any(const std::string& text, int line) {
    info_.any_buffer = true;
    refuse(text, line);
  }

  void visit(llvm::Instruction& i) {
    const int line = line_of(i);
    if (i.getType()->getScalarType()->isDoubleTy()) info_.uses_fp64 = true;
    for (llvm::Value* operand : i.operands())
      visit_operand(operand, line);
    if (const auto atomic = atomic_on_global_memory(i)) {
      if (atomic->why_not.empty()) return;
      refuse_cuts(atomic->why_not, line);
    }
    if (auto* load = dyn_cast<llvm::LoadInst>(&i)) {
      if (load->isAtomic() && may_be_global(load->getPointerOperand()))
        refuse_cuts("atomics on global memory that are none of OpenCL C's functions", line);
      if (load->getType()->isPointerTy() &&
          !(leads_to_own_memory(load->getType()) && leads_to_own_memory(load->getPointerOperandType())))
        refuse_any("a pointer is loaded from memory", line);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&i)) {
      if (store->isAtomic() && may_be_global(store->getPointerOperand()))
        refuse_cuts("atomics on global memory that are none of OpenCL C's functions", line);
      const llvm::Type* stored = store->getValueOperand()->getType()->getScalarType();
      if (stored->isPointerTy() &&
          !(leads_to_own_memory(stored) && leads_to_own_memory(store->getPointerOperandType())))
        refuse_any("a pointer is stored to memory", line);
    } else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) {
      if (may_be_global(i.getOperand(0)))
        refuse_cuts("atomics on global memory that are none of OpenCL C's functions", line);
    } else if (isa<llvm::IntToPtrInst>(i)) {
      refuse_any("an integer is turned into a pointer", line);
    } else if (isa<llvm::PtrToIntInst>(i)) {
      refuse_any("a pointer is turned into an integer", line);
    } else if (auto* call = dyn_cast<llvm::CallBase>(&i)) {
      visit_call(*call, line);
    } else {
      visit_cast(i, line);
    }
    if (waits_for_copies(i)) return;
    for (llvm::Value* operand : i.operands())
      if (operand->getType()->isPointerTy() &&
          operand->getType()->getPointerAddressSpace() == address_space::kGeneric &&
          !isa<llvm::AddrSpaceCastInst>(i))
        refuse_any("a generic pointer is used", line);
  }

  // Instructions and constants.
  void visit_cast(llvm::Value& v, int line) {
    if (auto* cast = dyn_cast<llvm::AddrSpaceCastOperator>(&v); cast && leads_to_own_memory(cast->getType()))
      refuse_any("a pointer is turned into one to private or local memory", line);
  }

  void visit_operand(llvm::Value* v, int line) {
    if (auto* expression = dyn_cast<llvm::ConstantExpr>(v)) {
      if (expression->getOpcode() == llvm::Instruction::IntToPtr)
        refuse_any("an integer is turned into a pointer", line);
      visit_cast(*expression, line);
      for (llvm::Value* o : expression->operands())
        visit_operand(o, line);
      return;
    }
    auto* g = dyn_cast<llvm::GlobalVariable>(v);
    if (!g) return;
    if (g->getAddressSpace() == address_space::kLocal) {
      locals_.insert(g);
      info_.uses_local_shape = true;
    } else if (g->isDeclaration()) {
      refuse("the variable '" + g->getName().str() + "' is not known", line);
    } else if (!g->isConstant()) {
      refuse("a program-scope variable ('" + g->getName().str() + "') is used", line);
    }
  }

  // Takes a pointer to events only, and clang declares it for a generic one in all versions of OpenCL C.
  static bool waits_for_copies(const llvm::Instruction& i) {
    const auto* call = dyn_cast<llvm::CallBase>(&i);
    return call && base_name(declared_callee(*call)) == "wait_group_events";
  }

  void visit_call(llvm::CallBase& call, int line) {
    if (call.isInlineAsm()) return refuse_any("inline assembly", line);
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return refuse_any("a function is called through a pointer", line);
    if (callee->isIntrinsic()) {
      if (!isa<llvm::MemIntrinsic>(call) && callee->getIntrinsicID() != llvm::Intrinsic::trap &&
          !call.onlyAccessesInaccessibleMemory() &&
          !isa<llvm::LifetimeIntrinsic, llvm::DbgInfoIntrinsic>(call))
        refuse("the function '" + callee->getName().str() + "' is not known", line);
      return;
    }
    if (!callee->isDeclaration())
      return refuse_any("the function '" + callee->getName().str() +
                            "' could not be inlined (recursion, or too much code)",
                        line);
    const llvm::StringRef mangled = callee->getName(), name = base_name(mangled);
    const Builtin asked = work_item_builtin(mangled);
    switch (asked) {
    case Builtin::local_id:
    case Builtin::local_size:
    case Builtin::group_id:
    case Builtin::num_groups:
    case Builtin::local_linear_id:
      info_.uses_local_shape = true;
      break;
    default:
      break;
    }
    if (name == "barrier" || name == "work_group_barrier" || name.starts_with("async_work_group"))
      info_.uses_local_shape = true;
    for (const llvm::Type* type : callee->getFunctionType()->params())
      if (type->isPointerTy() && type->getPointerAddressSpace() == address_space::kGeneric &&
          !waits_for_copies(call))
        return refuse_any("'" + name.str() + "' is given a generic pointer", line);
    if (is_atomic(name)) {
      if (mangled.contains("atomic_") && mangled.contains("_explicit"))
        return refuse_cuts("C11 atomics", line);
      info_.uses_local_shape = true;
      return;
    }
    if (name == "printf" || mangled == "printf") return refuse("printf", line);
    if (const auto image = image_call(call);
        image && (image->use == ImageCall::Use::unknown || !image->image))
      return refuse("it is not known what '" + name.str() + "' does to an image", line);
    if (name.contains("pipe") || name.contains("enqueue") || name.contains("work_group_"))
      if (!name.starts_with("async_work_group") && name != "work_group_barrier" &&
          work_item_builtin(mangled) == Builtin::none)
        return refuse("'" + name.str() + "' is not supported", line);
    if (!is_plain_builtin(mangled)) return refuse("the function '" + mangled.str() + "' is not known", line);
    for (const llvm::Value* operand : call.args()) {
      if (!operand->getType()->isPointerTy() || !may_be_global(operand)) continue;
      if (!pointer_uses(call))
        return refuse("'" + name.str() + "' is given a pointer to global memory", line);
    }
  }

  llvm::Function& f_;
  KernelInfo& info_;
  std::set<const llvm::GlobalVariable*> locals_;
};

}  // namespace

void check_safety(llvm::Function& kernel, KernelInfo& info) {
  Checker(kernel, info).run();
}

}  // namespace mkmd::compiler
