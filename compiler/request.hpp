// SPDX-License-Identifier: Apache-2.0
// Request: everything that decides what mkmd-kc makes of a program. Its JSON text, without the macros that a
// device has said, is also the cache's key.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/recipe.hpp"

namespace mkmd::compiler {

// What a device's compiler predefines, by name; nothing: it does not.
using Macros = std::map<std::string, std::optional<std::string>>;

struct Request {
  std::vector<Unit> units;  // of the program, at least one
  std::vector<std::string>
      extensions;              // CL_DEVICE_EXTENSIONS, and features (__opencl_c_…) of OpenCL 3.0 devices
  std::string device_version;  // CL_DEVICE_VERSION, "OpenCL 3.0 …"
  std::string c_version;       // CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 …"
  unsigned address_bits = 64;
  bool images = true;          // CL_DEVICE_IMAGE_SUPPORT
  std::vector<Macros> macros;  // by unit, those that it was found to use; as many as units
};

inline nlohmann::json to_json(const std::vector<Macros>& macros) {
  nlohmann::json j = nlohmann::json::array();
  for (const Macros& of_unit : macros) {
    nlohmann::json& known = j.emplace_back(nlohmann::json::object());
    for (const auto& [name, value] : of_unit)
      known[name] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  return j;
}

inline std::vector<Macros> macros_from_json(const nlohmann::json& j) {
  std::vector<Macros> macros;
  for (const nlohmann::json& known : j) {
    Macros& of_unit = macros.emplace_back();
    for (const auto& [name, value] : known.items())
      of_unit[name] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  }
  return macros;
}

inline void to_json(nlohmann::json& j, const Request& r) {
  j = {{"units", r.units},           {"extensions", r.extensions},     {"device_version", r.device_version},
       {"c_version", r.c_version},   {"address_bits", r.address_bits}, {"images", r.images},
       {"macros", to_json(r.macros)}};
}

inline void from_json(const nlohmann::json& j, Request& r) {
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
