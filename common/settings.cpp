// SPDX-License-Identifier: Apache-2.0
#include "common/settings.hpp"

#include "common/process.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <numeric>

extern char** environ;

namespace mkmd {

namespace {

constexpr const char* kLevels[] = {"quiet", "error", "warning", "info", "debug"};

bool parse(const char* text, bool& value) {
  if (std::strcmp(text, "0") != 0 && std::strcmp(text, "1") != 0) return false;
  value = text[0] == '1';
  return true;
}

bool parse_number(const char* text, int least, int most, int& value) {
  const char* end = text + std::strlen(text);
  int number = 0;
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || stop != end || number < least || number > most) return false;
  value = number;
  return true;
}

bool parse(const char* text, int& value) {
  return parse_number(text, 0, 10000, value);
}

bool parse(const char* text, std::chrono::seconds& value) {
  int number = 0;
  if (!parse_number(text, 1, 3600, number)) return false;
  value = std::chrono::seconds(number);
  return true;
}

bool parse(const char* text, std::string& value) {
  value = text;
  return true;
}

template <typename Value, size_t count>
bool parse_name(const char* text, const char* const (&names)[count], Value& value) {
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(text, names[i]) == 0) {
      value = static_cast<Value>(i);
      return true;
    }
  }
  return false;
}

bool parse(const char* text, LogLevel& value) {
  return parse_name(text, kLevels, value);
}

std::string show(bool value) {
  return value ? "1" : "0";
}
std::string show(int value) {
  return std::to_string(value);
}
std::string show(const std::string& value) {
  return value;
}
std::string show(std::chrono::seconds value) {
  return std::to_string(value.count());
}
std::string show(LogLevel value) {
  return kLevels[static_cast<size_t>(value)];
}

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

void find_unknown(std::vector<std::string>& problems) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "MKMD_", 5) != 0) continue;
    const std::string name(*entry, std::strcspn(*entry, "="));
    const auto& list = setting_list();
    if (std::any_of(list.begin(), list.end(), [&](const SettingInfo& s) { return s.variable == name; }))
      continue;
    const auto nearest = std::min_element(list.begin(), list.end(), [&](const auto& a, const auto& b) {
      return edit_distance(a.variable, name) < edit_distance(b.variable, name);
    });
    problems.push_back("unknown setting " + name + "; did you mean " + nearest->variable +
                       "? (`mkmd help settings` lists all)");
  }
}

std::string xdg(const char* variable, const char* below_home) {
  if (const char* base = secure_getenv(variable); base != nullptr && base[0] == '/') {
    return std::string(base) + "/mkmd";
  }
  // Nowhere else: what lies in a folder others can write to may be theirs, and the cache holds code.
  const char* home = secure_getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + below_home + "/mkmd" : std::string();
}

}  // namespace

const std::vector<SettingInfo>& setting_list() {
  static const auto* list = [] {
    const Settings defaults;
    return new std::vector<SettingInfo>{
#define MKMD_INFO(type, field, variable, fallback, accepted, sentence)                                       \
  {variable, show(defaults.field), accepted, sentence},
        MKMD_SETTINGS(MKMD_INFO)
#undef MKMD_INFO
    };
  }();
  return *list;
}

Settings read_settings(std::vector<std::string>& problems) {
  Settings settings;
  if (secure_execution()) {
    settings.enabled = false;
    return settings;
  }
#define MKMD_READ(type, field, variable, fallback, accepted, sentence)                                       \
  if (const char* text = std::getenv(variable); text != nullptr && !parse(text, settings.field)) {           \
    settings.field = fallback;                                                                               \
    problems.push_back(std::string(variable) + "=" + text + " is not accepted: give " + accepted);           \
  }
  MKMD_SETTINGS(MKMD_READ)
#undef MKMD_READ
  find_unknown(problems);
  return settings;
}

std::string cache_directory() {
  return xdg("XDG_CACHE_HOME", "/.cache");
}
std::string data_directory() {
  return xdg("XDG_DATA_HOME", "/.local/share");
}
std::string file_in(const std::string& directory, const std::string& name) {
  return directory.empty() ? directory : directory + "/" + name;
}

}  // namespace mkmd
