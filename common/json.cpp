// SPDX-License-Identifier: Apache-2.0
#include "common/json.hpp"

#include <algorithm>
#include <string>

namespace mkmd {

namespace {

constexpr size_t kMostComplaint = 300;  // it quotes the text

std::string place_of(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
}

// Where a text opens one level too many; npos: nowhere. Of a text that is no JSON it is right up to where
// that stops being JSON.
size_t too_deep(std::string_view text) {
  int levels = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++levels > kMostJsonLevels) return i;
    } else if (c == ']' || c == '}') {
      --levels;
    }
  }
  return std::string_view::npos;
}

// Where the text stops being JSON, and why. The sentence is the library's, without its own numbering and
// without bytes that a terminal might take for commands.
std::string complaint(std::string_view text, const nlohmann::json::exception& e) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "it is empty";
  std::string what = e.what();
  const size_t number = what.find("] ");
  if (number != std::string::npos) what.erase(0, number + 2);
  for (const std::string_view prefix : {"parse error at ", "syntax error "})
    if (what.starts_with(prefix)) what.erase(0, prefix.size());
  // The library does not say where a number is that does not fit; it quotes it.
  const size_t quote = what.find('\'');
  if (what.starts_with("number overflow") && quote != std::string::npos) {
    const size_t at = text.find(what.substr(quote + 1, what.size() - quote - 2));
    what = place_of(text, at == std::string_view::npos ? 0 : at) + what;
  }
  if (what.size() > kMostComplaint) what.resize(kMostComplaint);
  for (char& c : what)
    if (c < ' ' || c > '~') c = '?';
  return what;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text) {
  if (text.size() > kMostJsonBytes)
    return Status::internal("it has " + std::to_string(text.size()) + " bytes, more than " +
                            std::to_string(kMostJsonBytes));
  if (const size_t at = too_deep(text); at != std::string_view::npos)
    return Status::internal(place_of(text, at) + "more than " + std::to_string(kMostJsonLevels) +
                            " levels of lists and objects");
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    return Status::internal(complaint(text, e));
  }
}

}  // namespace mkmd
