// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/atomics.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/helper/address_space.hpp"
#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::StringRef;
using Kind = Update::Kind;

// Null: it may lead elsewhere. OpenCL C 2.0 declares its atomic functions for generic pointers.
llvm::Value* as_global(llvm::Value* pointer) {
  if (auto* cast = dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) pointer = cast->getPointerOperand();
  return pointer->getType()->isPointerTy() &&
                 pointer->getType()->getPointerAddressSpace() == address_space::kGlobal
             ? pointer
             : nullptr;
}

// The type of number the first parameter points to, as mangled names spell it: "PU3AS1Vii" → 'i'. 0: none.
char pointee(StringRef parameters) {
  if (!parameters.consume_front("P")) return 0;
  while (!parameters.empty()) {
    unsigned length = 0;
    if (parameters.consume_front("U")) {
      if (parameters.consumeInteger(10, length) || length > parameters.size()) return 0;
      parameters = parameters.drop_front(length);
    } else if (!parameters.consume_front("V")) {
      return parameters[0];
    }
  }
  return 0;
}

Kind kind_of(StringRef operation, bool is_signed) {
  return llvm::StringSwitch<Kind>(operation)
      .Cases("add", "sub", "inc", "dec", Kind::add)
      .Case("and", Kind::bit_and)
      .Case("or", Kind::bit_or)
      .Case("xor", Kind::bit_xor)
      .Case("min", is_signed ? Kind::smin : Kind::umin)
      .Case("max", is_signed ? Kind::smax : Kind::umax)
      .Default(Kind::none);
}

// Less than the device: work-groups then do not see each other's operations as atomic.
bool has_small_scope(const llvm::CallBase& call) {
  constexpr unsigned kScope = 3;
  constexpr uint64_t kDevice = 2, kAllDevices = 3;
  if (call.arg_size() <= kScope) return false;
  const auto* scope = dyn_cast<llvm::ConstantInt>(call.getArgOperand(kScope));
  return scope == nullptr || (scope->getZExtValue() != kDevice && scope->getZExtValue() != kAllDevices);
}

AtomicOperation by_function(llvm::CallBase& call, llvm::Value* pointer) {
  const StringRef mangled = declared_callee(call), name = base_name(mangled);
  AtomicOperation of{pointer, {}, {}};
  const char number = pointee(parameters(mangled));
  const bool is_signed = number == 'i' || number == 'l';
  const Kind kind = kind_of(atomic_operation(name), is_signed);
  if (kind == Kind::none) {
    of.why_not = "what '" + name.str() + "' does to global memory depends on the order of work-items";
  } else if (!is_signed && number != 'j' && number != 'm') {
    of.why_not = "'" + name.str() + "' on global memory is for other numbers than integers";
  } else if (has_small_scope(call)) {
    of.why_not = "'" + name.str() + "' on global memory is not for the whole device";
  } else {
    of.update = {kind, number == 'i' || number == 'j' ? 4U : 8U};
  }
  return of;
}

}  // namespace

StringRef atomic_operation(StringRef name) {
  if (!name.consume_front("atom_") && !name.consume_front("atomic_fetch_")) name.consume_front("atomic_");
  name.consume_back("_explicit");
  return name;
}

std::optional<AtomicOperation> atomic_on_global_memory(llvm::Instruction& i) {
  auto* call = dyn_cast<llvm::CallBase>(&i);
  if (!call || call->arg_size() == 0 || !is_atomic(base_name(declared_callee(*call)))) return std::nullopt;
  llvm::Value* pointer = as_global(call->getArgOperand(0));
  if (!pointer) return std::nullopt;
  AtomicOperation of = by_function(*call, pointer);
  if (of.update.kind == Kind::none) return of;
  // Numbers that overlap in part would not commute.
  const llvm::Align align = llvm::getKnownAlignment(pointer, i.getModule()->getDataLayout(), &i);
  if (!i.use_empty()) {
    of.why_not = "the result of an atomic operation on global memory is used";
  } else if (align.value() < of.update.bytes) {
    of.why_not = "an atomic operation on global memory may be at an address that is not aligned";
  }
  if (!of.why_not.empty()) of.update = {};
  return of;
}

}  // namespace mkmd::compiler
