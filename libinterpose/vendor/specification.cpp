// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/specification.hpp"

#include "libinterpose/vendor/vendor.hpp"

#include <algorithm>
#include <charconv>

namespace mkmd::vendor {

namespace {

constexpr const char* kForm = "PLATFORM[:INDEX][/PARTS], comma-separated, such as pocl, pocl:0 or pocl/2";

// What users call a platform, and what it calls itself (a part of it, in lower case).
constexpr struct {
  const char* short_name;
  const char* part;
} kShortNames[] = {
    {"pocl", "portable computing language"},
    {"oclgrind", "oclgrind"},
    {"intel", "intel"},
    {"nvidia", "nvidia"},
    {"amd", "amd"},
    {"rusticl", "rusticl"},
};

bool parse_number(const std::string& text, int lowest, int& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= lowest;
}

Result<Item> parse_item(const std::string& text) {
  const auto wrong = [&](const std::string& what) {
    return Status::internal("\"" + text + "\" is not a device: " + what + "; give " + kForm);
  };
  Item item{text, text, std::nullopt, 1};
  if (const size_t slash = item.platform.rfind('/'); slash != std::string::npos) {
    const std::string parts = item.platform.substr(slash + 1);
    if (!parse_number(parts, 1, item.parts)) return wrong("\"" + parts + "\" is not a number of parts");
    item.platform.resize(slash);
  }
  if (const size_t colon = item.platform.rfind(':'); colon != std::string::npos) {
    const std::string index = item.platform.substr(colon + 1);
    int number = 0;
    if (!parse_number(index, 0, number)) return wrong("\"" + index + "\" is not a device index");
    item.index = number;
    item.platform.resize(colon);
  }
  if (item.platform.empty()) return wrong("the platform's name is missing");
  item.platform = lower_case(item.platform);
  return item;
}

}  // namespace

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  });
  return text;
}

Result<std::vector<Item>> parse_specification(const std::string& specification) {
  std::vector<Item> items;
  for (size_t begin = 0; begin <= specification.size();) {
    const size_t end = std::min(specification.find(',', begin), specification.size());
    std::string text = specification.substr(begin, end - begin);
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    auto item = parse_item(text);
    if (!item) return item.status();
    items.push_back(std::move(*item));
    begin = end + 1;
  }
  return items;
}

bool platform_matches(const std::string& platform_name, const std::string& wanted) {
  const std::string name = lower_case(platform_name);
  for (const auto& known : kShortNames) {
    if (wanted == known.short_name) return name.find(known.part) != std::string::npos;
  }
  return name.find(wanted) != std::string::npos;
}

std::string short_name(const Platform& platform) {
  const std::string name = lower_case(platform.name);
  for (const auto& known : kShortNames) {
    if (name.find(known.part) != std::string::npos) return known.short_name;
  }
  return name.substr(0, name.find_first_of(" ,:/("));
}

}  // namespace mkmd::vendor
