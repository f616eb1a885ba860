// SPDX-License-Identifier: Apache-2.0
#include "compiler/build_options.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {

constexpr const char* kCreateLibrary = "-create-library";

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// How many words, from the i-th on, define a macro of the program's text or include a file in it; 0: none.
size_t words_about_text(const std::vector<std::string>& words, size_t i) {
  for (const char* option : {"-D", "-U", "-I", "-include"})
    if (words[i] == option) return 2;
  const bool joined = words[i].starts_with("-D") || words[i].starts_with("-U") || words[i].starts_with("-I");
  return joined ? 1 : 0;
}

}  // namespace

std::vector<std::string> split_options(const std::string& options) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false, quoted = false;
  for (size_t i = 0; i < options.size(); ++i) {
    const char c = options[i];
    if (c == '"') {
      quoted = !quoted;
      inside = true;
    } else if (c == '\\' && i + 1 < options.size() &&
               (options[i + 1] == '"' || options[i + 1] == '\\' || options[i + 1] == ' ')) {
      word += options[++i];
      inside = true;
    } else if (blank(c) && !quoted) {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

bool only_about_text(const std::string& options) {
  const std::vector<std::string> words = split_options(options);
  for (size_t i = 0; i < words.size();) {
    const bool plain = words[i] == "-w" || words[i] == "-Werror" || words[i] == "-cl-kernel-arg-info" ||
                       words[i] == kCreateLibrary || words[i] == "-enable-link-options" ||
                       words[i].starts_with("-cl-std=");
    const size_t about_text = plain ? 1 : words_about_text(words, i);
    if (about_text == 0) return false;
    i += about_text;
  }
  return true;
}

bool creates_library(const std::string& link_options) {
  const std::vector<std::string> words = split_options(link_options);
  return std::ranges::find(words, kCreateLibrary) != words.end();
}

std::string source_build_options(const std::string& program_options) {
  const std::vector<std::string> words = split_options(program_options);
  std::string options;
  for (size_t i = 0; i < words.size(); ++i) {
    if (const size_t about_text = words_about_text(words, i); about_text > 0) {
      i += about_text - 1;
      continue;
    }
    if (words[i] == "-Werror") continue;
    const bool quote = words[i].find_first_of(" \t\"") != std::string::npos;
    options += (options.empty() ? "" : " ") + (quote ? '"' + words[i] + '"' : words[i]);
  }
  return options;
}

}  // namespace mkmd::compiler
