// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/argument_uses.hpp"

#include <algorithm>

namespace mkmd {

namespace {

BufferUses any_use(const KernelArguments& arguments) {
  BufferUses uses;
  for (const KernelArgument& a : arguments) {
    if (a.kind != KernelArgument::Kind::memory || !a.memory) continue;
    BufferUse& use = use_of(uses, a.memory->root());
    for (ByteRanges* set : {&use.reads, &use.writes, &use.needed})
      set->add(a.memory->origin, a.memory->origin + a.memory->size);
  }
  return uses;
}

}  // namespace

BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints) {
  if (footprints == nullptr) return any_use(arguments);
  struct Root {
    Memory* memory;
    std::vector<compiler::Through> through;
  };
  std::vector<Root> roots;
  for (const compiler::Footprint& f : *footprints) {
    const KernelArgument& a = arguments[f.argument];
    if (a.kind != KernelArgument::Kind::memory || !a.memory) continue;  // nobody captured writes an image
    auto root = std::ranges::find(roots, a.memory->root(), &Root::memory);
    if (root == roots.end()) root = roots.insert(root, {a.memory->root(), {}});
    root->through.push_back({&f, a.memory->origin, a.memory->size});
  }
  BufferUses uses;
  for (const Root& root : roots)
    uses.push_back({compiler::use_of(root.through), root.memory});
  return uses;
}

}  // namespace mkmd
