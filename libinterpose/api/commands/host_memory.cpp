// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/host_memory.hpp"

#include "libinterpose/api/commands/touched_memories.hpp"
#include "libinterpose/commands/contents.hpp"
#include "libinterpose/vendor/host_visible.hpp"

#include <atomic>

namespace mkmd::api {

namespace {

// Most programs have none, and wait often.
std::atomic<bool> is_any{false};

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
    if (is_open_to_host(*memory)) touched.add(root, true);
  }
  if (touched.list().empty() || !vendor::works_in_host_bytes(context.native.get())) return;
  const Runtime::NativeTurn turn(*runtime, touched.list());
}

}  // namespace mkmd::api
