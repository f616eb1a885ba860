// SPDX-License-Identifier: Apache-2.0
#include "tools/index_buffers.hpp"

#include "compiler/groups_apart.hpp"

#include <algorithm>

namespace mkmd::tool {

std::string index_buffers(const compiler::KernelInfo& kernel, int written) {
  std::vector<compiler::Target> targets(kernel.arguments.size());
  for (size_t i = 0; i < targets.size(); ++i)
    targets[i].root = i + 1;
  const uint64_t root = targets[static_cast<size_t>(written)].root;
  std::string names;
  if (std::ranges::count(compiler::scattered_roots(kernel, targets), root) == 0) return names;
  for (const int argument : compiler::index_arguments(kernel, targets, {&root, 1}))
    names += (names.empty() ? "'" : ", '") + kernel.arguments[static_cast<size_t>(argument)].name + "'";
  return names;
}

}  // namespace mkmd::tool
