// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/frontend.hpp"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/Utils.h>
#include <llvm/ADT/STLExtras.h>
#include <set>

#include "common/hash.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/clang_run.hpp"
#include "compiler/helper/macro_use.hpp"

namespace mkmd::compiler {
namespace {

class Collector : public clang::DependencyCollector {
public:
  bool needSystemDependencies() override { return false; }
};

// Compiles, and sees which predefined macros the program uses while it does.
class Action : public clang::EmitLLVMOnlyAction {
public:
  Action(const Request& request, MacroUse::Found& found, llvm::LLVMContext* context)
      : EmitLLVMOnlyAction(context), request_(request), found_(found) {}

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<MacroUse>(preprocessor, request_.macros,
                                                           macros_in_options(request_.options), found_));
    return EmitLLVMOnlyAction::BeginSourceFileAction(compiler);
  }

private:
  const Request& request_;
  MacroUse::Found& found_;
};

Status list_dependencies(Collector& files, FrontEndResult& result) {
  for (const std::string& path : files.getDependencies()) {
    if (path == kMainFile || path == kMacrosFile) continue;
    Result<std::string> bytes = read_file(path);
    if (!bytes) return bytes.status();
    result.dependencies.push_back({path, bytes->size(), hex(hash_of(*bytes))});
  }
  return {};
}

bool defines_names_of_builtins(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& f) {
    return !f.isDeclaration() && is_builtin_name(base_name(f.getName()));
  });
}

// A name that a function of the program has and one that it calls of OpenCL's; empty: there is none.
std::string name_of_two(const llvm::Module& module) {
  std::set<llvm::StringRef> defined;
  for (const llvm::Function& f : module)
    if (!f.isDeclaration()) defined.insert(base_name(f.getName()));
  for (const llvm::Function& f : module)
    if (f.isDeclaration() && defined.contains(base_name(f.getName()))) return base_name(f.getName()).str();
  return {};
}

Result<FrontEndResult> compile(const Request& request, Declarations declarations,
                               llvm::LLVMContext& context) {
  Result<FrontEndArguments> arguments = front_end_arguments(request);
  if (!arguments) return arguments.status();
  ClangRun clang({arguments->language, header_arguments(declarations), arguments->text}, request.source,
                 {{kMacrosFile, macro_definitions(request.macros)}});
  if (Status s = clang.prepare(); !s.ok()) return s;
  auto files = std::make_shared<Collector>();
  clang.compiler().addDependencyCollector(files);

  MacroUse::Found found;
  Action action(request, found, &context);
  const bool done = clang.run(action);
  if (!found.unanswerable.empty())
    return Status::internal("it depends on " + found.unanswerable +
                            ", which each compiler answers in its own way");
  if (!found.wanted.empty()) {
    FrontEndResult result;
    result.macros_wanted.assign(found.wanted.begin(), found.wanted.end());
    return result;
  }
  if (!done) return Status::internal("the program does not compile: " + clang.first_error());
  FrontEndResult result;
  result.module = action.takeModule();
  if (!result.module) return Status::internal("the program does not compile: " + clang.first_error());
  if (Status s = list_dependencies(*files, result); !s.ok()) return s;
  for (const std::string& name : found.used)
    result.macros[name] = request.macros.at(name);
  result.declarations = declarations;
  return result;
}

}  // namespace

Result<FrontEndResult> compile_source(const Request& request, llvm::LLVMContext& context) {
  Result<FrontEndResult> result = compile(request, Declarations::when_used, context);
  if (!result || !result->module || !defines_names_of_builtins(*result->module)) return result;
  Macros used = std::move(result->macros);
  result = compile(request, Declarations::all, context);
  if (!result || !result->module) return result;
  result->macros.merge(used);
  // Some drivers look for a name among the program's functions first, others choose among all of that name.
  if (const std::string name = name_of_two(*result->module); !name.empty()) {
    return Status::internal("it has a function '" + name +
                            "' of its own and uses OpenCL's, too: which is meant depends on the compiler");
  }
  return result;
}
}  // namespace mkmd::compiler
