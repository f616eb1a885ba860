// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/frontend.hpp"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/Utils.h>
#include <llvm/ADT/STLExtras.h>
#include <set>

#include "common/hash.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/il_unit.hpp"
#include "compiler/helper/include_use.hpp"
#include "compiler/helper/linking.hpp"
#include "compiler/helper/macro_use.hpp"
#include "compiler/helper/resources.hpp"
#include "compiler/helper/unit_run.hpp"
#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

class Collector : public clang::DependencyCollector {
public:
  bool needSystemDependencies() override { return true; }
};

// Compiles, and sees which predefined macros the unit uses while it does.
class Action : public clang::EmitLLVMOnlyAction {
public:
  Action(const Unit& unit, const Macros& macros, MacroUse::Found& found, llvm::LLVMContext* context)
      : EmitLLVMOnlyAction(context), unit_(unit), macros_(macros), found_(found) {}

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<MacroUse>(preprocessor, macros_, macros_in_options(unit_.options), found_));
    preprocessor.addPPCallbacks(std::make_unique<IncludeUse>(preprocessor, found_));
    return EmitLLVMOnlyAction::BeginSourceFileAction(compiler);
  }

private:
  const Unit& unit_;
  const Macros& macros_;
  MacroUse::Found& found_;
};

struct CompiledUnit {
  std::unique_ptr<llvm::Module> module;  // null if macros are wanted
  std::vector<std::string> macros_wanted;
  std::vector<Dependency> dependencies;
  Declarations declarations = Declarations::when_used;
};

Status list_dependencies(Collector& files, CompiledUnit& result) {
  for (const std::string& path : files.getDependencies()) {
    if (path == kMainFile || path == kMacrosFile || is_embedded(path) || path.starts_with(clang_resources()))
      continue;
    Result<std::string> bytes = read_file(path);
    if (!bytes) return bytes.status();
    result.dependencies.push_back({path, bytes->size(), hex(hash_of(*bytes))});
  }
  return {};
}

using Names = std::set<llvm::StringRef>;

Names names_of(const llvm::Module& module, bool defined) {
  Names names;
  for (const llvm::Function& f : module)
    if (f.isDeclaration() != defined) names.insert(base_name(f.getName()));
  return names;
}

// What is called and may be OpenCL's, whose functions are overloaded.
Names overloaded_in(const llvm::Module& module) {
  Names names;
  for (const llvm::Function& f : module)
    if (f.isDeclaration() && f.getName().starts_with("_Z")) names.insert(base_name(f.getName()));
  return names;
}

// A name that a function of the program has, and that one of OpenCL's has which is called; empty: there is
// none.
std::string name_of_two(const Names& defined, const Names& declared) {
  for (const llvm::StringRef name : defined)
    if (is_builtin_name(name) && declared.contains(name)) return name.str();
  return {};
}

// Some drivers look for a name among the program's functions first, others choose among all of that name.
Status ambiguous(const std::string& name) {
  return Status::internal("it has a function '" + name +
                          "' of its own and uses OpenCL's, too: which is meant depends on the compiler");
}

Result<CompiledUnit> compile(const Request& request, size_t unit, Declarations declarations,
                             llvm::LLVMContext& context) {
  Result<std::unique_ptr<ClangRun>> prepared = run_of_unit(request, unit, header_arguments(declarations));
  if (!prepared) return prepared.status();
  ClangRun& clang = **prepared;
  auto files = std::make_shared<Collector>();
  clang.compiler().addDependencyCollector(files);

  MacroUse::Found found;
  Action action(request.units[unit], request.macros[unit], found, &context);
  const bool done = clang.run(action);
  if (!found.unanswerable.empty())
    return Status::internal("it depends on " + found.unanswerable +
                            ", which each compiler answers in its own way");
  CompiledUnit result;
  if (!found.wanted.empty()) {
    result.macros_wanted.assign(found.wanted.begin(), found.wanted.end());
    return result;
  }
  if (!done) return Status::internal("the program does not compile: " + clang.first_error());
  result.module = action.takeModule();
  if (!result.module) return Status::internal("the program does not compile: " + clang.first_error());
  if (!request.included)
    if (Status s = list_dependencies(*files, result); !s.ok()) return s;
  result.declarations = declarations;
  return result;
}

Result<CompiledUnit> read_il(const Request& request, size_t unit, llvm::LLVMContext& context) {
  // Linkers of drivers differ about what is shared between the two languages.
  if (request.units.size() > 1)
    return Status::internal("it is linked with a program in an intermediate language");
  if (request.address_bits != 64) return Status::internal("only devices with 64-bit addresses are supported");
  Result<std::unique_ptr<llvm::Module>> module = read_spirv(request.units[unit].source, context);
  if (!module) return module.status();
  CompiledUnit result;
  result.module = std::move(*module);
  return result;
}

Result<CompiledUnit> compile_unit(const Request& request, size_t unit, llvm::LLVMContext& context) {
  if (is_spirv(request.units[unit].source)) return read_il(request, unit, context);
  Result<CompiledUnit> result = compile(request, unit, Declarations::when_used, context);
  if (!result || !result->module || llvm::none_of(names_of(*result->module, true), is_builtin_name))
    return result;
  result = compile(request, unit, Declarations::all, context);
  if (!result || !result->module) return result;
  const std::string name = name_of_two(names_of(*result->module, true), names_of(*result->module, false));
  if (!name.empty()) return ambiguous(name);
  return result;
}

}  // namespace

Result<FrontEndResult> compile_program(const Request& request, llvm::LLVMContext& context) {
  FrontEndResult result;
  if (request.included) result.dependencies = dependencies_on(*request.included);
  std::vector<std::unique_ptr<llvm::Module>> modules;
  for (size_t i = 0; i < request.units.size(); ++i) {
    Result<CompiledUnit> unit = compile_unit(request, i, context);
    if (!unit) return unit.status();
    llvm::append_range(result.dependencies, unit->dependencies);
    put_in_order(result.dependencies);
    if (!unit->macros_wanted.empty()) {
      result.macros_wanted = std::move(unit->macros_wanted);
      result.macros_unit = i;
      return result;
    }
    result.declarations.push_back(unit->declarations);
    modules.push_back(std::move(unit->module));
  }
  // A name that another unit of the program has defined, too, is no longer OpenCL's once they are linked.
  for (const auto& one : modules)
    for (const auto& other : modules)
      if (one != other)
        if (const std::string name = name_of_two(names_of(*one, true), overloaded_in(*other)); !name.empty())
          return ambiguous(name);
  Result<std::unique_ptr<llvm::Module>> whole = link_units(std::move(modules));
  if (!whole) return whole.status();
  result.module = std::move(*whole);
  return result;
}
}  // namespace mkmd::compiler
