// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/spirv_module.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "compiler/helper/spirv_volatile.hpp"
#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

using spv::BuiltIn, spv::Capability, spv::Decoration, spv::ExecutionMode, spv::Op;

constexpr Capability kCapabilities[] = {
    Capability::Addresses,      Capability::Linkage,       Capability::Kernel,
    Capability::Vector16,       Capability::Float16Buffer, Capability::Float16,
    Capability::Float64,        Capability::Int64,         Capability::Int64Atomics,
    Capability::ImageBasic,  // kernels with images are refused one by one
    Capability::ImageReadWrite,
    Capability::Groups,  // work_group_* are refused by name, copies are not
    Capability::LiteralSampler, Capability::Int16,         Capability::GenericPointer,
    Capability::Int8,           Capability::Sampled1D,     Capability::Image1D,
    Capability::SampledBuffer,  Capability::ImageBuffer,   Capability::ImageQuery,
};

struct Named {
  Capability capability;
  const char* name;
};
// Which a user may have heard of.
constexpr Named kOtherCapabilities[] = {
    {Capability::Pipes, "Pipes"},
    {Capability::DeviceEnqueue, "DeviceEnqueue"},
    {Capability::SubgroupDispatch, "SubgroupDispatch"},
    {Capability::SubgroupShuffleINTEL, "SubgroupShuffleINTEL"},
    {Capability::FunctionPointersINTEL, "FunctionPointersINTEL"},
};

constexpr ExecutionMode kExecutionModes[] = {
    ExecutionMode::LocalSize,
    ExecutionMode::LocalSizeHint,
    ExecutionMode::VecTypeHint,
    ExecutionMode::ContractionOff,
};

constexpr Decoration kDecorations[] = {
    Decoration::RelaxedPrecision,  Decoration::SpecId,
    Decoration::CPacked,           Decoration::BuiltIn,
    Decoration::Restrict,
    Decoration::Volatile,  // kernels with such memory are refused one by one
    Decoration::Constant,          Decoration::NonWritable,
    Decoration::NonReadable,       Decoration::SaturatedConversion,
    Decoration::FuncParamAttr,     Decoration::FPRoundingMode,
    Decoration::FPFastMathMode,
    Decoration::LinkageAttributes,  // a function that is not there is refused by name
    Decoration::NoContraction,     Decoration::Alignment,
    Decoration::MaxByteOffset,     Decoration::NoSignedWrap,
    Decoration::NoUnsignedWrap,
};

constexpr std::string_view kExtensions[] = {"SPV_KHR_no_integer_wrap_decoration",
                                            "SPV_KHR_non_semantic_info"};

template <typename List, typename T>
bool listed(const List& list, const T& value) {
  return std::ranges::find(list, value) != std::end(list);
}

// SPIR-V has work-item functions as variables.
bool is_work_item_variable(BuiltIn variable) {
  return variable >= BuiltIn::NumWorkgroups && variable <= BuiltIn::GlobalLinearId;
}

bool makes_constant(Op opcode) {
  return opcode >= Op::OpConstantTrue && opcode <= Op::OpSpecConstantOp;
}

class Reader {
public:
  void visit(const SpirvInstruction& i) {
    // A word that an instruction lacks is none that is listed.
    const auto word = [&](size_t n) { return n < i.operands.size() ? i.operands[n] : ~0U; };
    switch (i.opcode) {
    case Op::OpCapability:
      if (!listed(kCapabilities, Capability(word(0))))
        refuse("has the capability " + name_of(Capability(word(0))));
      break;
    case Op::OpExtension:
      if (const std::string name = spirv_string(i.operands, 0); !listed(kExtensions, name))
        refuse("has the extension " + name);
      break;
    case Op::OpExtInstImport:
      if (const std::string name = spirv_string(i.operands, 1); !is_known_set(name))
        refuse("has the instructions of " + name);
      break;
    case Op::OpMemoryModel:
      if (spv::AddressingModel(word(0)) != spv::AddressingModel::Physical64 ||
          spv::MemoryModel(word(1)) != spv::MemoryModel::OpenCL)
        refuse("has another memory model than 64-bit OpenCL");
      break;
    case Op::OpEntryPoint:
      entry_point(i);
      break;
    case Op::OpExecutionMode:
      if (!listed(kExecutionModes, ExecutionMode(word(1))))
        refuse("has the execution mode " + std::to_string(word(1)));
      break;
    case Op::OpDecorate:
      decoration(i, 1);
      break;
    case Op::OpMemberDecorate:
      decoration(i, 2);
      break;
    default:
      if (makes_constant(i.opcode) && group_sizes_.contains(word(1)))
        refuse("has a constant for the work-group size");
      if (!is_known(i.opcode))
        refuse("has the instruction " + std::to_string(static_cast<uint32_t>(i.opcode)));
    }
  }

  Result<KernelsOfSpirv> kernels() && {
    if (!why_not_.empty())
      return Status::internal("its intermediate language " + why_not_ + ", which MKMD does not read");
    return std::move(kernels_);
  }

private:
  void refuse(std::string what) {
    if (why_not_.empty()) why_not_ = std::move(what);
  }

  static std::string name_of(Capability capability) {
    const auto* known = std::ranges::find(kOtherCapabilities, capability, &Named::capability);
    return known != std::end(kOtherCapabilities) ? known->name
                                                 : std::to_string(static_cast<uint32_t>(capability));
  }

  static bool is_known_set(std::string_view name) {
    return name == "OpenCL.std" || name == "OpenCL.DebugInfo.100" || name.starts_with("NonSemantic.");
  }

  // The others are the translator's to know: it refuses what it does not.
  static bool is_known(Op opcode) {
    switch (opcode) {
    case Op::OpTypeOpaque:
    case Op::OpDecorationGroup:
    case Op::OpGroupDecorate:
    case Op::OpGroupMemberDecorate:
    case Op::OpExecutionModeId:
    case Op::OpDecorateId:
    case Op::OpDecorateString:
    case Op::OpMemberDecorateString:
      return false;
    default:
      return opcode < Op::OpTypeDeviceEvent ||
             opcode >= Op::OpTypeForwardPointer;  // between: queues and pipes
    }
  }

  void entry_point(const SpirvInstruction& i) {
    if (i.operands.size() < 3 || spv::ExecutionModel(i.operands[0]) != spv::ExecutionModel::Kernel)
      return refuse("is for another kind of entry point");
    if (!functions_.insert(i.operands[1]).second || !kernels_.try_emplace(spirv_string(i.operands, 2)).second)
      refuse("has two names for one kernel, or one for two");
  }

  void decoration(const SpirvInstruction& i, size_t at) {
    const uint32_t which = at < i.operands.size() ? i.operands[at] : ~0U;
    if (!listed(kDecorations, Decoration(which)))
      return refuse("has the decoration " + std::to_string(which));
    if (Decoration(which) != Decoration::BuiltIn) return;
    const auto variable = BuiltIn(at + 1 < i.operands.size() ? i.operands[at + 1] : ~0U);
    // Of a constant: the size that a launch must have.
    if (variable == BuiltIn::WorkgroupSize) group_sizes_.insert(i.operands[0]);
    if (!is_work_item_variable(variable))
      refuse("has the built-in variable " + std::to_string(static_cast<uint32_t>(variable)));
  }

  std::string why_not_;
  std::set<uint32_t> functions_, group_sizes_;
  KernelsOfSpirv kernels_;
};

}  // namespace

Result<KernelsOfSpirv> kernels_of_spirv(const std::string& module) {
  const Result<std::vector<uint32_t>> words = spirv_words(module);
  if (!words) return words.status();
  Reader reader;
  each_instruction(*words, [&](const SpirvInstruction& i) { reader.visit(i); });
  Result<KernelsOfSpirv> kernels = std::move(reader).kernels();
  if (!kernels) return kernels;
  const auto with_volatile = kernels_with_volatile_memory(*words);
  if (!with_volatile) return Status::internal("its intermediate language has volatile memory in odd places");
  for (const std::string& name : *with_volatile)
    (*kernels)[name] = "volatile memory is in its reach";
  return kernels;
}

}  // namespace mkmd::compiler
