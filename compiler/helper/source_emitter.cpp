// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/source_emitter.hpp"

#include <algorithm>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <map>
#include <optional>
#include <set>

#include "compiler/helper/clang_run.hpp"
#include "compiler/helper/piece_ids.hpp"
#include "compiler/helper/program_text.hpp"
#include "compiler/helper/rewritable.hpp"

namespace mkmd::compiler {
namespace {

// Calls of functions, and the functions of the text they stand in. What is called without a function's name
// is a block: it has the hidden arguments of the function around it.
class Calls : public clang::RecursiveASTVisitor<Calls> {
public:
  struct Call {
    clang::CallExpr* call;
    const clang::FunctionDecl *caller, *callee;  // canonical ones; no caller: outside of functions
  };
  std::vector<clang::FunctionDecl*> functions;  // all declarations
  std::vector<Call> calls;
  std::string hidden;  // a function that text of ours calls, if the program gives its name to something else

  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    functions.push_back(function);
    const clang::FunctionDecl* const before = std::exchange(in_, function->getCanonicalDecl());
    const bool go_on = RecursiveASTVisitor::TraverseFunctionDecl(function);
    in_ = before;
    return go_on;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    if (const clang::FunctionDecl* callee = call->getDirectCallee())
      calls.push_back({call, in_, callee->getCanonicalDecl()});
    return true;
  }

  bool VisitNamedDecl(clang::NamedDecl* named) {
    if (!named->getIdentifier() || !is_called_by_us(named->getName())) return true;
    // Those stand for nothing in a call.
    if (llvm::isa<clang::FieldDecl, clang::TagDecl, clang::LabelDecl>(named)) return true;
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named);
    if (!function || function->isDefined()) hidden = named->getName().str();
    return true;
  }

private:
  const clang::FunctionDecl* in_ = nullptr;
};

using Names = std::set<std::string>;

// A unit's text with hidden arguments.
struct Rewritten {
  std::string text;
  Names extended;  // functions with hidden arguments that other units see
  Names left;      // functions without that other units may have or see
};

class Rewriter {
public:
  // `elsewhere`: functions with hidden arguments that other units see.
  Rewriter(clang::ASTContext& context, const std::string& text, const Names& elsewhere)
      : context_(context), sources_(context.getSourceManager()), text_(text), elsewhere_(elsewhere) {}

  Result<Rewritten> rewrite() {
    calls_.TraverseDecl(context_.getTranslationUnitDecl());
    if (!calls_.hidden.empty()) return Status::internal("it has a '" + calls_.hidden + "' of its own");
    if (const std::string why = why_not_rewritable(context_); !why.empty()) return Status::internal(why);
    find_functions_to_extend();
    for (const clang::FunctionDecl* function : calls_.functions)
      if (extended_.contains(function->getCanonicalDecl())) extend(*function);
    for (const Calls::Call& call : calls_.calls) {
      const bool passed_on = extended_.contains(call.callee);
      if (!passed_on && !is_replaced(*call.callee)) continue;
      if (!call.caller) return Status::internal("it names ids outside of functions");
      if (passed_on)
        pass_on(*call.call);
      else
        replace(*call.call, call.callee->getName());
    }
    return apply();
  }

private:
  struct Edit {
    unsigned at, length;
    std::string text;
  };

  // Those of the device's compiler have no body here.
  static bool is_replaced(const clang::FunctionDecl& function) {
    if (function.isDefined() || !function.getIdentifier()) return false;
    return is_work_item_function(function.getName());
  }

  // Under which other units see it; empty: they do not, or it is none of the program's.
  std::string name_outside(const clang::FunctionDecl& function) const {
    const bool own =
        sources_.getFileID(sources_.getExpansionLoc(function.getLocation())) == sources_.getMainFileID();
    return own && function.isExternallyVisible() ? function.getNameAsString() : std::string();
  }

  void find_functions_to_extend() {
    for (const clang::FunctionDecl* function : calls_.functions)
      if (function->hasAttr<clang::OpenCLKernelAttr>() || elsewhere_.contains(name_outside(*function)))
        extended_.insert(function->getCanonicalDecl());
    for (bool more = true; more;) {
      more = false;
      for (const Calls::Call& call : calls_.calls)
        if (call.caller && (is_replaced(*call.callee) || extended_.contains(call.callee)))
          more |= extended_.insert(call.caller).second;
    }
  }

  // The place in the text; nothing if it is none: made by a macro of OpenCL's headers, for example.
  std::optional<unsigned> offset(clang::SourceLocation location) {
    if (location.isMacroID() && sources_.isMacroArgExpansion(location))
      location = sources_.getSpellingLoc(location);
    if (location.isValid() && location.isFileID() && sources_.isInMainFile(location))
      return sources_.getFileOffset(location);
    // #line gives the file another name, but not another identity.
    if (location.isValid() && location.isFileID() && sources_.getFileID(location) == sources_.getMainFileID())
      return sources_.getFileOffset(location);
    trouble_ = "a macro stands where its text has to be changed";
    return std::nullopt;
  }

  void insert(clang::SourceLocation before, std::string text) {
    if (const std::optional<unsigned> at = offset(before)) edits_.push_back({*at, 0, std::move(text)});
  }

  void extend(const clang::FunctionDecl& function) {
    const clang::FunctionTypeLoc type = function.getFunctionTypeLoc();
    if (type.isNull() || (type.getNumParams() > 0 && !function.hasWrittenPrototype())) {
      trouble_ = "a function's parameters cannot be found";
      return;
    }
    if (type.getNumParams() > 0) return insert(type.getRParenLoc(), std::string(", ") + kParameters);
    // f() or f(void)
    const std::optional<unsigned> open = offset(type.getLParenLoc()), close = offset(type.getRParenLoc());
    if (open && close) edits_.push_back({*open + 1, *close - *open - 1, kParameters});
  }

  void pass_on(const clang::CallExpr& call) {
    insert(call.getRParenLoc(), std::string(call.getNumArgs() > 0 ? ", " : "") + kArguments);
  }

  void replace(const clang::CallExpr& call, llvm::StringRef name) {
    const std::optional<unsigned> begin = offset(call.getCallee()->getBeginLoc());
    const std::optional<unsigned> end = offset(call.getRParenLoc());
    if (!begin || !end) return;
    if (name == kLinearId) {
      edits_.push_back({*begin, *end + 1 - *begin, linear_id()});
      return;
    }
    const std::optional<llvm::APSInt> dimension = call.getArg(0)->getIntegerConstantExpr(context_);
    if (dimension && *dimension >= 0 && *dimension < 3) {
      edits_.push_back(
          {*begin, *end + 1 - *begin, in_piece(name, static_cast<unsigned>(dimension->getExtValue()))});
      return;
    }
    if (dimension) return;  // as functions_of_any_dimension()
    any_dimension_.insert(name.str());
    edits_.push_back({*begin, static_cast<unsigned>(name.size()), kPrefix + name.str()});
    edits_.push_back({*end, 0, std::string(", ") + kArguments});
  }

  Result<Rewritten> apply() {
    if (!trouble_.empty()) return Status::internal(trouble_);
    Rewritten result;
    for (const clang::FunctionDecl* function : calls_.functions) {
      const bool extended = extended_.contains(function->getCanonicalDecl());
      if (const std::string name = name_outside(*function); !name.empty())
        (extended ? result.extended : result.left).insert(name);
    }
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.at < b.at; });
    std::string out = text_ahead() + functions_of_any_dimension(any_dimension_);
    unsigned at = 0;
    for (const Edit& edit : edits_) {
      if (edit.at < at) continue;  // in the dimension of a call that is replaced
      out.append(text_, at, edit.at - at);
      out += edit.text;
      at = edit.at + edit.length;
    }
    result.text = std::move(out.append(text_, at));
    return result;
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const std::string& text_;
  const Names& elsewhere_;
  Calls calls_;
  std::set<const clang::FunctionDecl*> extended_;  // canonical ones: they get the hidden arguments
  std::set<std::string> any_dimension_;
  std::vector<Edit> edits_;
  std::string trouble_;
};

class Rewriting : public clang::ASTFrontendAction {
public:
  Rewriting(const std::string& text, const Names& elsewhere) : text_(text), elsewhere_(elsewhere) {}

  Result<Rewritten> result = Status::internal("it was not read");

private:
  class Consumer : public clang::ASTConsumer {
  public:
    explicit Consumer(Rewriting& action) : action_(action) {}
    void HandleTranslationUnit(clang::ASTContext& context) override {
      if (context.getDiagnostics().hasErrorOccurred()) return;
      action_.result = Rewriter(context, action_.text_, action_.elsewhere_).rewrite();
    }

  private:
    Rewriting& action_;
  };

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<Consumer>(*this);
  }

  const std::string& text_;
  const Names& elsewhere_;
};

Result<Rewritten> rewrite_unit(const Request& request, size_t unit, Declarations declarations,
                               const std::string& text, const Names& elsewhere) {
  Result<FrontEndArguments> arguments = front_end_arguments(request, request.units[unit]);
  if (!arguments) return arguments.status();
  ClangRun clang({arguments->language, header_arguments(declarations)}, text, {});
  if (Status s = clang.prepare(); !s.ok()) return s;
  Rewriting action(text, elsewhere);
  if (!clang.run(action))
    return Status::internal("its expanded text does not compile: " + clang.first_error());
  return std::move(action.result);
}

}  // namespace

Result<std::vector<std::string>> emit_sources(const Request& request,
                                              const std::vector<Declarations>& declarations) {
  std::vector<std::string> texts;
  for (size_t unit = 0; unit < request.units.size(); ++unit) {
    Result<std::string> text = expand_unit(request, unit);
    if (!text) return text.status();
    texts.push_back(std::move(*text));
  }
  // A function of one unit may lead to ids by way of another unit. All declarations of it change then, and
  // with them the functions that call it.
  std::vector<std::optional<Rewritten>> units(texts.size());
  Names extended;
  for (bool again = true; again;) {
    again = false;  // a unit that is the only one is not looked at twice
    for (size_t unit = 0; unit < units.size(); ++unit) {
      const auto is_extended = [&](const std::string& name) { return extended.contains(name); };
      if (units[unit] && (units.size() == 1 || std::ranges::none_of(units[unit]->left, is_extended)))
        continue;
      Result<Rewritten> rewritten = rewrite_unit(request, unit, declarations[unit], texts[unit], extended);
      if (!rewritten) return rewritten.status();
      extended.insert(rewritten->extended.begin(), rewritten->extended.end());
      units[unit] = std::move(*rewritten);
      again = true;
    }
  }
  std::vector<std::string> sources;
  for (std::optional<Rewritten>& unit : units)
    sources.push_back(std::move(unit->text));
  return sources;
}

}  // namespace mkmd::compiler
