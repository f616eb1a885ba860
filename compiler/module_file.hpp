// SPDX-License-Identifier: Apache-2.0
// The file mkmd-kc answers with, and the same bytes as a cache entry. It begins with a fixed header of
// lengths and a checksum. A JSON part follows: kernels, dependencies, the request it answers, or an error.
// The source for pieces comes last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.hpp"
#include "common/status.hpp"
#include "compiler/kernel_info.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

struct ModuleFile {
  std::string key;    // the request's text and the helper's version
  std::string error;  // not empty: the program could not be compiled; nothing below is set
  // Not empty: a unit of the program uses these predefined macros, whose values are not known; nothing below
  // is set.
  std::vector<std::string> macros_wanted;
  size_t macros_unit = 0;
  std::vector<Macros> macros;  // by unit: those that it uses
  std::vector<KernelInfo> kernels;
  std::vector<Dependency> dependencies;  // of all units, each once and by path
  std::vector<std::string> sources;      // the units with the kernels for pieces; OpenCL C or SPIR-V
  std::string no_source;                 // why there is none though a kernel may be split

  std::string encode() const;
  static Result<ModuleFile> decode(std::string_view bytes);
};

}  // namespace mkmd::compiler
