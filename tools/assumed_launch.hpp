// SPDX-License-Identifier: Apache-2.0
// The launch that `mkmd kernels` describes a kernel for.
#pragma once

#include "compiler/footprint.hpp"
#include "tools/command_line.hpp"

#include <string>

namespace mkmd::tool {

// The one that is given, completed by assumptions.
struct Case {
  compiler::Launch launch;
  std::string text;
};
Case complete(const compiler::KernelInfo& k, const KernelsOptions& o);

}  // namespace mkmd::tool
