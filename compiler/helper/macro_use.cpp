// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/macro_use.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include "compiler/helper/half_memory.hpp"

namespace mkmd::compiler {
namespace {

// Defined by the front end for its own ends; no program can tell.
bool is_own(llvm::StringRef name) {
  return name == "inline";
}

}  // namespace

std::string macro_definitions(const Macros& macros) {
  std::string text;
  for (const auto& [name, value] : macros) {
    // Other names are those of the OpenCL headers, whose values belong to the header that is used.
    const bool predefined = name.starts_with("_") || name.starts_with("cl_");
    if (!value)
      text += "#undef " + name + "\n";
    else if (predefined)
      text += "#undef " + name + "\n#define " + name + " " + *value + "\n";
    else
      text += "#ifndef " + name + "\n#define " + name + " " + *value + "\n#endif\n";
  }
  return text;
}

MacroUse::Origin MacroUse::origin(clang::SourceLocation at) const {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::SourceLocation file = sources.getExpansionLoc(at);
  if (file.isInvalid() || sources.isWrittenInBuiltinFile(file) || sources.isWrittenInCommandLineFile(file))
    return Origin::predefined;
  const llvm::StringRef path = sources.getFilename(file);
  if (path == kMacrosFile) return Origin::predefined;
  return path == kHalfMemoryFile || path.startswith(MKMD_CLANG_RESOURCES) ? Origin::header : Origin::program;
}

const clang::MacroInfo* MacroUse::macro_named(llvm::StringRef name) const {
  const clang::IdentifierInfo* identifier = preprocessor_.getIdentifierInfo(name);
  return identifier && identifier->hasMacroDefinition() ? preprocessor_.getMacroInfo(identifier) : nullptr;
}

void MacroUse::consider(llvm::StringRef name, const clang::MacroInfo* macro, bool tested) {
  if (is_own(name) || fixed_.contains(name.str()) || name == "defined") return;
  if (macro && macro->isBuiltinMacro()) {
    // Lines are the same for every compiler. Everything else a compiler is asked about itself is not.
    if (name != "__LINE__" && found_.unanswerable.empty()) found_.unanswerable = name.str();
    return;
  }
  if (macro && origin(macro->getDefinitionLoc()) == Origin::program) return;
  if (!tested && (!macro || origin(macro->getDefinitionLoc()) == Origin::header)) return;
  if (!known_.contains(name.str())) found_.wanted.insert(name.str());
}

void MacroUse::MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                            clang::SourceRange range, const clang::MacroArgs*) {
  if (origin(range.getBegin()) == Origin::program)
    consider(name.getIdentifierInfo()->getName(), definition.getMacroInfo(), false);
}

void MacroUse::Defined(const clang::Token& name, const clang::MacroDefinition& definition,
                       clang::SourceRange range) {
  if (origin(range.getBegin()) == Origin::program)
    consider(name.getIdentifierInfo()->getName(), definition.getMacroInfo(), true);
}

void MacroUse::Ifdef(clang::SourceLocation at, const clang::Token& name,
                     const clang::MacroDefinition& definition) {
  if (origin(at) == Origin::program)
    consider(name.getIdentifierInfo()->getName(), definition.getMacroInfo(), true);
}
void MacroUse::Ifndef(clang::SourceLocation at, const clang::Token& name,
                      const clang::MacroDefinition& definition) {
  Ifdef(at, name, definition);
}
void MacroUse::Elifdef(clang::SourceLocation at, const clang::Token& name,
                       const clang::MacroDefinition& definition) {
  Ifdef(at, name, definition);
}
void MacroUse::Elifndef(clang::SourceLocation at, const clang::Token& name,
                        const clang::MacroDefinition& definition) {
  Ifdef(at, name, definition);
}

void MacroUse::If(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind) {
  if (origin(at) == Origin::program) scan_condition(condition);
}
void MacroUse::Elif(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind,
                    clang::SourceLocation) {
  if (origin(at) == Origin::program) scan_condition(condition);
}

// An identifier that is no macro counts as 0 in a condition, and nobody is told. So its words are read here.
void MacroUse::scan_condition(clang::SourceRange condition) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const clang::CharSourceRange range = clang::CharSourceRange::getTokenRange(condition);
  const llvm::StringRef text = clang::Lexer::getSourceText(range, sources, preprocessor_.getLangOpts());
  const auto in_word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (in_word(text[at])) {
      while (end < text.size() && in_word(text[end]))
        ++end;
      if (!llvm::isDigit(text[at])) {
        const llvm::StringRef name = text.slice(at, end);
        const clang::MacroInfo* macro = macro_named(name);
        consider(name, macro, true);
        if (macro) scan_body(*macro);
      }
    }
    at = end;
  }
}

void MacroUse::scan_body(const clang::MacroInfo& macro) {
  if (macro.isBuiltinMacro() || origin(macro.getDefinitionLoc()) == Origin::header) return;
  if (!scanned_.insert(&macro).second) return;
  for (const clang::Token& token : macro.tokens()) {
    const clang::IdentifierInfo* identifier = token.getIdentifierInfo();
    if (!identifier || llvm::is_contained(macro.params(), identifier)) continue;
    const clang::MacroInfo* inner = macro_named(identifier->getName());
    consider(identifier->getName(), inner, true);
    if (inner) scan_body(*inner);
  }
}

}  // namespace mkmd::compiler
