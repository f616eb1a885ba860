// SPDX-License-Identifier: Apache-2.0
// The numbers of OpenCL C's address spaces in LLVM's types, as Clang assigns them for SPIR.
#pragma once

namespace mkmd::compiler::address_space {

inline constexpr unsigned kPrivate = 0, kGlobal = 1, kConstant = 2, kLocal = 3, kGeneric = 4;

}  // namespace mkmd::compiler::address_space
