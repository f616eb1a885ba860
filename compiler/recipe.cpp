// SPDX-License-Identifier: Apache-2.0
#include "compiler/recipe.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace mkmd::compiler {

using nlohmann::json;

Recipe linked(const std::vector<const Recipe*>& inputs, std::string options) {
  Recipe whole;
  Link last;
  last.options = std::move(options);
  for (const Recipe* input : inputs) {
    const size_t units = whole.units.size(), links = whole.links.size();
    whole.units.insert(whole.units.end(), input->units.begin(), input->units.end());
    for (const Link& link : input->links) {
      Link& moved = whole.links.emplace_back(link);
      for (Link::Input& i : moved.inputs)
        i.index += i.is_link ? links : units;
    }
    const bool is_link = !input->links.empty();
    last.inputs.push_back({is_link, (is_link ? whole.links.size() : whole.units.size()) - 1});
  }
  whole.links.push_back(std::move(last));
  return whole;
}

bool is_complete(const Recipe& recipe) {
  for (size_t i = 0; i < recipe.links.size(); ++i) {
    const bool all = std::ranges::all_of(recipe.links[i].inputs, [&](const Link::Input& input) {
      return input.index < (input.is_link ? i : recipe.units.size());
    });
    if (!all || recipe.links[i].inputs.empty()) return false;
  }
  return !recipe.links.empty() || recipe.units.size() == 1;
}

std::string characters_of(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto n = static_cast<unsigned char>(byte);
    if (n < 0x80) {
      text += byte;
    } else {
      text += static_cast<char>(0xc0 | n >> 6);
      text += static_cast<char>(0x80 | (n & 0x3f));
    }
  }
  return text;
}

std::string bytes_of(const std::string& characters) {
  std::string bytes;
  for (size_t i = 0; i < characters.size(); ++i) {
    const auto n = static_cast<unsigned char>(characters[i]);
    const bool two = n >= 0x80 && i + 1 < characters.size();
    bytes += two ? static_cast<char>(n << 6 | (characters[++i] & 0x3f)) : characters[i];
  }
  return bytes;
}

void to_json(json& j, const Unit& unit) {
  j = {{"source", characters_of(unit.source)}, {"options", characters_of(unit.options)}};
  j["headers"] = json::object();
  for (const auto& [name, text] : unit.headers)
    j["headers"][characters_of(name)] = characters_of(text);
}

void from_json(const json& j, Unit& unit) {
  unit.source = bytes_of(j.at("source").get<std::string>());
  unit.options = bytes_of(j.at("options").get<std::string>());
  for (const auto& [name, text] : j.at("headers").items())
    unit.headers[bytes_of(name)] = bytes_of(text.get<std::string>());
}

void to_json(json& j, const Recipe& recipe) {
  j = {{"units", recipe.units}, {"links", json::array()}};
  for (const Link& link : recipe.links) {
    json inputs = json::array();
    for (const Link::Input& input : link.inputs)
      inputs.push_back({input.is_link, input.index});
    j["links"].push_back({{"options", characters_of(link.options)}, {"inputs", std::move(inputs)}});
  }
}

void from_json(const json& j, Recipe& recipe) {
  j.at("units").get_to(recipe.units);
  for (const json& one : j.at("links")) {
    Link& link = recipe.links.emplace_back();
    link.options = bytes_of(one.at("options").get<std::string>());
    for (const json& input : one.at("inputs"))
      link.inputs.push_back({input.at(0).get<bool>(), input.at(1).get<size_t>()});
  }
}

}  // namespace mkmd::compiler
