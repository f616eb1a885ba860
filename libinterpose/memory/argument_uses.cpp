// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/argument_uses.hpp"

#include "libinterpose/memory/storage.hpp"

#include <algorithm>

namespace mkmd {

namespace {

uint64_t number_of(const Memory* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

BufferUses any_use(const KernelArguments& arguments) {
  BufferUses uses;
  for (const KernelArgument& a : arguments) {
    Memory* const memory = a.tracked();
    if (memory == nullptr) continue;
    BufferUse& use = use_of(uses, memory->root());
    for (ByteRanges* set : {&use.reads, &use.writes, &use.needed})
      set->add(memory->origin, memory->origin + memory->size);
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
    Memory* const memory = arguments[f.argument].tracked();
    if (memory == nullptr) continue;
    auto root = std::ranges::find(roots, memory->root(), &Root::memory);
    if (root == roots.end()) root = roots.insert(root, {memory->root(), {}});
    root->through.push_back({&f, memory->origin, memory->size, memory->unit()});
  }
  BufferUses uses;
  for (const Root& root : roots)
    uses.push_back({compiler::use_of(root.through), root.memory});
  return uses;
}

void tell_apart(BufferUses& uses, const Inspection& shown, const compiler::GroupBox& box,
                size_t most_blocks) {
  for (BufferUse& use : uses) {
    const auto root = std::ranges::find(shown.apart, use.root);
    if (root == shown.apart.end()) continue;
    if (shown.owned == nullptr) {
      use.apart = true;
    } else {
      (*shown.owned)[static_cast<size_t>(root - shown.apart.begin())].limit(use, box, most_blocks);
    }
  }
}

std::vector<compiler::Target> targets_of(const KernelArguments& arguments) {
  std::vector<compiler::Target> targets;
  for (const KernelArgument& a : arguments) {
    compiler::Target& target = targets.emplace_back();
    Memory* const memory = a.tracked();
    if (memory == nullptr || !memory->is_buffer) continue;
    target = {number_of(memory->root()), memory->origin, memory->size, memory->root()->size};
  }
  return targets;
}

std::vector<Memory*> roots_of(const KernelArguments& arguments, const std::vector<uint64_t>& numbers) {
  std::vector<Memory*> roots;
  for (const uint64_t number : numbers) {
    const auto leads_there = [number](const KernelArgument& a) {
      return a.tracked() != nullptr && number_of(a.tracked()->root()) == number;
    };
    roots.push_back(std::ranges::find_if(arguments, leads_there)->tracked()->root());
  }
  return roots;
}

bool can_have_images(int device, const KernelArguments& arguments) {
  return std::ranges::none_of(arguments, [device](const KernelArgument& a) {
    const Memory* const memory = a.tracked();
    return memory != nullptr && !memory->is_buffer &&
           std::ranges::count(memory->storage->devices_without, device) > 0;
  });
}

bool any_helper_can_have_images(size_t devices, const KernelArguments& arguments) {
  for (size_t d = 1; d < devices; ++d) {
    if (can_have_images(static_cast<int>(d), arguments)) return true;
  }
  return false;
}

}  // namespace mkmd
