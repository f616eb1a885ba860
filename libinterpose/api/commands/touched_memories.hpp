// SPDX-License-Identifier: Apache-2.0
// What a command of the home device's own code touches, for enqueue_native: the memory objects that it names,
// or every one there is.
#pragma once

#include "libinterpose/api/commands/enqueue.hpp"
#include "libinterpose/objects/registry.hpp"

#include <span>
#include <vector>

namespace mkmd::api {

// It may follow pointers to buffers that are none of its arguments.
inline bool may_touch_any(const Kernel& kernel) REQUIRES(kernel.mutex) {
  return kernel.info() == nullptr || kernel.uses_svm || kernel.info()->any_buffer;
}

// It may end only once the program has done more.
inline bool may_wait(const Kernel& kernel) {
  return kernel.info() == nullptr || kernel.info()->may_wait;
}

// Has the driver enqueue work that may wait for what the program does next, or does not if not `may`. During
// a native turn. `call` is that of enqueue_native.
template <typename Call>
cl_int enqueue_waiting(const Queue& queue, bool may, const NativeCall& asked, Call&& call) {
  Runtime* const runtime = runtime_of(*queue.context);
  if (!may || runtime == nullptr) return call(asked);
  cl_event own = nullptr;
  NativeCall with_event = asked;
  if (asked.event == nullptr) with_event.event = &own;
  if (const cl_int error = call(with_event); error != CL_SUCCESS) return error;
  runtime->native_work().note_waiting(own != nullptr ? vendor::Owned<cl_event>(own)
                                                     : vendor::retained(*asked.event));
  return CL_SUCCESS;
}

class TouchedMemories {
public:
  void add(Memory* memory, bool written) { list_.push_back({memory, written}); }
  void add_every() {
    live_ = live_memories();
    for (const Ref<Memory>& memory : live_)
      add(memory.get(), true);
  }
  std::span<const Touched> list() const { return list_; }

private:
  std::vector<Ref<Memory>> live_;
  std::vector<Touched> list_;
};

}  // namespace mkmd::api
