// SPDX-License-Identifier: Apache-2.0
// Request: everything that decides what mkmd-kc makes of a program. Its JSON text, without the macros that a
// device has said, is also the cache's key.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/included_files.hpp"
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
  bool images = true;  // CL_DEVICE_IMAGE_SUPPORT
  // Units see these files and no others. Null: they see those of the machine. Not in the JSON text.
  std::optional<IncludedFiles> included;
  std::vector<Macros> macros;  // by unit, those that it was found to use; as many as units
};

nlohmann::json to_json(const std::vector<Macros>& macros);
std::vector<Macros> macros_from_json(const nlohmann::json& j);
void to_json(nlohmann::json& j, const Request& r);
void from_json(const nlohmann::json& j, Request& r);

}  // namespace mkmd::compiler
