// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/rewritable.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/TargetInfo.h>

namespace mkmd::compiler {
namespace {

// OpenCL C 1.0 and 1.1 have double constants where the program enables cl_khr_fp64. Some compilers have them
// wherever the device has.
bool has_doubles_by_extension(const clang::ASTContext& context) {
  const clang::LangOptions& language = context.getLangOpts();
  const llvm::StringMap<bool>& extensions = context.getTargetInfo().getSupportedOpenCLOpts();
  return language.OpenCLVersion < 120 && !language.SinglePrecisionConstants &&
         extensions.lookup("cl_khr_fp64");
}

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
public:
  explicit Visitor(const clang::ASTContext& context)
      : generic_(context.getLangOpts().OpenCLGenericAddressSpace),
        doubles_by_extension_(has_doubles_by_extension(context)) {}

  std::string why;

  // Two functions of one symbol would have different parameters.
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->hasAttr<clang::AsmLabelAttr>() || function->hasAttr<clang::AliasAttr>() ||
        function->hasAttr<clang::WeakRefAttr>() || function->hasAttr<clang::IFuncAttr>())
      why = "the symbol of its function '" + function->getNameAsString() + "' has another name";
    return true;
  }

  bool VisitPredefinedExpr(clang::PredefinedExpr* name) {
    using Kind = clang::PredefinedIdentKind;
    if (name->getIdentKind() != Kind::Func && name->getIdentKind() != Kind::Function)
      why = "it asks for the parameters of a function as text";
    return true;
  }

  // Its size is each machine's own.
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) {
    if (type.getTypedefNameDecl()->getName() == "__builtin_va_list") why = "it names __builtin_va_list";
    return true;
  }

  // The answer depends on how far a compiler optimises.
  bool VisitCallExpr(clang::CallExpr* call) {
    switch (call->getBuiltinCallee()) {
    case clang::Builtin::BI__builtin_constant_p:
    case clang::Builtin::BI__builtin_object_size:
    case clang::Builtin::BI__builtin_dynamic_object_size:
      why = "it asks what the compiler knows of a value";
      break;
    default:
      break;
    }
    return true;
  }

  bool VisitSourceLocExpr(clang::SourceLocExpr* place) {
    if (place->getIdentKind() == clang::SourceLocIdentKind::Column) why = "it asks for a column of its text";
    return true;
  }

  // Clang leaves it a double and adds a conversion: the program's own, or that of a constant it may not have.
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (doubles_by_extension_ && cast->getCastKind() == clang::CK_FloatingCast &&
        llvm::isa<clang::FloatingLiteral>(cast->getSubExpr()))
      why = "whether its constants are doubles is each compiler's own";
    return true;
  }

  // Not every compiler of OpenCL C 2.0 takes a pointer without an address space for a generic one.
  bool VisitGenericSelectionExpr(clang::GenericSelectionExpr* choice) {
    for (const clang::TypeSourceInfo* type : choice->getAssocTypeSourceInfos())
      if (type != nullptr) compare(type->getType());
    return true;
  }

  bool VisitTypeTraitExpr(clang::TypeTraitExpr* question) {
    for (const clang::TypeSourceInfo* type : question->getArgs())
      compare(type->getType());
    return true;
  }

private:
  void compare(clang::QualType type) {
    if (generic_ && type->isAnyPointerType()) why = "it compares types of pointers";
  }

  const bool generic_, doubles_by_extension_;
};

}  // namespace

std::string why_not_rewritable(clang::ASTContext& context) {
  for (const auto& name : context.Idents)
    if (name.getKey().starts_with(kPrefix)) return std::string("it has a name that begins with ") + kPrefix;
  Visitor visitor(context);
  visitor.TraverseDecl(context.getTranslationUnitDecl());
  return visitor.why;
}

}  // namespace mkmd::compiler
