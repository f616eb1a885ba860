// SPDX-License-Identifier: Apache-2.0
// Whether no two work-groups of a launch meet in the buffers that it writes at loaded indices, told from the
// indices themselves. Each work-item's accesses are looked at one by one.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/item_values.hpp"
#include "compiler/owned_bytes.hpp"

namespace mkmd::compiler {

// What an argument of the launch leads to.
struct Target {
  uint64_t root = 0;              // equal for arguments that lead to the same buffer; 0: to none
  uint64_t origin = 0, size = 0;  // bytes in it
  uint64_t root_size = 0;
  Contents contents{};
};

// Whether some write goes where a loaded number says.
bool writes_at_loaded(const KernelInfo& info);

// The buffers that this may be shown of: those that are written at loaded indices.
std::vector<uint64_t> scattered_roots(const KernelInfo& info, std::span<const Target> targets);

// The arguments whose contents tell where the launch touches these buffers. Empty: none tell, since the
// launch may write these arguments itself.
std::vector<int> index_arguments(const KernelInfo& info, std::span<const Target> targets,
                                 std::span<const uint64_t> roots);

enum class Shown {
  apart,    // in each of these buffers, no work-group touches a byte that another one writes
  nothing,  // they may meet
  stopped,  // `go_on` was false
};
// `targets`: by argument, with contents. `owned`: gets what each work-group writes, by root, if they are
// apart; may be null.
Shown groups_apart(const KernelInfo& info, const Launch& launch, std::span<const Target> targets,
                   std::span<const uint64_t> roots, const std::function<bool()>& go_on,
                   std::vector<OwnedBytes>* owned = nullptr);

}  // namespace mkmd::compiler
