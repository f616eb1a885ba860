// SPDX-License-Identifier: Apache-2.0
#include "common/json.hpp"

#include <algorithm>
#include <string>

namespace mkmd {

namespace {

// Where the text stops being JSON, and why: what the library says, without its own numbering and without
// bytes that a terminal might take for commands.
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
    const std::string_view before = text.substr(0, at == std::string_view::npos ? 0 : at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    what = "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what;
  }
  for (char& c : what)
    if (c < ' ' || c > '~') c = '?';
  return what;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    return Status::internal(complaint(text, e));
  }
}

}  // namespace mkmd
