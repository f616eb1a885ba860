// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/objects/registry.hpp"

#include "common/thread_annotations.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace mkmd {

namespace {

// Never destroyed, as everything that belongs to the process. The handles are spread over several tables so
// that threads which set arguments do not meet.
struct Shard {
  SharedMutex mutex;
  std::unordered_map<const void*, ObjectType> handles GUARDED_BY(mutex);
};

std::array<Shard, 16>& all_shards() {
  static auto* shards = new std::array<Shard, 16>;
  return *shards;
}

Shard& shard_of(const void* handle) {
  return all_shards()[(reinterpret_cast<uintptr_t>(handle) >> 6) % all_shards().size()];
}

struct Kernels {
  Mutex mutex;
  std::unordered_set<Kernel*> all GUARDED_BY(mutex);
};

Kernels& kernels() {
  static auto* state = new Kernels;
  return *state;
}

}  // namespace

void remember_handle(const ObjectHeader* object) {
  Shard& shard = shard_of(object);
  const WriteLock lock(shard.mutex);
  shard.handles[object] = object->type;
}

void forget_handle(const ObjectHeader* object) {
  Shard& shard = shard_of(object);
  const WriteLock lock(shard.mutex);
  shard.handles.erase(object);
}

bool is_live_handle(const void* candidate, ObjectType type) {
  Shard& shard = shard_of(candidate);
  const ReadLock lock(shard.mutex);
  const auto found = shard.handles.find(candidate);
  return found != shard.handles.end() && found->second == type;
}

std::vector<Ref<Memory>> live_memories() {
  std::vector<Ref<Memory>> live;
  for (Shard& shard : all_shards()) {
    const ReadLock lock(shard.mutex);  // destructors wait for it
    for (const auto& [handle, type] : shard.handles) {
      if (type != ObjectType::memory) continue;
      auto* memory = static_cast<Memory*>(static_cast<ObjectHeader*>(const_cast<void*>(handle)));
      if (!memory->retain_if_alive()) continue;
      live.emplace_back(memory);
      memory->release();
    }
  }
  return live;
}

void remember_kernel(Kernel* kernel) {
  Kernels& state = kernels();
  const Lock lock(state.mutex);
  state.all.insert(kernel);
}

void forget_kernel(Kernel* kernel) {
  Kernels& state = kernels();
  const Lock lock(state.mutex);
  state.all.erase(kernel);
}

void drop_from_kernel_arguments(Memory& memory) {
  if (!memory.was_argument.load(std::memory_order_acquire)) return;
  // Declared before the locks: what is let go of is destroyed after they are given back.
  std::vector<std::shared_ptr<KernelArguments>> replaced;
  Kernels& state = kernels();
  const Lock all_kernels(state.mutex);
  for (Kernel* kernel : state.all) {
    const Lock lock(kernel->mutex);
    const auto holds = [&](const KernelArgument& argument) { return argument.memory.get() == &memory; };
    if (std::none_of(kernel->arguments->begin(), kernel->arguments->end(), holds)) continue;
    auto changed = std::make_shared<KernelArguments>(*kernel->arguments);
    for (KernelArgument& argument : *changed) {
      if (holds(argument)) argument = KernelArgument{};
    }
    replaced.push_back(std::exchange(kernel->arguments, std::move(changed)));
    ++kernel->arguments_version;
  }
}

}  // namespace mkmd
