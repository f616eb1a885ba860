// SPDX-License-Identifier: Apache-2.0
// Native kernels: functions of the program that the vendor calls with pointers to the memory of memory
// objects. Such a function may wait for what the program does next.
#include "libinterpose/api/commands/enqueue_objects.hpp"
#include "libinterpose/api/commands/touched_memories.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"

#include <cstring>

namespace mkmd::api {

cl_int EnqueueNativeKernel(cl_command_queue command_queue, void(CL_CALLBACK* user_func)(void*), void* args,
                           size_t cb_args, cl_uint num_mem_objects, const cl_mem* mem_list,
                           const void** args_mem_loc, cl_uint num_events_in_wait_list,
                           const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  const auto enqueue = [&](const NativeCall& asked, void* block, cl_uint count, const cl_mem* memories,
                           const void** places) {
    return enqueue_waiting(*queue, true, asked, [&](const NativeCall& n) {
      return vendor_call<&cl_icd_dispatch::clEnqueueNativeKernel>(
          n.queue, user_func, block, cb_args, count, memories, places, n.wait_count, n.waits, n.event);
    });
  };
  if (args == nullptr || num_mem_objects == 0 || mem_list == nullptr || args_mem_loc == nullptr) {
    return enqueue_on(command_queue, {}, CL_COMMAND_NATIVE_KERNEL, {num_events_in_wait_list, event_wait_list},
                      event, false, [&](const NativeCall& n, const cl_mem*) {
                        return enqueue(n, args, num_mem_objects, mem_list, args_mem_loc);
                      });
  }
  std::vector<Named> named;
  for (cl_uint i = 0; i < num_mem_objects; ++i)
    named.push_back({mem_list[i], true});
  // The vendor copies the block, and puts pointers where handles stand in it: it gets a block with its own
  // handles.
  std::vector<char> block(static_cast<char*>(args), static_cast<char*>(args) + cb_args);
  std::vector<const void*> places(num_mem_objects);
  return enqueue_on(command_queue, named, CL_COMMAND_NATIVE_KERNEL,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      for (cl_uint i = 0; i < num_mem_objects; ++i) {
                        const auto offset = static_cast<size_t>(static_cast<const char*>(args_mem_loc[i]) -
                                                                static_cast<const char*>(args));
                        if (offset > cb_args || cb_args - offset < sizeof(cl_mem)) return CL_INVALID_VALUE;
                        std::memcpy(block.data() + offset, &memory[i], sizeof(cl_mem));
                        places[i] = block.data() + offset;
                      }
                      return enqueue(n, block.data(), num_mem_objects, memory, places.data());
                    });
}

}  // namespace mkmd::api
