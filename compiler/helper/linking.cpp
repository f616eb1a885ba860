// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/linking.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <string>
#include <tuple>

namespace mkmd::compiler {
namespace {

// Keeps the first error. LLVM would end the process at it.
class Errors : public llvm::DiagnosticHandler {
public:
  explicit Errors(std::string& first) : first_(first) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error || !first_.empty()) return true;
    llvm::raw_string_ostream out(first_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }

private:
  std::string& first_;
};

// A struct is made anew in each unit that has it.
bool are_alike(const llvm::Type* a, const llvm::Type* b) {
  if (a == b) return true;
  if (a->getTypeID() != b->getTypeID() || a->getNumContainedTypes() != b->getNumContainedTypes())
    return false;
  if (const auto* function = llvm::dyn_cast<llvm::FunctionType>(a)) {
    if (function->isVarArg() != llvm::cast<llvm::FunctionType>(b)->isVarArg()) return false;
  } else if (const auto* structure = llvm::dyn_cast<llvm::StructType>(a)) {
    if (structure->isPacked() != llvm::cast<llvm::StructType>(b)->isPacked()) return false;
  } else if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(a)) {
    if (array->getNumElements() != llvm::cast<llvm::ArrayType>(b)->getNumElements()) return false;
  } else {
    return false;
  }
  return llvm::all_of(llvm::zip(a->subtypes(), b->subtypes()),
                      [](const auto& pair) { return are_alike(std::get<0>(pair), std::get<1>(pair)); });
}

// A name means one thing in all units. Nobody compares declarations with definitions otherwise, and a call
// that does not fit would pass arguments of ours in the wrong places.
std::string name_of_different_types(const std::vector<std::unique_ptr<llvm::Module>>& units) {
  std::map<std::string, const llvm::Type*> types;
  for (const auto& unit : units)
    for (const llvm::GlobalValue& value : unit->global_values()) {
      if (value.hasLocalLinkage()) continue;
      const llvm::Type* const type =
          llvm::isa<llvm::Function>(value) ? value.getValueType() : value.getType();
      const auto [known, is_new] = types.try_emplace(value.getName().str(), type);
      if (!is_new && !are_alike(known->second, type)) return known->first;
    }
  return {};
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> link_units(std::vector<std::unique_ptr<llvm::Module>> units) {
  if (const std::string name = name_of_different_types(units); !name.empty())
    return Status::internal("its units do not agree about what '" + name + "' is");
  std::unique_ptr<llvm::Module> whole = std::move(units.front());
  llvm::LLVMContext& context = whole->getContext();
  std::unique_ptr<llvm::DiagnosticHandler> before = context.getDiagnosticHandler();
  std::string problem;
  context.setDiagnosticHandler(std::make_unique<Errors>(problem));
  bool failed = false;
  for (size_t i = 1; i < units.size() && !failed; ++i)
    failed = llvm::Linker::linkModules(*whole, std::move(units[i]));
  context.setDiagnosticHandler(std::move(before));
  if (failed) return Status::internal("its units cannot be linked: " + problem);
  return whole;
}

}  // namespace mkmd::compiler
