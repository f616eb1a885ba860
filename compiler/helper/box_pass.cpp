// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/box_pass.hpp"

#include <array>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <set>

#include "compiler/helper/builtins.hpp"
#include "compiler/helper/inline_pass.hpp"
#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {
namespace {

constexpr std::array<const char*, kHiddenArguments> kNames = {
    "mkmd_first_x",  "mkmd_first_y",  "mkmd_first_z",  "mkmd_groups_x", "mkmd_groups_y",
    "mkmd_groups_z", "mkmd_offset_x", "mkmd_offset_y", "mkmd_offset_z"};

// The hidden arguments in kernel_arg_* metadata: a driver that finds fewer entries than arguments may give
// up.
llvm::MDNode* extended(llvm::LLVMContext& c, llvm::StringRef kind, llvm::MDNode* node) {
  llvm::SmallVector<llvm::Metadata*, 24> entries(node->op_begin(), node->op_end());
  for (const char* name : kNames) {
    llvm::Metadata* entry;
    if (kind == "kernel_arg_addr_space") {
      entry = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(c), 0));
    } else if (kind == "kernel_arg_access_qual") {
      entry = llvm::MDString::get(c, "none");
    } else if (kind == "kernel_arg_type" || kind == "kernel_arg_base_type") {
      entry = llvm::MDString::get(c, "ulong");
    } else {
      entry = llvm::MDString::get(c, kind == "kernel_arg_name" ? name : "");
    }
    entries.push_back(entry);
  }
  return llvm::MDNode::get(c, entries);
}

llvm::Function* with_hidden_arguments(llvm::Function& kernel) {
  llvm::LLVMContext& c = kernel.getContext();
  llvm::FunctionType* old_type = kernel.getFunctionType();
  std::vector<llvm::Type*> types(old_type->param_begin(), old_type->param_end());
  types.insert(types.end(), kHiddenArguments, llvm::Type::getInt64Ty(c));
  auto* type = llvm::FunctionType::get(old_type->getReturnType(), types, false);
  llvm::Function* boxed =
      llvm::Function::Create(type, kernel.getLinkage(), kernel.getAddressSpace(), "", kernel.getParent());
  boxed->takeName(&kernel);
  boxed->copyAttributesFrom(&kernel);
  boxed->setComdat(kernel.getComdat());
  boxed->getBasicBlockList().splice(boxed->begin(), kernel.getBasicBlockList());
  auto to = boxed->arg_begin();
  for (llvm::Argument& from : kernel.args()) {
    from.replaceAllUsesWith(&*to);
    to->takeName(&from);
    ++to;
  }
  for (const char* name : kNames)
    (to++)->setName(name);
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 8> metadata;
  kernel.getAllMetadata(metadata);
  llvm::SmallVector<llvm::StringRef, 32> kinds;
  c.getMDKindNames(kinds);
  for (auto& [kind, node] : metadata)
    boxed->setMetadata(kind, kinds[kind].startswith("kernel_arg_") ? extended(c, kinds[kind], node) : node);
  kernel.setSubprogram(nullptr);
  return boxed;
}

// Local ids and sizes and the number of dimensions are those of the launch.
bool depends_on_ndrange(const llvm::CallBase& call) {
  switch (work_item_builtin(declared_callee(call))) {
  case Builtin::none:
  case Builtin::local_id:
  case Builtin::local_size:
  case Builtin::local_linear_id:
  case Builtin::work_dim:
    return false;
  default:
    return true;
  }
}

class Boxer {
public:
  explicit Boxer(llvm::Function& kernel)
      : f_(kernel), module_(*kernel.getParent()), index_(llvm::Type::getInt32Ty(kernel.getContext())),
        size_(llvm::Type::getInt64Ty(kernel.getContext())) {}

  void run() {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& i : llvm::instructions(f_))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call && depends_on_ndrange(*call))
        calls.push_back(call);
    if (calls.empty()) return;
    for (llvm::CallInst* call : calls) {
      const Builtin b = work_item_builtin(declared_callee(*call));
      llvm::Value* answer = b == Builtin::global_linear_id ? global_linear_id(*call) : at_dimension(b, *call);
      llvm::IRBuilder<> builder(call);
      if (answer->getType() != call->getType()) answer = builder.CreateZExtOrTrunc(answer, call->getType());
      call->replaceAllUsesWith(answer);
      call->eraseFromParent();
    }
    if (marker_) marker_->eraseFromParent();
  }

private:
  // The end of what we put at the start of the entry block: behind the allocas, so that those stay static,
  // and in a straight line: CPU devices take values there for uniform, whereas any PHI counts as divergent.
  llvm::IRBuilder<> entry() {
    if (!marker_) {
      auto at = f_.getEntryBlock().begin();
      while (llvm::isa<llvm::AllocaInst>(*at))
        ++at;
      // An instruction of our own: any other may be a call that is about to be replaced.
      llvm::Constant* zero = llvm::ConstantInt::get(size_, 0);
      marker_ = llvm::BinaryOperator::CreateAdd(zero, zero, "", &*at);
    }
    return llvm::IRBuilder<>(marker_);
  }

  llvm::Value* hidden(unsigned group, unsigned d) {
    return f_.getArg(static_cast<unsigned>(f_.arg_size()) - kHiddenArguments + 3 * group + d);
  }

  llvm::Value* native(const char* name, unsigned d) {
    llvm::Value*& value = natives_[{name, d}];
    if (value) return value;
    const std::string mangled = "_Z" + std::to_string(llvm::StringRef(name).size()) + name + "j";
    auto* f = llvm::cast<llvm::Function>(
        module_.getOrInsertFunction(mangled, llvm::FunctionType::get(size_, {index_}, false)).getCallee());
    f->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    f->addFnAttr(llvm::Attribute::ReadNone);
    llvm::IRBuilder<> b = entry();
    llvm::CallInst* call = b.CreateCall(f, {llvm::ConstantInt::get(index_, d)});
    call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    call->addFnAttr(llvm::Attribute::NoUnwind);
    call->addFnAttr(llvm::Attribute::ReadNone);
    return value = call;
  }

  llvm::Value* cached(Builtin what, unsigned d, llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> make) {
    if (auto it = values_.find({what, d}); it != values_.end()) return it->second;
    llvm::IRBuilder<> b = entry();
    llvm::Value* v = make(b);
    values_[{what, d}] = v;
    return v;
  }

  llvm::Value* group(unsigned d) {
    return cached(Builtin::group_id, d, [&](auto&) {
      llvm::Value* piece = native("get_group_id", d);
      return entry().CreateAdd(piece, hidden(0, d));
    });
  }

  // Of the original NDRange, without its offset.
  llvm::Value* position(unsigned d) {
    return cached(Builtin::local_linear_id, d, [&](auto&) {
      llvm::Value *g = group(d), *size = native("get_local_size", d), *local = native("get_local_id", d);
      llvm::IRBuilder<> b = entry();
      return b.CreateAdd(b.CreateMul(g, size), local);
    });
  }

  llvm::Value* global_size(unsigned d) {
    return cached(Builtin::global_size, d, [&](auto&) {
      llvm::Value* size = native("get_local_size", d);
      return entry().CreateMul(hidden(1, d), size);
    });
  }

  llvm::Value* value(Builtin what, unsigned d) {
    switch (what) {
    case Builtin::group_id:
      return group(d);
    case Builtin::num_groups:
      return hidden(1, d);
    case Builtin::global_offset:
      return hidden(2, d);
    case Builtin::global_size:
      return global_size(d);
    default:
      return cached(Builtin::global_id, d, [&](auto&) {
        llvm::Value* p = position(d);
        return entry().CreateAdd(p, hidden(2, d));
      });
    }
  }

  llvm::Value* at_dimension(Builtin what, llvm::CallInst& call) {
    llvm::Value* dimension = call.getArgOperand(0);
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(dimension);
    if (constant && constant->getZExtValue() < 3)
      return value(what, static_cast<unsigned>(constant->getZExtValue()));
    // Of a dimension there is not, the device itself says what it says of it in the whole launch.
    llvm::Value* answer = call.clone();
    llvm::cast<llvm::Instruction>(answer)->insertBefore(&call);
    if (constant) return answer;
    std::array<llvm::Value*, 3> answers;
    for (unsigned d = 0; d < 3; ++d)
      answers[d] = value(what, d);
    llvm::IRBuilder<> b(&call);
    for (unsigned d = 3; d-- > 0;)
      answer = b.CreateSelect(b.CreateICmpEQ(dimension, llvm::ConstantInt::get(dimension->getType(), d)),
                              answers[d], answer);
    return answer;
  }

  llvm::Value* global_linear_id(llvm::CallInst& call) {
    llvm::Value *x = position(0), *y = position(1), *z = position(2);
    llvm::Value *width = global_size(0), *height = global_size(1);
    llvm::IRBuilder<> b(&call);
    return b.CreateAdd(x, b.CreateMul(width, b.CreateAdd(y, b.CreateMul(height, z))));
  }

  llvm::Function& f_;
  llvm::Module& module_;
  llvm::Type *index_, *size_;
  llvm::Instruction* marker_ = nullptr;
  std::map<std::pair<llvm::StringRef, unsigned>, llvm::Value*> natives_;
  std::map<std::pair<Builtin, unsigned>, llvm::Value*> values_;
};

}  // namespace

bool ids_outside_kernels(const llvm::Module& module) {
  for (const llvm::Function& f : module)
    if (!is_kernel(f))
      for (const llvm::Instruction& i : llvm::instructions(f))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call && depends_on_ndrange(*call)) return true;
  return false;
}

llvm::PreservedAnalyses BoxPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::vector<llvm::Function*> kernels;
  for (llvm::Function& f : module)
    if (is_kernel(f)) kernels.push_back(&f);
  for (llvm::Function* kernel : kernels) {
    llvm::Function* boxed = with_hidden_arguments(*kernel);
    // All calls of kernels were inlined, since kernels lead to ids; what is left is metadata and dead code.
    kernel->replaceAllUsesWith(llvm::UndefValue::get(kernel->getType()));
    kernel->eraseFromParent();
    Boxer(*boxed).run();
  }
  return kernels.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace mkmd::compiler
