// SPDX-License-Identifier: Apache-2.0
// Request: everything that decides what mkmd-kc makes of a program. Its JSON text, without the macros that a
// device has said, is also the cache's key.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mkmd::compiler {

// What a device's compiler predefines, by name; nothing: it does not.
using Macros = std::map<std::string, std::optional<std::string>>;

struct Request {
  std::string source;
  std::string options;  // as given to clBuildProgram
  std::vector<std::string>
      extensions;              // CL_DEVICE_EXTENSIONS, and features (__opencl_c_…) of OpenCL 3.0 devices
  std::string device_version;  // CL_DEVICE_VERSION, "OpenCL 3.0 …"
  std::string c_version;       // CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 …"
  unsigned address_bits = 64;
  bool images = true;  // CL_DEVICE_IMAGE_SUPPORT
  Macros macros;       // as far as they are known
};

// JSON is UTF-8, and a program's bytes may be anything: byte N is the character N.
inline std::string characters_of(const std::string& bytes) {
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
inline std::string bytes_of(const std::string& characters) {
  std::string bytes;
  for (size_t i = 0; i < characters.size(); ++i) {
    const auto n = static_cast<unsigned char>(characters[i]);
    const bool two = n >= 0x80 && i + 1 < characters.size();
    bytes += two ? static_cast<char>(n << 6 | (characters[++i] & 0x3f)) : characters[i];
  }
  return bytes;
}

inline nlohmann::json macros_to_json(const Macros& macros) {
  nlohmann::json j = nlohmann::json::object();
  for (const auto& [name, value] : macros)
    j[name] = value ? nlohmann::json(*value) : nlohmann::json();
  return j;
}

inline Macros macros_from_json(const nlohmann::json& j) {
  Macros macros;
  for (const auto& [name, value] : j.items())
    macros[name] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  return macros;
}

inline void to_json(nlohmann::json& j, const Request& r) {
  j = {{"source", characters_of(r.source)},
       {"options", characters_of(r.options)},
       {"extensions", r.extensions},
       {"device_version", r.device_version},
       {"c_version", r.c_version},
       {"address_bits", r.address_bits},
       {"images", r.images},
       {"macros", macros_to_json(r.macros)}};
}

inline void from_json(const nlohmann::json& j, Request& r) {
  r.source = bytes_of(j.at("source").get<std::string>());
  r.options = bytes_of(j.at("options").get<std::string>());
  j.at("extensions").get_to(r.extensions);
  j.at("device_version").get_to(r.device_version);
  j.at("c_version").get_to(r.c_version);
  j.at("address_bits").get_to(r.address_bits);
  j.at("images").get_to(r.images);
  r.macros = macros_from_json(j.at("macros"));
}

}  // namespace mkmd::compiler
