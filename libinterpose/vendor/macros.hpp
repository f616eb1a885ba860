// SPDX-License-Identifier: Apache-2.0
// What a device's own OpenCL C compiler predefines. It is asked with a kernel that reports macros as text.
#pragma once

#include "common/status.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mkmd::vendor {

// Tells a device's compiler from others. The platform's version names it, too, and a driver may change it
// without changing its own.
std::string compiler_of(const Device& device);

using Macros = std::map<std::string, std::optional<std::string>>;

// The replacement text of each name, or nothing where it is not defined, for programs built with these
// options. Of the options, those that begin with -cl- count. Names that were asked before are answered,
// too. The answers are kept in `cache_file`, by kind of device and driver version. An empty name keeps them
// in this process only. Any thread may call it. Fails if the device cannot be asked, or if a macro's text
// cannot be had (a function-like macro).
Result<Macros> predefined_macros(const Device& device, const std::string& build_options,
                                 const std::vector<std::string>& names, const std::string& cache_file);

}  // namespace mkmd::vendor
