// SPDX-License-Identifier: Apache-2.0
// SPIR-V as bytes: telling it from OpenCL C, walking over its instructions, and setting its specialisation
// constants. What its instructions mean is left to the translator (compiler/helper/translator.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.hpp"

namespace mkmd::compiler {

// No text of OpenCL C begins so: a unit's bytes say which language it is in.
bool is_spirv(std::string_view bytes);

struct SpirvInstruction {
  spv::Op opcode = spv::Op::OpNop;
  size_t at = 0;                       // its first word's place in the module
  std::span<const uint32_t> operands;  // the words behind the first one
};

// The module's words in its order; an error unless it is in this machine's byte order and consists of whole
// instructions.
Result<std::vector<uint32_t>> spirv_words(std::string_view bytes);
void each_instruction(std::span<const uint32_t> words,
                      const std::function<void(const SpirvInstruction&)>& visit);
// The string that begins at this operand; `words`: how many operands it takes.
std::string spirv_string(std::span<const uint32_t> operands, size_t first, size_t* words = nullptr);

// What clSetProgramSpecializationConstant was given, by the constant's number.
using SpecialisationConstants = std::map<uint32_t, std::string>;

// The module with these values in place of the constants' own. An error if a constant is not there, or not of
// so many bytes.
Result<std::string> specialised(std::string_view bytes, const SpecialisationConstants& constants);

}  // namespace mkmd::compiler
