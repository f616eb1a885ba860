// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/argument_uses.hpp"

namespace mkmd {

namespace {

BufferUse& use_of(BufferUses& uses, Memory* root) {
  for (BufferUse& use : uses) {
    if (use.root == root) return use;
  }
  uses.push_back({root, {}, {}, {}});
  return uses.back();
}

// From a pointer argument's offsets to the root buffer's, without what lies beyond the end of the argument.
ByteRanges in_root(ByteRanges ranges, const Memory& memory) {
  ranges.clip(0, memory.size);
  ranges.shift(memory.origin);
  return ranges;
}

ByteRanges all_of(const Memory& memory) {
  return {memory.origin, memory.origin + memory.size};
}

BufferUses any_use(const KernelArguments& arguments) {
  BufferUses uses;
  for (const KernelArgument& a : arguments) {
    if (a.kind != KernelArgument::Kind::memory || !a.memory) continue;
    BufferUse& use = use_of(uses, a.memory->root());
    for (ByteRanges* set : {&use.reads, &use.writes, &use.needed})
      set->unite(all_of(*a.memory));
  }
  return uses;
}

}  // namespace

BufferUses buffer_uses(const KernelArguments& arguments, const std::vector<compiler::Footprint>* footprints) {
  if (footprints == nullptr) return any_use(arguments);
  BufferUses uses;
  for (const compiler::Footprint& f : *footprints) {
    const KernelArgument& a = arguments[f.argument];
    const Ref<Memory>& memory = a.memory;
    if (a.kind != KernelArgument::Kind::memory || !memory) continue;  // nobody captured writes an image
    BufferUse& use = use_of(uses, memory->root());
    const ByteRanges reads = f.reads_unknown ? all_of(*memory) : in_root(f.reads, *memory);
    const ByteRanges writes = f.writes_unknown ? all_of(*memory) : in_root(f.may_writes, *memory);
    ByteRanges needed = writes;
    if (!f.writes_unknown) needed.subtract(in_root(f.sure_writes, *memory));
    needed.unite(reads);
    use.reads.unite(reads);
    use.writes.unite(writes);
    use.needed.unite(needed);
  }
  return uses;
}

}  // namespace mkmd
