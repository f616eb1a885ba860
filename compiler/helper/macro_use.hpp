// SPDX-License-Identifier: Apache-2.0
// MacroUse: which predefined macros a program's text tests or expands. Clang's macros differ from those of
// a device's compiler. So the device is asked for each of them before the program is compiled for it.
#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <llvm/ADT/ArrayRef.h>
#include <set>
#include <string>

#include "compiler/request.hpp"

namespace clang {
class MacroInfo;
class Preprocessor;
class Token;
}  // namespace clang

namespace mkmd::compiler {

constexpr const char* kMacrosFile = "/mkmd-macros.h";  // nowhere but in the front end

// Text to be included after the front end's own headers and before the program. It has the device's macros
// without those of `fixed`, which the build options define or undefine.
std::string macro_definitions(const Macros& macros, const std::set<std::string>& fixed);

class MacroUse : public clang::PPCallbacks {
public:
  struct Found {
    std::set<std::string> wanted;  // the device is to be asked
    std::string unanswerable;      // what each compiler answers in its own way; empty: nothing
    void cannot_answer(const std::string& what) {  // the first one is kept
      if (unanswerable.empty()) unanswerable = what;
    }
  };

  // `fixed`: names that the program's own build options define or undefine.
  MacroUse(clang::Preprocessor& preprocessor, const Macros& known, std::set<std::string> fixed, Found& found)
      : preprocessor_(preprocessor), known_(known), fixed_(std::move(fixed)), found_(found) {}

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                    clang::SourceRange range, const clang::MacroArgs* arguments) override;
  void Defined(const clang::Token& name, const clang::MacroDefinition& definition,
               clang::SourceRange range) override;
  void Ifdef(clang::SourceLocation at, const clang::Token& name,
             const clang::MacroDefinition& definition) override;
  void Ifndef(clang::SourceLocation at, const clang::Token& name,
              const clang::MacroDefinition& definition) override;
  void Elifdef(clang::SourceLocation at, const clang::Token& name,
               const clang::MacroDefinition& definition) override;
  void Elifndef(clang::SourceLocation at, const clang::Token& name,
                const clang::MacroDefinition& definition) override;
  void If(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind value) override;
  void Elif(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind value,
            clang::SourceLocation if_at) override;

private:
  enum class Origin { program, predefined, header };
  Origin origin(clang::SourceLocation at) const;
  void consider(llvm::StringRef name, const clang::MacroInfo* macro, bool tested);
  void ask(const std::string& name);
  void consider_fixed(const std::string& name);
  void scan_condition(clang::SourceLocation at, clang::SourceRange condition);
  void consider_undefined(llvm::ArrayRef<clang::Token> tokens);
  void consider_as_text(const clang::MacroArgs& arguments);
  bool stands_in_header(const clang::Token& token) const;
  void scan_body(const clang::MacroInfo& macro);
  const clang::MacroInfo* macro_named(llvm::StringRef name) const;

  clang::Preprocessor& preprocessor_;
  const Macros& known_;
  const std::set<std::string> fixed_;
  std::set<const clang::MacroInfo*> scanned_;
  clang::SourceLocation last_pasting_;  // of an expansion that makes names
  Found& found_;
};

}  // namespace mkmd::compiler
