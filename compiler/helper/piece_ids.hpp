// SPDX-License-Identifier: Apache-2.0
// What work-item functions are in a piece: text from the hidden arguments of compiler/kernel_info.hpp. A
// global id has two forms (kByOffset in compiler/build_options.hpp).
#pragma once

#include <llvm/ADT/StringRef.h>
#include <set>
#include <string>

namespace mkmd::compiler {

// Macros for lists of them: a program's functions stay readable. Of keywords only: a parameter may be called
// ulong.
inline constexpr const char* kParameters = "mkmd_parameters";
inline constexpr const char* kArguments = "mkmd_arguments";
inline constexpr const char* kLinearId = "get_global_linear_id";

// The macros that all of this text needs.
std::string text_ahead();

// Whether its result differs between a piece and the whole launch.
bool is_work_item_function(llvm::StringRef name);

// Text of ours calls OpenCL's function of that name, wherever it stands in the program's.
bool is_called_by_us(llvm::StringRef name);

// In place of a call of that work-item function. The dimension is 0, 1 or 2. get_global_linear_id() has none.
std::string in_piece(llvm::StringRef name, unsigned dimension);
std::string linear_id();

// For calls whose dimension is known when they run only. Of a dimension there is not, the device itself says
// what it says of it in the whole launch. Each unit has its own.
std::string functions_of_any_dimension(const std::set<std::string>& names);

}  // namespace mkmd::compiler
