// SPDX-License-Identifier: Apache-2.0
// Index buffers, for `mkmd kernels`: the arguments whose contents say where a kernel writes.
#pragma once

#include "compiler/kernel_info.hpp"

#include <string>

namespace mkmd::tool {

// Names of the arguments that a written argument's indices are loaded from, where their contents may show
// that a launch can be split. Each argument counts as a buffer of its own. Empty: there are none.
std::string index_buffers(const compiler::KernelInfo& kernel, int written);

}  // namespace mkmd::tool
