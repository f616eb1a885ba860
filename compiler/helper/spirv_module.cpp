// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/spirv_module.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "compiler/helper/spirv_volatile.hpp"
#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

// Numbers are those of the SPIR-V specification.
enum Opcode : uint16_t {
  kExtension = 10,
  kExtInstImport = 11,
  kMemoryModel = 14,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeOpaque = 31,
  kTypeDeviceEvent = 35,
  kTypeForwardPointer = 39,
  kConstantTrue = 41,
  kSpecConstantOp = 52,  // the last of all that make constants
  kDecorate = 71,
  kMemberDecorate = 72,
  kDecorationGroup = 73,
  kGroupDecorate = 74,
  kGroupMemberDecorate = 75,
  kExecutionModeId = 331,
  kDecorateId = 332,
  kDecorateString = 5632,
  kMemberDecorateString = 5633,
};

struct Named {
  uint32_t number;
  const char* name;
};

constexpr uint32_t kCapabilities[] = {
    4,   // Addresses
    5,   // Linkage
    6,   // Kernel
    7,   // Vector16
    8,   // Float16Buffer
    9,   // Float16
    10,  // Float64
    11,  // Int64
    12,  // Int64Atomics
    13,  // ImageBasic: kernels with images are refused one by one
    14,  // ImageReadWrite
    18,  // Groups: work_group_* are refused by name, copies are not
    20,  // LiteralSampler
    22,  // Int16
    38,  // GenericPointer
    39,  // Int8
    43,  // Sampled1D
    44,  // Image1D
    46,  // SampledBuffer
    47,  // ImageBuffer
    50,  // ImageQuery
};
// Which a user may have heard of.
constexpr Named kOtherCapabilities[] = {
    {17, "Pipes"},
    {19, "DeviceEnqueue"},
    {58, "SubgroupDispatch"},
    {5568, "SubgroupShuffleINTEL"},
    {5603, "FunctionPointersINTEL"},
};

constexpr uint32_t kExecutionModes[] = {
    17,  // LocalSize
    18,  // LocalSizeHint
    30,  // VecTypeHint
    31,  // ContractionOff
};

constexpr uint32_t kDecorations[] = {
    0,     // RelaxedPrecision
    1,     // SpecId
    10,    // CPacked
    11,    // BuiltIn
    19,    // Restrict
    21,    // Volatile: kernels with such memory are refused one by one
    22,    // Constant
    24,    // NonWritable
    25,    // NonReadable
    28,    // SaturatedConversion
    38,    // FuncParamAttr
    39,    // FPRoundingMode
    40,    // FPFastMathMode
    41,    // LinkageAttributes: a function that is not there is refused by name
    42,    // NoContraction
    44,    // Alignment
    45,    // MaxByteOffset
    4469,  // NoSignedWrap
    4470,  // NoUnsignedWrap
};
constexpr uint32_t kBuiltIn = 11;
constexpr uint32_t kFirstBuiltIn = 24, kLastBuiltIn = 34;  // NumWorkgroups to GlobalLinearId
constexpr uint32_t kWorkgroupSize = 25;                    // of a constant: the size that a launch must have
constexpr uint32_t kPhysical64 = 2, kOpenCL = 2, kKernel = 6;  // memory model, execution model

constexpr std::string_view kExtensions[] = {"SPV_KHR_no_integer_wrap_decoration",
                                            "SPV_KHR_non_semantic_info"};

template <typename List, typename T>
bool listed(const List& list, const T& value) {
  return std::ranges::find(list, value) != std::end(list);
}

// SPIR-V has work-item functions as variables.
bool is_work_item_variable(uint32_t number) {
  return number >= kFirstBuiltIn && number <= kLastBuiltIn;
}

class Reader {
public:
  void visit(const SpirvInstruction& i) {
    // A word that an instruction lacks is none that is listed.
    const auto word = [&](size_t n) { return n < i.operands.size() ? i.operands[n] : ~0U; };
    switch (i.opcode) {
    case kCapability:
      if (!listed(kCapabilities, word(0))) refuse("has the capability " + name_of_capability(word(0)));
      break;
    case kExtension:
      if (const std::string name = spirv_string(i.operands, 0); !listed(kExtensions, name))
        refuse("has the extension " + name);
      break;
    case kExtInstImport:
      if (const std::string name = spirv_string(i.operands, 1); !is_known_set(name))
        refuse("has the instructions of " + name);
      break;
    case kMemoryModel:
      if (word(0) != kPhysical64 || word(1) != kOpenCL) refuse("has another memory model than 64-bit OpenCL");
      break;
    case kEntryPoint:
      entry_point(i);
      break;
    case kExecutionMode:
      if (!listed(kExecutionModes, word(1))) refuse("has the execution mode " + std::to_string(word(1)));
      break;
    case kDecorate:
      decoration(i, 1);
      break;
    case kMemberDecorate:
      decoration(i, 2);
      break;
    default:
      if (i.opcode >= kConstantTrue && i.opcode <= kSpecConstantOp && group_sizes_.contains(word(1)))
        refuse("has a constant for the work-group size");
      if (!is_known(i.opcode)) refuse("has the instruction " + std::to_string(i.opcode));
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

  static std::string name_of_capability(uint32_t number) {
    const auto* known = std::ranges::find(kOtherCapabilities, number, &Named::number);
    return known != std::end(kOtherCapabilities) ? known->name : std::to_string(number);
  }

  static bool is_known_set(std::string_view name) {
    return name == "OpenCL.std" || name == "OpenCL.DebugInfo.100" || name.starts_with("NonSemantic.");
  }

  // The others are the translator's to know: it refuses what it does not.
  static bool is_known(uint16_t opcode) {
    switch (opcode) {
    case kTypeOpaque:
    case kDecorationGroup:
    case kGroupDecorate:
    case kGroupMemberDecorate:
    case kExecutionModeId:
    case kDecorateId:
    case kDecorateString:
    case kMemberDecorateString:
      return false;
    default:
      return opcode < kTypeDeviceEvent || opcode >= kTypeForwardPointer;  // between them: queues and pipes
    }
  }

  void entry_point(const SpirvInstruction& i) {
    if (i.operands.size() < 3 || i.operands[0] != kKernel)
      return refuse("is for another kind of entry point");
    if (!functions_.insert(i.operands[1]).second || !kernels_.try_emplace(spirv_string(i.operands, 2)).second)
      refuse("has two names for one kernel, or one for two");
  }

  void decoration(const SpirvInstruction& i, size_t at) {
    const uint32_t which = at < i.operands.size() ? i.operands[at] : ~0U;
    const uint32_t value = at + 1 < i.operands.size() ? i.operands[at + 1] : ~0U;
    if (!listed(kDecorations, which)) return refuse("has the decoration " + std::to_string(which));
    if (which == kBuiltIn && value == kWorkgroupSize) group_sizes_.insert(i.operands[0]);
    if (which == kBuiltIn && !is_work_item_variable(value))
      return refuse("has the built-in variable " + std::to_string(value));
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
