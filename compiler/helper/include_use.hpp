// SPDX-License-Identifier: Apache-2.0
// IncludeUse: which files a program includes. Compilers search the current folder, the folder of the file
// that includes, embedded headers and the folders of the options in orders of their own.
#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <string>

namespace clang {
class Preprocessor;
}

namespace mkmd::compiler {

class IncludeUse : public clang::PPCallbacks {
public:
  // `unanswerable`: what each compiler answers in its own way; it is not touched where it says something
  // already.
  IncludeUse(clang::Preprocessor& preprocessor, std::string& unanswerable)
      : preprocessor_(preprocessor), unanswerable_(unanswerable) {}

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
  std::string& unanswerable_;
};

}  // namespace mkmd::compiler
