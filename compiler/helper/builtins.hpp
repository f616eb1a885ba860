// SPDX-License-Identifier: Apache-2.0
// What the helper knows about OpenCL's builtin functions by their mangled names.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>
#include <optional>

namespace mkmd::compiler {

// "_Z13get_global_idj" → "get_global_id"; a name that is not mangled stays as it is.
llvm::StringRef base_name(llvm::StringRef mangled);
llvm::StringRef parameters(llvm::StringRef mangled);  // what follows the name: "j"

enum class Builtin {
  none,
  global_id,
  group_id,
  local_id,
  global_size,
  num_groups,
  local_size,
  global_offset,
  global_linear_id,
  local_linear_id,
  work_dim,
};
Builtin work_item_builtin(llvm::StringRef mangled);

// The callee's name if a call goes to a function without a body, else empty.
llvm::StringRef declared_callee(const llvm::CallBase& call);

// Reads or writes of memory by a builtin with a pointer operand, so many bytes from it (vload4, vstore_half,
// fract …).
struct PointerUse {
  unsigned operand = 0;
  bool reads = false, writes = false;
  int64_t bytes = 0;
  int64_t sure_bytes = -1;  // what a write certainly writes of them; -1: all
  int offset_operand = -1;  // index in units of `bytes` (vloadn); -1: none
  int64_t unit = 0;         // bytes per index of offset_operand
  int count_operand = -1;   // async copies: so many elements of `bytes`
  int stride_operand = -1;  // strided async copies: distance of elements, in elements
};
// All pointer operands of a known builtin; nothing if it is not known what the function does with them.
std::optional<std::vector<PointerUse>> pointer_uses(const llvm::CallBase& call);

// Functions that only compute, so a kernel that calls them can be split.
bool is_plain_builtin(llvm::StringRef mangled);
// Whether OpenCL C may have a function of this name. Says so of some others, too.
bool is_builtin_name(llvm::StringRef name);
bool is_atomic(llvm::StringRef base);

}  // namespace mkmd::compiler
