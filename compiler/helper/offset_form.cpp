// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/offset_form.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/helper/builtins.hpp"

namespace mkmd::compiler {

std::string tells_part_from_whole(const llvm::Function& kernel) {
  for (const llvm::Instruction& i : llvm::instructions(kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr || call->use_empty()) continue;
    const llvm::StringRef callee = declared_callee(*call);
    switch (work_item_builtin(callee)) {
    case Builtin::none:       // a function of its operands and of memory
    case Builtin::global_id:  // the offset is in it
    case Builtin::local_id:
    case Builtin::local_size:
    case Builtin::local_linear_id:
    case Builtin::work_dim:
      break;
    default:
      return base_name(callee).str();
    }
  }
  return {};
}

}  // namespace mkmd::compiler
