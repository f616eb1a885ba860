// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/macro_use.hpp"

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/resources.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace mkmd::compiler {
namespace {

// Questions to a compiler about itself, in the form of a macro with one word as its argument. A device is
// asked them as they are, `__has_builtin(word)`, and its answers stand in macros of ours. One that knows no
// such question knows no answer to it either.
constexpr const char* kQuestions[] = {"__has_builtin", "__has_feature", "__has_extension", "__has_attribute"};
constexpr const char* kAnswer = "__mkmd_";  // ahead of question and word
constexpr const char* kNoWord = "mkmd";

bool is_question(llvm::StringRef name) {
  return llvm::is_contained(kQuestions, name);
}
std::string question(llvm::StringRef name, llvm::StringRef word) {
  return (name + "(" + word + ")").str();
}

// The same for every compiler: the place in the text, parts of the language. And what the front end defines
// for its own ends.
bool asks_nothing(llvm::StringRef name) {
  return name == "__LINE__" || name == "_Pragma" || name == "defined" || name == "__VA_ARGS__" ||
         name == "__VA_OPT__" || name.starts_with(kAnswer);
}

// Reserved names, and those of the OpenCL specification: a program's own words are not asked about. The last
// three are of PoCL's headers.
bool may_be_predefined(llvm::StringRef name) {
  if (name.starts_with("__builtin_")) return false;
  if (name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))
    return true;
  constexpr const char* kPrefixes[] = {"cl_", "CL_", "FP_FAST_", "CLANG_", "LLVM_", "POCL_"};
  return llvm::any_of(kPrefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

// A directive's text: a word may go on behind a line continuation, and a comment's words do not count.
std::string without_comments(llvm::StringRef text) {
  std::string joined;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t newline = i + 1 < text.size() && text[i + 1] == '\r' ? i + 2 : i + 1;
    if (text[i] == '\\' && newline < text.size() && text[newline] == '\n')
      i = newline;
    else
      joined += text[i];
  }
  std::string out;
  for (size_t i = 0; i < joined.size(); ++i) {
    if (joined.compare(i, 2, "//") == 0) break;
    if (joined.compare(i, 2, "/*") == 0) {
      const size_t end = joined.find("*/", i + 2);
      if (end == std::string::npos) break;
      i = end + 1;
      out += ' ';
    } else {
      out += joined[i];
    }
  }
  return out;
}

}  // namespace

std::string macro_definitions(const Macros& macros, const std::set<std::string>& fixed) {
  std::string text;
  for (const std::string name : kQuestions) {
    text += "#undef " + name + "\n";
    const auto known = macros.find(question(name, kNoWord));
    if (known == macros.end() || known->second)
      text += "#define " + name + "(x) " + kAnswer + name + "_##x\n";
  }
  for (const auto& [name, value] : macros) {
    if (fixed.contains(name)) continue;
    if (const size_t word = name.find('('); word != std::string::npos) {
      if (value)
        text += "#define " + (kAnswer + name.substr(0, word)) + "_" +
                name.substr(word + 1, name.size() - word - 2) + " " + *value + "\n";
      continue;
    }
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
  return path.starts_with(clang_resources()) ? Origin::header : Origin::program;
}

const clang::MacroInfo* MacroUse::macro_named(llvm::StringRef name) const {
  const clang::IdentifierInfo* identifier = preprocessor_.getIdentifierInfo(name);
  return identifier && identifier->hasMacroDefinition() ? preprocessor_.getMacroInfo(identifier) : nullptr;
}

void MacroUse::consider(llvm::StringRef name, const clang::MacroInfo* macro, bool tested) {
  if (asks_nothing(name)) return;
  const bool fixed = fixed_.contains(name.str());
  // Of a build option and a header some compilers believe the one, and some the other.
  const bool twice =
      fixed && macro && (is_question(name) || origin(macro->getDefinitionLoc()) == Origin::header);
  if (twice || (macro && macro->isBuiltinMacro())) return found_.cannot_answer(name.str());
  if (fixed) return consider_fixed(name.str());
  if (macro && origin(macro->getDefinitionLoc()) == Origin::program) return;
  if (is_question(name)) return tested ? ask(question(name, kNoWord)) : void();
  if (!tested && (!macro || origin(macro->getDefinitionLoc()) == Origin::header)) return;
  ask(name.str());
}

// Some compilers define what they predefine behind the options, and some before. To PoCL the names of
// OpenCL's functions are macros, too.
void MacroUse::consider_fixed(const std::string& name) {
  if (!may_be_predefined(name) && !is_builtin_name(name)) return;
  ask(name);
  const auto found = known_.find(name);
  if (found != known_.end() && found->second) found_.cannot_answer(name);
}

void MacroUse::ask(const std::string& name) {
  if (!known_.contains(name)) found_.wanted.insert(name);
}

void MacroUse::MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                            clang::SourceRange range, const clang::MacroArgs* arguments) {
  if (origin(range.getBegin()) != Origin::program) return;
  const clang::MacroInfo* macro = definition.getMacroInfo();
  consider(name.getIdentifierInfo()->getName(), macro, false);
  if (macro && is_question(name.getIdentifierInfo()->getName()) &&
      origin(macro->getDefinitionLoc()) == Origin::predefined) {
    const clang::Token* word = arguments ? arguments->getUnexpArgument(0) : nullptr;
    if (word && word->getIdentifierInfo())
      ask(question(name.getIdentifierInfo()->getName(), word->getIdentifierInfo()->getName()));
    else
      found_.cannot_answer(name.getIdentifierInfo()->getName().str());
    return;
  }
  if (macro && !macro->isBuiltinMacro() && origin(macro->getDefinitionLoc()) != Origin::header) {
    consider_undefined(macro->tokens());
    const auto pastes = [](const clang::Token& token) { return token.is(clang::tok::hashhash); };
    const auto quotes = [](const clang::Token& token) { return token.is(clang::tok::hash); };
    const bool joins = llvm::any_of(macro->tokens(), pastes);
    if (joins) last_pasting_ = preprocessor_.getSourceManager().getExpansionLoc(range.getBegin());
    // In another expansion, its arguments have been expanded before.
    if (arguments && range.getBegin().isMacroID() && (joins || llvm::any_of(macro->tokens(), quotes)))
      consider_as_text(*arguments);
  }
  for (unsigned i = 0; arguments && i < arguments->getNumMacroArguments(); ++i) {
    const clang::Token* first = arguments->getUnexpArgument(i);
    consider_undefined({first, clang::MacroArgs::getArgLength(first)});
  }
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
  if (origin(at) == Origin::program) scan_condition(at, condition);
}
void MacroUse::Elif(clang::SourceLocation at, clang::SourceRange condition, ConditionValueKind,
                    clang::SourceLocation) {
  if (origin(at) == Origin::program) scan_condition(at, condition);
}

// An identifier that is no macro counts as 0 in a condition, without a callback. So its words are read here.
void MacroUse::scan_condition(clang::SourceLocation at, clang::SourceRange condition) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  // All that was expanded behind the directive's name is of its condition.
  const bool pastes = last_pasting_.isValid() && !sources.isBeforeInTranslationUnit(last_pasting_, at);
  if (pastes) found_.cannot_answer("a name that a condition puts together");
  const clang::CharSourceRange range = clang::CharSourceRange::getTokenRange(condition);
  const std::string text =
      without_comments(clang::Lexer::getSourceText(range, sources, preprocessor_.getLangOpts()));
  const auto in_word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    if (in_word(text[begin])) {
      while (end < text.size() && in_word(text[end]))
        ++end;
      if (!llvm::isDigit(text[begin])) {
        const llvm::StringRef name = llvm::StringRef(text).slice(begin, end);
        const clang::MacroInfo* macro = macro_named(name);
        consider(name, macro, true);
        if (macro) scan_body(*macro);
      }
    }
    begin = end;
  }
}

// Expanding a word that is no macro leaves it as it is: as text, or for a macro that asks what became of it.
void MacroUse::consider_undefined(llvm::ArrayRef<clang::Token> tokens) {
  for (const clang::Token& token : tokens) {
    const clang::IdentifierInfo* identifier = token.getIdentifierInfo();
    if (!identifier || identifier->hasMacroDefinition()) continue;
    if (identifier->isKeyword(preprocessor_.getLangOpts()) || !may_be_predefined(identifier->getName()))
      continue;
    consider(identifier->getName(), nullptr, true);
  }
}

bool MacroUse::stands_in_header(const clang::Token& token) const {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  return sources.getFilename(sources.getSpellingLoc(token.getLocation())).starts_with(clang_resources());
}

// Words that become a string, or parts of a name. Those of OpenCL's headers are each compiler's own. Any
// other may be a macro of the device's compiler, as `inline` is one of PoCL's.
void MacroUse::consider_as_text(const clang::MacroArgs& arguments) {
  for (unsigned i = 0; i < arguments.getNumMacroArguments(); ++i) {
    const clang::Token* first = arguments.getUnexpArgument(i);
    for (const clang::Token& token : llvm::ArrayRef(first, clang::MacroArgs::getArgLength(first))) {
      if (stands_in_header(token) && found_.unanswerable.empty())
        found_.unanswerable = preprocessor_.getSpelling(token);
      const clang::IdentifierInfo* identifier = token.getIdentifierInfo();
      if (!identifier) continue;
      const std::string name = identifier->getName().str();
      const clang::MacroInfo* macro = macro_named(name);
      if (asks_nothing(name) || (macro && origin(macro->getDefinitionLoc()) == Origin::program)) continue;
      ask(name);
    }
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
