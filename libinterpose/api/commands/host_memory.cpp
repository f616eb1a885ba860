// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/host_memory.hpp"

#include "libinterpose/api/commands/touched_memories.hpp"
#include "libinterpose/vendor/host_visible.hpp"

#include <atomic>

namespace mkmd::api {

namespace {

// Most programs have none, and wait often.
std::atomic<bool> is_any{false};

template <typename T>
T value_of(cl_mem memory, cl_mem_info what) {
  T value = 0;
  vendor::table(memory).clGetMemObjectInfo(memory, what, sizeof value, &value, nullptr);
  return value;
}

bool program_has_bytes(const Memory& memory) {
  const cl_mem native = memory.native.get();
  const bool ours = memory.visible_bytes.begin != nullptr;  // the place is, and the program does not know it
  return (!ours && (value_of<cl_mem_flags>(native, CL_MEM_FLAGS) & CL_MEM_USE_HOST_PTR) != 0) ||
         value_of<cl_uint>(native, CL_MEM_MAP_COUNT) > 0;
}

}  // namespace

void note_host_memory() {
  is_any.store(true, std::memory_order_release);
}

void give_host_memory(Context& context) {
  if (!is_any.load(std::memory_order_acquire)) return;
  Runtime* const runtime = runtime_of(context);
  if (runtime == nullptr || !runtime->domains().separate()) return;
  const std::vector<Ref<Memory>> live = live_memories();
  TouchedMemories touched;
  for (const Ref<Memory>& memory : live) {
    if (memory->context.get() != &context) continue;
    Memory* const root = memory->root();
    if (!root->storage || root->storage->home_only.load(std::memory_order_acquire)) continue;
    if (program_has_bytes(*memory)) touched.add(root, true);
  }
  if (touched.list().empty() || !vendor::works_in_host_bytes(context.native.get())) return;
  const Runtime::NativeTurn turn(*runtime, touched.list());
}

}  // namespace mkmd::api
