// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/folded_products.hpp"

#include <algorithm>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/known_numbers.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

using llvm::dyn_cast;
using llvm::isa;

bool is_any_of(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return std::ranges::find(names, name) != names.end();
}

// Functions whose result has the same bits whoever computes it.
bool is_exact_function(llvm::StringRef name) {
  for (const char* prefix :
       {"as_", "convert_", "is", "shuffle", "vload", "vstore", "read_image", "get_image"})
    if (name.starts_with(prefix)) return true;
  return is_any_of(name, {"fabs",   "sqrt",      "fmin",         "fmax",    "min",  "max",       "clamp",
                          "floor",  "ceil",      "trunc",        "round",   "rint", "sign",      "step",
                          "select", "bitselect", "copysign",     "signbit", "fma",  "nextafter", "fdim",
                          "maxmag", "minmag",    "write_imagef", "any",     "all"});
}

bool may_round_product(const KnownNumbers& numbers, const llvm::Value& a, const llvm::Value& b) {
  return (numbers.may_be_known(a) || numbers.may_be_known(b)) && numbers.of(a).constants == Constants::any &&
         numbers.of(b).constants == Constants::any;
}

// Whether it may be constant, and too large for an integer.
bool may_be_large(const KnownNumbers& numbers, const llvm::Value& value) {
  return is_float(value) && numbers.may_be_known(value) && numbers.of(value).constants == Constants::any;
}

bool is_summed(const llvm::Instruction& product) {
  return std::ranges::any_of(product.users(), [](const llvm::User* user) {
    const auto* const i = dyn_cast<llvm::Instruction>(user);
    return i != nullptr &&
           (i->getOpcode() == llvm::Instruction::FAdd || i->getOpcode() == llvm::Instruction::FSub ||
            i->getOpcode() == llvm::Instruction::FNeg);
  });
}

bool is_folded(const llvm::Instruction& i, const KnownNumbers& numbers) {
  switch (i.getOpcode()) {
  case llvm::Instruction::FMul:
    return is_summed(i) && may_round_product(numbers, *i.getOperand(0), *i.getOperand(1));
  case llvm::Instruction::FPToSI:
  case llvm::Instruction::FPToUI:
    return may_be_large(numbers, *i.getOperand(0));
  default:
    break;
  }
  const auto* const call = dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) return false;
  if (sums_products(*call))
    return is_float(i) && may_round_product(numbers, *call->getArgOperand(0), *call->getArgOperand(1));
  const llvm::StringRef mangled = declared_callee(*call), name = base_name(mangled);
  if (name.starts_with("convert_") && !is_float(i)) return may_be_large(numbers, *call->getArgOperand(0));
  if (isa<llvm::IntrinsicInst>(call) || gives_back_operand(mangled) || is_exact_function(name) ||
      is_atomic(name))
    return false;
  const auto is_float_argument = [](const llvm::Use& argument) { return is_float(*argument); };
  if (!is_float(i) && std::ranges::none_of(call->args(), is_float_argument)) return false;
  return std::ranges::any_of(call->args(),
                             [&](const llvm::Use& argument) { return numbers.may_be_known(*argument); });
}

}  // namespace

const llvm::Instruction* folded_product(const llvm::Function& kernel, LocalSize local_size) {
  const KnownNumbers numbers(kernel, local_size);
  for (const llvm::Instruction& i : llvm::instructions(kernel))
    if (is_folded(i, numbers)) return &i;
  return nullptr;
}

}  // namespace mkmd::compiler
