// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/argument_uses.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// From a pointer argument's offsets to the root buffer's, without what lies beyond the end of the argument.
ByteRanges in_root(ByteRanges ranges, const Memory& memory) {
  ranges.clip(0, memory.size);
  ranges.shift(memory.origin);
  return ranges;
}

ByteRanges all_of(const Memory& memory) {
  return {memory.origin, memory.origin + memory.size};
}

// What a launch does to one root buffer, through whichever arguments.
struct Touched {
  ByteRanges others;
  std::vector<compiler::Updated> updates;

  void add(const compiler::Footprint& f, const Memory& memory) {
    const auto bytes = [&](const ByteRanges& known, bool unknown) {
      return unknown ? all_of(memory) : in_root(known, memory);
    };
    if (f.updates.empty()) {
      others.unite(bytes(f.reads, f.reads_unknown));
      others.unite(bytes(f.may_writes, f.writes_unknown));
      return;
    }
    others.unite(bytes(f.others, f.others_unknown));
    for (const auto& [may, unknown] : f.updates) {
      auto at = std::ranges::find(updates, may.by, &compiler::Updated::by);
      if (at == updates.end()) at = updates.insert(at, {may.by, {}});
      at->bytes.unite(bytes(may.bytes, unknown));
    }
  }
};

void find_updates(BufferUses& uses, const KernelArguments& arguments,
                  const std::vector<compiler::Footprint>& footprints) {
  if (std::ranges::all_of(footprints, [](const compiler::Footprint& f) { return f.updates.empty(); })) return;
  for (BufferUse& use : uses) {
    Touched touched;
    for (const compiler::Footprint& f : footprints) {
      const KernelArgument& a = arguments[f.argument];
      if (a.kind == KernelArgument::Kind::memory && a.memory && a.memory->root() == use.root)
        touched.add(f, *a.memory);
    }
    use.updates = compiler::updated_alone(touched.updates, touched.others);
  }
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
  find_updates(uses, arguments, *footprints);
  return uses;
}

}  // namespace mkmd
