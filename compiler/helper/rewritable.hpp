// SPDX-License-Identifier: Apache-2.0
// Which programs a text with hidden arguments can stand for.
#pragma once

#include <string>

namespace clang {
class ASTContext;
}

namespace mkmd::compiler {

// Whatever begins with this is ours; a program that has such a name is left alone.
constexpr const char* kPrefix = "mkmd_";

// Why a text that is laid out anew, and whose functions have more parameters, would be another program;
// empty: it is the same.
std::string why_not_rewritable(clang::ASTContext& context);

}  // namespace mkmd::compiler
