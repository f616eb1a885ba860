// SPDX-License-Identifier: Apache-2.0
// Which kernels of a SPIR-V module have volatile memory in reach. Accesses carry that mark of their own in
// modules of most producers, but an object's decoration is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace mkmd::compiler {

// By name. Memory of a work-group or a work-item does not count. Nothing: an object is volatile of which it
// is not known who uses it.
std::optional<std::set<std::string>> kernels_with_volatile_memory(std::span<const uint32_t> module);

}  // namespace mkmd::compiler
