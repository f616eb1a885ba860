// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/il_unit.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include "compiler/helper/arguments.hpp"
#include "compiler/helper/builtins.hpp"
#include "compiler/helper/inline_pass.hpp"
#include "compiler/helper/spirv_module.hpp"
#include "compiler/helper/translator.hpp"
#include "compiler/helper/unspecified_pass.hpp"

namespace mkmd::compiler {
namespace {

// SPIR-V gives functions any name, and the translator calls OpenCL's by theirs. A name that means two things
// would make a call of OpenCL's one of the program's.
Status names_are_plain(const llvm::Module& module) {
  for (const llvm::Function& f : module) {
    const llvm::StringRef name = f.getName();
    if (f.isDeclaration()) continue;
    if (is_builtin_name(base_name(name)) || name.starts_with("__spirv") || name.starts_with("llvm.") ||
        gives_back_operand(name))
      return Status::internal("it has a function '" + name.str() + "' of its own, which is OpenCL's name");
  }
  return {};
}

// Each kernel is there, and says why it runs whole where that is known.
Status mark_kernels(llvm::Module& module, const KernelsOfSpirv& declared) {
  size_t found = 0;
  for (llvm::Function& f : module) {
    if (!is_kernel(f)) continue;
    const auto kernel = declared.find(f.getName().str());
    if (kernel == declared.end()) return Status::internal("the translator loses the names of its kernels");
    ++found;
    std::string why = kernel->second;
    for (const Argument& a : describe_signature(f).arguments)
      if (a.kind == Argument::Kind::image || a.kind == Argument::Kind::sampler)
        why = "it has an image or a sampler, and its program was made from an intermediate language";
    if (!why.empty()) f.addFnAttr(kRunsWhole, why);
  }
  return found == declared.size() ? Status() : Status::internal("the translator loses some of its kernels");
}

// A promise of the program's producer, broken, would be poison or undefined behaviour to LLVM. To SPIR-V a
// result is undefined at most, and other work of the kernel is not touched by that.
void drop_promises(llvm::Function& f) {
  for (llvm::Instruction& i : llvm::instructions(f)) {
    i.dropPoisonGeneratingAnnotations();
    i.dropUBImplyingAttrsAndMetadata();
  }
  f.setMemoryEffects(llvm::MemoryEffects::unknown());
  for (const auto kind : {llvm::Attribute::WillReturn, llvm::Attribute::MustProgress,
                          llvm::Attribute::NoReturn, llvm::Attribute::Speculatable})
    f.removeFnAttr(kind);
  f.removeRetAttrs(llvm::AttributeFuncs::getUBImplyingAttributes());
  for (llvm::Argument& a : f.args()) {
    a.removeAttrs(llvm::AttributeFuncs::getUBImplyingAttributes());
    for (const auto kind : {llvm::Attribute::NoAlias, llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly,
                            llvm::Attribute::WriteOnly, llvm::Attribute::NonNull, llvm::Attribute::NoCapture})
      a.removeAttr(kind);
  }
}

// What a variable holds before it is written is undefined to SPIR-V; to LLVM a branch on it may go nowhere.
void give_first_values(llvm::Function& f) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& i : llvm::instructions(f))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i)) variables.push_back(variable);
  for (llvm::AllocaInst* variable : variables) {
    llvm::Type* type = variable->getAllocatedType();
    if (variable->isArrayAllocation() || !(type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy())) continue;
    new llvm::StoreInst(any_number(type, *variable->getNextNode()), variable, variable->getNextNode());
  }
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> read_spirv(const std::string& source, llvm::LLVMContext& context) {
  const Result<KernelsOfSpirv> kernels = kernels_of_spirv(source);
  if (!kernels) return kernels.status();
  const Result<std::string> bitcode = translated_from_spirv(source);
  if (!bitcode) return bitcode.status();
  llvm::Expected<std::unique_ptr<llvm::Module>> read =
      llvm::parseBitcodeFile({*bitcode, "translation"}, context);
  if (!read)
    return Status::internal("the translation of its intermediate language cannot be read: " +
                            llvm::toString(read.takeError()));
  std::unique_ptr<llvm::Module> module = std::move(*read);
  if (llvm::verifyModule(*module))
    return Status::internal("the translation of its intermediate language is not valid");
  if (Status s = names_are_plain(*module); !s.ok()) return s;
  if (Status s = mark_kernels(*module, *kernels); !s.ok()) return s;
  for (llvm::Function& f : *module) {
    if (f.isDeclaration()) continue;
    drop_promises(f);
    give_first_values(f);
  }
  return module;
}

}  // namespace mkmd::compiler
