// SPDX-License-Identifier: Apache-2.0
#include "common/text.hpp"

#include <cstdio>

namespace mkmd {

namespace {

// The bytes of the UTF-8 character at the beginning, and its code point; 0: there is none.
size_t character(std::string_view text, uint32_t& code) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  code = length == 1 ? first : first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return 0;
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool good = code >= kLeast[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return good ? length : 0;
}

bool obeyed(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) ||                              // C0, DEL, C1
         code == 0x61C || code == 0x200E || code == 0x200F ||                         // marks of direction
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||  // lines, embeddings
         code == 0xFEFF || code >= 0xE0000;                                           // invisible
}

}  // namespace

std::string counted(uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = character(text, code);
    if (length != 0 && !obeyed(code)) {
      result += text.substr(0, length);
    } else if (text[0] == '\n' || text[0] == '\t') {
      result += text[0] == '\n' ? "\\n" : "\\t";
    } else {
      char escape[16];
      const bool byte = length < 2;
      std::snprintf(escape, sizeof escape, byte ? "\\x%02x" : "\\u%04x",
                    byte ? static_cast<unsigned char>(text[0]) : code);
      result += escape;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace mkmd
