// SPDX-License-Identifier: Apache-2.0
// The version of the helper's answers.
#pragma once

namespace mkmd::compiler {

// Part of every key: raise it when the same request would now be answered differently.
inline constexpr const char* kHelperVersion = "mkmd-kc 36";

}  // namespace mkmd::compiler
