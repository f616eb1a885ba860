// SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv.hpp"

#include <algorithm>
#include <cstring>

namespace mkmd::compiler {
namespace {

using spv::Op;

constexpr uint32_t kTurnedMagic = 0x03022307;  // spv::MagicNumber in the other byte order
constexpr size_t kHeaderWords = 5;

size_t words_of_instruction(uint32_t first) {
  return first >> spv::WordCountShift;
}

uint32_t first_word(std::string_view bytes) {
  uint32_t word = 0;
  if (bytes.size() >= sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

struct Numbers {
  std::map<uint32_t, std::vector<uint32_t>> numbered;  // the constants of each number
  std::map<uint32_t, uint32_t> bits;                   // of types of numbers
};

Numbers numbers_of(std::span<const uint32_t> words) {
  Numbers found;
  each_instruction(words, [&](const SpirvInstruction& i) {
    if (i.opcode == Op::OpDecorate && i.operands.size() == 3 &&
        spv::Decoration(i.operands[1]) == spv::Decoration::SpecId)
      found.numbered[i.operands[2]].push_back(i.operands[0]);
    if ((i.opcode == Op::OpTypeInt || i.opcode == Op::OpTypeFloat) && i.operands.size() >= 2)
      found.bits[i.operands[0]] = i.operands[1];
  });
  return found;
}

// Writes the value over the constant that the instruction makes; false: it does not fit.
bool set_constant(std::vector<uint32_t>& words, const SpirvInstruction& i, const std::string& value,
                  const Numbers& numbers) {
  if (i.opcode == Op::OpSpecConstantTrue || i.opcode == Op::OpSpecConstantFalse) {
    if (value.size() != 1) return false;
    const Op opcode = value[0] != 0 ? Op::OpSpecConstantTrue : Op::OpSpecConstantFalse;
    words[i.at] = (words[i.at] & ~spv::OpCodeMask) | static_cast<uint32_t>(opcode);
    return true;
  }
  const auto bits = numbers.bits.find(i.operands[0]);
  if (i.opcode != Op::OpSpecConstant || bits == numbers.bits.end() || bits->second != value.size() * 8)
    return false;
  // Types of OpenCL's integers have no sign, so what fills up a word is zero.
  std::vector<uint32_t> literal((value.size() + 3) / 4, 0);
  std::memcpy(literal.data(), value.data(), value.size());
  if (i.operands.size() != 2 + literal.size()) return false;
  std::ranges::copy(literal, words.begin() + static_cast<std::ptrdiff_t>(i.at) + 3);
  return true;
}

}  // namespace

bool is_spirv(std::string_view bytes) {
  const uint32_t word = first_word(bytes);
  return word == spv::MagicNumber || word == kTurnedMagic;
}

Result<std::vector<uint32_t>> spirv_words(std::string_view bytes) {
  if (first_word(bytes) != spv::MagicNumber)
    return Status::internal("its intermediate language is not in this machine's byte order");
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  bool whole = bytes.size() % sizeof(uint32_t) == 0 && words.size() >= kHeaderWords;
  for (size_t at = kHeaderWords; whole && at < words.size(); at += words_of_instruction(words[at]))
    whole = words_of_instruction(words[at]) != 0 && words_of_instruction(words[at]) <= words.size() - at;
  if (!whole) return Status::internal("its intermediate language ends inside an instruction");
  return words;
}

void each_instruction(std::span<const uint32_t> words,
                      const std::function<void(const SpirvInstruction&)>& visit) {
  for (size_t at = kHeaderWords; at < words.size(); at += words_of_instruction(words[at]))
    visit({Op(words[at] & spv::OpCodeMask), at, words.subspan(at + 1, words_of_instruction(words[at]) - 1)});
}

std::string spirv_string(std::span<const uint32_t> operands, size_t first, size_t* words) {
  std::string text;
  size_t at = first;
  for (bool ended = false; at < operands.size() && !ended; ++at) {
    for (unsigned byte = 0; byte < 4 && !ended; ++byte) {
      const char c = static_cast<char>(operands[at] >> (8 * byte) & 0xff);
      ended = c == '\0';
      if (!ended) text += c;
    }
  }
  if (words != nullptr) *words = at - first;
  return text;
}

Result<std::string> specialised(std::string_view bytes, const SpecialisationConstants& constants) {
  Result<std::vector<uint32_t>> read = spirv_words(bytes);
  if (!read) return read.status();
  const Numbers numbers = numbers_of(*read);
  std::map<uint32_t, const std::string*> values;  // by the constant's id
  for (const auto& [number, value] : constants) {
    const auto ids = numbers.numbered.find(number);
    if (ids == numbers.numbered.end())
      return Status::internal("it has no specialisation constant " + std::to_string(number));
    for (const uint32_t id : ids->second)
      values[id] = &value;
  }
  std::vector<uint32_t> words = *read;
  size_t set = 0;
  each_instruction(*read, [&](const SpirvInstruction& i) {
    if (i.opcode < Op::OpSpecConstantTrue || i.opcode > Op::OpSpecConstant || i.operands.size() < 2) return;
    const auto value = values.find(i.operands[1]);
    if (value != values.end()) set += set_constant(words, i, *value->second, numbers);
  });
  if (set != values.size())
    return Status::internal("one of its specialisation constants has another size than its value");
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
}

}  // namespace mkmd::compiler
