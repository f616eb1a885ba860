// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/spirv_volatile.hpp"

#include <map>
#include <vector>

#include "compiler/spirv.hpp"

namespace mkmd::compiler {
namespace {

using spv::Op;

bool is_volatile(uint32_t decoration) {
  return spv::Decoration(decoration) == spv::Decoration::Volatile;
}

bool is_local_or_private(uint32_t storage) {
  const auto is = [&](spv::StorageClass which) { return spv::StorageClass(storage) == which; };
  return is(spv::StorageClass::Workgroup) || is(spv::StorageClass::Private) ||
         is(spv::StorageClass::Function);
}

class Finder {
public:
  void visit(const SpirvInstruction& i) {
    const auto word = [&](size_t n) { return n < i.operands.size() ? i.operands[n] : 0; };
    switch (i.opcode) {
    case Op::OpEntryPoint:
      kernels_[word(1)] = spirv_string(i.operands, 2);
      break;
    case Op::OpDecorate:
      if (is_volatile(word(1))) unplaced_.insert(word(0));
      break;
    case Op::OpMemberDecorate:
      anywhere_ = anywhere_ || is_volatile(word(2));
      break;
    case Op::OpTypePointer:
      if (is_local_or_private(word(1))) own_.insert(word(0));
      break;
    case Op::OpFunction:
      function_ = word(1);
      break;
    case Op::OpFunctionEnd:
      function_ = 0;
      break;
    case Op::OpFunctionCall:
      callers_[word(2)].push_back(function_);
      break;
    case Op::OpFunctionParameter:
    case Op::OpVariable:
      if ((function_ != 0 || own_.contains(word(0))) && unplaced_.erase(word(1)) > 0 &&
          !own_.contains(word(0)))
        reaching_.push_back(function_);
      break;
    default:
      break;
    }
  }

  std::optional<std::set<std::string>> kernels() {
    if (anywhere_ || !unplaced_.empty()) return std::nullopt;
    std::set<uint32_t> seen;
    std::set<std::string> found;
    while (!reaching_.empty()) {
      const uint32_t function = reaching_.back();
      reaching_.pop_back();
      if (!seen.insert(function).second) continue;
      if (const auto kernel = kernels_.find(function); kernel != kernels_.end()) found.insert(kernel->second);
      const std::vector<uint32_t>& callers = callers_[function];
      reaching_.insert(reaching_.end(), callers.begin(), callers.end());
    }
    return found;
  }

private:
  std::set<uint32_t> unplaced_, own_;  // volatile objects that were not met yet; types of pointers
  std::map<uint32_t, std::string> kernels_;
  std::map<uint32_t, std::vector<uint32_t>> callers_;
  std::vector<uint32_t> reaching_;  // functions
  uint32_t function_ = 0;           // that the instructions are in
  bool anywhere_ = false;
};

}  // namespace

std::optional<std::set<std::string>> kernels_with_volatile_memory(std::span<const uint32_t> module) {
  Finder finder;
  each_instruction(module, [&](const SpirvInstruction& i) { finder.visit(i); });
  return finder.kernels();
}

}  // namespace mkmd::compiler
