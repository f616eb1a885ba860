// SPDX-License-Identifier: Apache-2.0
// The device that is assumed where none is at hand: for people who look at the kernels of a file.
#pragma once

#include "compiler/request.hpp"

#include <algorithm>

namespace mkmd::compiler {

inline Request request_without_device(std::vector<Unit> units) {
  Request request;
  request.units = std::move(units);
  request.macros.resize(request.units.size());
  request.device_version = "OpenCL 3.0";
  request.c_version = "OpenCL C 1.2";
  request.extensions = {"cl_khr_fp64",
                        "cl_khr_byte_addressable_store",
                        "cl_khr_global_int32_base_atomics",
                        "cl_khr_local_int32_base_atomics",
                        "cl_khr_global_int32_extended_atomics",
                        "cl_khr_local_int32_extended_atomics",
                        "cl_khr_int64_base_atomics",
                        "cl_khr_int64_extended_atomics"};
  return request;
}

// Its compiler predefines the extensions that it has, and nothing else.
inline std::optional<std::string> predefined_by_assumed(const Request& request, const std::string& name) {
  const bool has = std::ranges::find(request.extensions, name) != request.extensions.end();
  return has ? std::optional<std::string>("1") : std::nullopt;
}

}  // namespace mkmd::compiler
