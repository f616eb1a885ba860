// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/arguments.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <set>

#include "compiler/helper/address_space.hpp"

namespace mkmd::compiler {
namespace {

std::string text_at(const llvm::Function& f, const char* kind, unsigned i) {
  const llvm::MDNode* node = f.getMetadata(kind);
  if (!node || i >= node->getNumOperands()) return {};
  auto* s = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(i));
  return s ? s->getString().str() : std::string();
}

bool unsigned_name(const std::string& type) {
  return type.starts_with("u") || type == "size_t" || type.starts_with("unsigned") || type == "bool";
}

Argument describe(const llvm::Function& f, const llvm::Argument& a) {
  const unsigned i = a.getArgNo();
  const llvm::DataLayout& layout = f.getParent()->getDataLayout();
  Argument out;
  out.name = text_at(f, "kernel_arg_name", i);
  // SPIR-V has it there, or nowhere.
  if (out.name.empty()) out.name = a.hasName() ? a.getName().str() : "arg" + std::to_string(i);
  out.type = text_at(f, "kernel_arg_base_type", i);
  const std::string qualifiers = text_at(f, "kernel_arg_type_qual", i),
                    access = text_at(f, "kernel_arg_access_qual", i);
  out.is_const = qualifiers.find("const") != std::string::npos;
  out.is_restrict = qualifiers.find("restrict") != std::string::npos;
  out.is_volatile = qualifiers.find("volatile") != std::string::npos;
  llvm::Type* type = a.getType();
  const bool may_be_object = !a.hasByValAttr() && !out.type.ends_with("*");  // else a struct has such a name
  if (may_be_object && out.type.starts_with("image")) {
    out.kind = Argument::Kind::image;
    out.access = access;
  } else if (may_be_object && out.type == "sampler_t") {
    out.kind = Argument::Kind::sampler;
  } else if (a.hasByValAttr()) {
    out.kind = Argument::Kind::value;
    out.bytes = layout.getTypeAllocSize(a.getParamByValType()).getFixedValue();
  } else if (type->isPointerTy()) {
    const bool opaque_object =
        out.type.starts_with("queue_t") || qualifiers.find("pipe") != std::string::npos;
    switch (opaque_object ? 99 : type->getPointerAddressSpace()) {
    case address_space::kGlobal:
      out.kind = Argument::Kind::buffer;
      break;
    case address_space::kConstant:
      out.kind = Argument::Kind::constant_buffer;
      break;
    case address_space::kLocal:
      out.kind = Argument::Kind::local;
      break;
    default:
      out.kind = Argument::Kind::other;
    }
    // "const" of a pointer argument qualifies what it points to.
  } else {
    out.kind = Argument::Kind::value;
    out.bytes = layout.getTypeAllocSize(type).getFixedValue();
    out.is_integer = type->isIntegerTy();
    out.is_signed = out.is_integer && !unsigned_name(out.type);
  }
  return out;
}

// What an address is turned into without memory being touched.
bool leads_on(const llvm::User* user) {
  return llvm::isa<llvm::GEPOperator, llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::PHINode,
                   llvm::SelectInst>(user);
}

bool only_reads(const llvm::Use& use) {
  const llvm::User* user = use.getUser();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return !load->isVolatile();
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
    return !copy->isVolatile() && use.getOperandNo() == 1;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

}  // namespace

bool stays_as_passed(const llvm::Argument& by_value) {
  std::vector<const llvm::Value*> todo{&by_value};
  std::set<const llvm::Value*> seen;
  while (!todo.empty()) {
    const llvm::Value* pointer = todo.back();
    todo.pop_back();
    if (!seen.insert(pointer).second) continue;
    for (const llvm::Use& use : pointer->uses()) {
      if (leads_on(use.getUser()))
        todo.push_back(use.getUser());
      else if (!only_reads(use))
        return false;
    }
  }
  return true;
}

KernelInfo describe_signature(const llvm::Function& kernel) {
  KernelInfo info;
  info.name = kernel.getName().str();
  for (const llvm::Argument& a : kernel.args())
    info.arguments.push_back(describe(kernel, a));
  if (const llvm::MDNode* size = kernel.getMetadata("reqd_work_group_size");
      size && size->getNumOperands() == 3)
    for (unsigned d = 0; d < 3; ++d)
      if (auto* c = llvm::mdconst::dyn_extract<llvm::ConstantInt>(size->getOperand(d)))
        info.reqd_work_group_size[d] = static_cast<uint32_t>(c->getZExtValue());
  return info;
}

}  // namespace mkmd::compiler
