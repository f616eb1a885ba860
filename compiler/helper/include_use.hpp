// SPDX-License-Identifier: Apache-2.0
// IncludeUse: which files a program includes. Compilers search the current folder, the folder of the file
// that includes, embedded headers and the folders of the options in orders of their own.
#pragma once

#include <clang/Lex/PPCallbacks.h>

#include "compiler/helper/macro_use.hpp"

namespace mkmd::compiler {

class IncludeUse : public clang::PPCallbacks {
public:
  IncludeUse(clang::Preprocessor& preprocessor, MacroUse::Found& found)
      : preprocessor_(preprocessor), found_(found) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token& directive, llvm::StringRef name,
                          bool angled, clang::CharSourceRange range, clang::OptionalFileEntryRef file,
                          llvm::StringRef search_path, llvm::StringRef relative_path,
                          const clang::Module* module,
#if LLVM_VERSION_MAJOR >= 19
                          bool imported,
#endif
                          clang::SrcMgr::CharacteristicKind kind) override;

private:
  bool is_one_file(llvm::StringRef name, llvm::StringRef includer) const;

  clang::Preprocessor& preprocessor_;
  MacroUse::Found& found_;
};

}  // namespace mkmd::compiler
