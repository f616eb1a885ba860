// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/program_text.hpp"

#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>

#include "compiler/helper/macro_use.hpp"
#include "compiler/helper/unit_run.hpp"

namespace mkmd::compiler {
namespace {

// Collects tokens as text, each on its line.
class Text {
public:
  explicit Text(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  void add(const clang::Token& token) {
    if (token.isAnnotation()) return;
    move_to(token.getLocation());
    out_ += preprocessor_.getSpelling(token);
    // One blank too many parts nothing; one too few joins two words.
    out_ += ' ';
  }

  // On a line of its own.
  void add_directive(clang::SourceLocation at, const std::string& directive) {
    end_line();
    move_to(at);
    out_ += directive;
    end_line();
  }

  std::string take() { return std::move(out_); }

private:
  void end_line() {
    if (out_.empty() || out_.back() == '\n') return;
    out_ += '\n';
    ++line_;
  }

  void move_to(clang::SourceLocation location) {
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(location));
    if (at.isInvalid()) return;
    constexpr unsigned kFewLines = 8;
    if (at.getFilename() == file_ && at.getLine() >= line_ && at.getLine() < line_ + kFewLines) {
      out_.append(at.getLine() - line_, '\n');
    } else {
      end_line();
      out_ += "#line " + std::to_string(at.getLine()) + " \"" + clang::Lexer::Stringify(at.getFilename()) +
              "\"\n";
    }
    file_ = at.getFilename();
    line_ = at.getLine();
  }

  clang::Preprocessor& preprocessor_;
  std::string out_, file_;
  unsigned line_ = 0;
};

// What compilers, not preprocessors, do with a pragma is theirs.
class PragmaPrinter : public clang::PragmaHandler {
public:
  // `relaxes` becomes true where a pragma makes floating-point arithmetic less exact.
  PragmaPrinter(std::string prefix, bool& relaxes, Text& text)
      : prefix_(std::move(prefix)), relaxes_(relaxes), text_(text) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& token) override {
    std::string line = prefix_;
    // These keep their words, whatever macros there are: an extension's name is one. Elsewhere a macro stands
    // for a number, as in `unroll N`.
    const std::string first = preprocessor.getSpelling(token);
    const bool names = first == "OPENCL" || first == "STDC";
    while (token.isNot(clang::tok::eod)) {
      line += ' ' + preprocessor.getSpelling(token);
      if (names)
        preprocessor.LexUnexpandedToken(token);
      else
        preprocessor.Lex(token);
    }
    relaxes_ |= is_relaxing(line);
    text_.add_directive(introducer.Loc, line);
  }

private:
  // Last bits then depend on what a compiler makes of all that is around, as with -cl-fast-relaxed-math.
  static bool is_relaxing(llvm::StringRef line) {
    if (line.contains("float_control")) return true;
    return line.starts_with("#pragma clang fp ") &&
           (line.contains("fast") || line.contains("reassociate") || line.contains("reciprocal"));
  }

  const std::string prefix_;
  bool& relaxes_;
  Text& text_;
};

// A name of OpenCL's headers that the program undefines is to be undefined for those headers' compiler.
class UndefPrinter : public clang::PPCallbacks {
public:
  UndefPrinter(clang::SourceManager& sources, Text& text) : sources_(sources), text_(text) {}

  void MacroUndefined(const clang::Token& name, const clang::MacroDefinition&,
                      const clang::MacroDirective*) override {
    const clang::SourceLocation at = name.getLocation();
    if (sources_.isWrittenInBuiltinFile(at) || sources_.isWrittenInCommandLineFile(at)) return;
    if (sources_.getFilename(at) == kMacrosFile) return;
    text_.add_directive(at, "#undef " + name.getIdentifierInfo()->getName().str());
  }

private:
  clang::SourceManager& sources_;
  Text& text_;
};

class Printing : public clang::PreprocessorFrontendAction {
public:
  std::string text;
  bool relaxes = false;

private:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    Text printed(preprocessor);
    preprocessor.addPPCallbacks(std::make_unique<UndefPrinter>(preprocessor.getSourceManager(), printed));
    std::vector<std::pair<std::string, std::unique_ptr<PragmaPrinter>>> handlers;
    for (const char* space : {"", "GCC", "clang"}) {
      const std::string prefix = std::string("#pragma") + (*space != '\0' ? " " : "") + space;
      handlers.emplace_back(space, std::make_unique<PragmaPrinter>(prefix, relaxes, printed));
      preprocessor.AddPragmaHandler(space, handlers.back().second.get());
    }
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eof); preprocessor.Lex(token))
      printed.add(token);
    for (const auto& [space, handler] : handlers)
      preprocessor.RemovePragmaHandler(space, handler.get());
    text = printed.take() + "\n";
  }
};

}  // namespace

Result<std::string> expand_unit(const Request& request, size_t unit) {
  Result<std::unique_ptr<ClangRun>> clang = run_of_unit(request, unit);
  if (!clang) return clang.status();
  Printing action;
  if (!(*clang)->run(action))
    return Status::internal("the program's text cannot be expanded: " + (*clang)->first_error());
  if (action.relaxes)
    return Status::internal("a pragma in the program makes floating-point arithmetic less exact");
  return std::move(action.text);
}

}  // namespace mkmd::compiler
