// SPDX-License-Identifier: Apache-2.0
#include "compiler/request.hpp"

#include <nlohmann/json.hpp>

namespace mkmd::compiler {

nlohmann::json to_json(const std::vector<Macros>& macros) {
  nlohmann::json j = nlohmann::json::array();
  for (const Macros& of_unit : macros) {
    nlohmann::json& known = j.emplace_back(nlohmann::json::object());
    for (const auto& [name, value] : of_unit)
      known[name] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  return j;
}

std::vector<Macros> macros_from_json(const nlohmann::json& j) {
  std::vector<Macros> macros;
  for (const nlohmann::json& known : j) {
    Macros& of_unit = macros.emplace_back();
    for (const auto& [name, value] : known.items())
      of_unit[name] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  }
  return macros;
}

void to_json(nlohmann::json& j, const Request& r) {
  j = {{"units", r.units},           {"extensions", r.extensions},     {"device_version", r.device_version},
       {"c_version", r.c_version},   {"address_bits", r.address_bits}, {"images", r.images},
       {"macros", to_json(r.macros)}};
}

void from_json(const nlohmann::json& j, Request& r) {
  j.at("units").get_to(r.units);
  j.at("extensions").get_to(r.extensions);
  j.at("device_version").get_to(r.device_version);
  j.at("c_version").get_to(r.c_version);
  j.at("address_bits").get_to(r.address_bits);
  j.at("images").get_to(r.images);
  r.macros = macros_from_json(j.at("macros"));
  r.macros.resize(r.units.size());
}

}  // namespace mkmd::compiler
