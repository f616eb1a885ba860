// SPDX-License-Identifier: Apache-2.0
// Reads, writes, copies and fills of buffers. They are captured while captured kernels are unfinished, or
// when some of their bytes are not at home. They are always captured where native commands take another
// time than on home. Otherwise, and while kernels are profiled, they go to the home's own queue at once.
#include "libinterpose/api/commands/capture.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/process.hpp"

namespace mkmd::api {

namespace {

// The vendor's checks of host access flags are its own: a buffer that has such flags is left to it.
bool host_may(const Memory& memory, cl_mem_flags forbidden) {
  cl_mem_flags flags = 0;
  const cl_mem native = memory.native.get();
  vendor::table(native).clGetMemObjectInfo(native, CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
  return (flags & forbidden) == 0;
}

// Whether the runtime should see a command on these buffers, all of whose arguments are in order.
bool wants_capture(Queue& queue, std::span<const Touched> touched, WaitList wait_list) {
  Runtime* runtime = runtime_of(*queue.context);
  if (runtime == nullptr) return false;
  bool wanted = runtime->capturing() || has_untimed_commands();
  for (const Touched& t : touched) {
    Memory& m = *t.memory;
    if (!m.is_buffer || m.context.get() != queue.context.get() || !m.root()->storage) return false;
    wanted = wanted || !runtime->home_bytes().are_valid(t);
    // What is captured can be done again. A native command ends that for what was computed from the bytes.
    wanted = wanted || (t.written && HomeBytes::are_remembered(t));
  }
  return wanted && may_capture(queue, wait_list);
}

}  // namespace

cl_int EnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
                         size_t size, void* ptr, cl_uint num_events_in_wait_list,
                         const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Memory* memory = object_cast<Memory>(buffer);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  const WaitList waits{num_events_in_wait_list, event_wait_list};
  const Touched touched[] = {{memory, false, {{offset, size}}}};
  if (ptr != nullptr && memory->has(offset, size) && wants_capture(*queue, touched, waits) &&
      host_may(*memory, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) {
    Ref<Command> command(new Command(ReadCommand{{Ref<Memory>(memory), offset}, size, ptr}, queue));
    if (const auto status =
            capture(std::move(command), CL_COMMAND_READ_BUFFER, waits, event, blocking_read != CL_FALSE))
      return *status;
  }
  return enqueue_native(*queue, CL_COMMAND_READ_BUFFER, touched, waits, event, blocking_read != CL_FALSE,
                        [&](const NativeCall& n) {
                          return vendor::table(n.queue).clEnqueueReadBuffer(n.queue, memory->native.get(),
                                                                            CL_FALSE, offset, size, ptr,
                                                                            n.wait_count, n.waits, n.event);
                        });
}

cl_int EnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                          size_t offset, size_t size, const void* ptr, cl_uint num_events_in_wait_list,
                          const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Memory* memory = object_cast<Memory>(buffer);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  const WaitList waits{num_events_in_wait_list, event_wait_list};
  const Touched touched[] = {{memory, true, {{offset, size}}}};
  if (ptr != nullptr && memory->has(offset, size) && wants_capture(*queue, touched, waits) &&
      host_may(*memory, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) {
    Ref<Command> command(new Command(WriteCommand{{Ref<Memory>(memory), offset}, size, ptr}, queue));
    if (const auto status =
            capture(std::move(command), CL_COMMAND_WRITE_BUFFER, waits, event, blocking_write != CL_FALSE))
      return *status;
  }
  return enqueue_native(*queue, CL_COMMAND_WRITE_BUFFER, touched, waits, event, blocking_write != CL_FALSE,
                        [&](const NativeCall& n) {
                          return vendor::table(n.queue).clEnqueueWriteBuffer(n.queue, memory->native.get(),
                                                                             CL_FALSE, offset, size, ptr,
                                                                             n.wait_count, n.waits, n.event);
                        });
}

cl_int EnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                         size_t src_offset, size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,
                         const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Memory* source = object_cast<Memory>(src_buffer);
  Memory* destination = object_cast<Memory>(dst_buffer);
  if (source == nullptr || destination == nullptr) return CL_INVALID_MEM_OBJECT;
  const WaitList waits{num_events_in_wait_list, event_wait_list};
  const Touched touched[] = {{source, false, {{src_offset, size}}},
                             {destination, true, {{dst_offset, size}}}};
  const bool apart = source->root() != destination->root();  // overlap is an error the vendor reports
  if (apart && source->has(src_offset, size) && destination->has(dst_offset, size) &&
      wants_capture(*queue, touched, waits)) {
    Ref<Command> command(new Command(
        CopyCommand{{Ref<Memory>(source), src_offset}, {Ref<Memory>(destination), dst_offset}, size}, queue));
    if (const auto status = capture(std::move(command), CL_COMMAND_COPY_BUFFER, waits, event, false))
      return *status;
  }
  return enqueue_native(
      *queue, CL_COMMAND_COPY_BUFFER, touched, waits, event, false, [&](const NativeCall& n) {
        return vendor::table(n.queue).clEnqueueCopyBuffer(n.queue, source->native.get(),
                                                          destination->native.get(), src_offset, dst_offset,
                                                          size, n.wait_count, n.waits, n.event);
      });
}

cl_int EnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void* pattern,
                         size_t pattern_size, size_t offset, size_t size, cl_uint num_events_in_wait_list,
                         const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Memory* memory = object_cast<Memory>(buffer);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  const WaitList waits{num_events_in_wait_list, event_wait_list};
  const bool pattern_ok = pattern != nullptr && pattern_size > 0 && pattern_size <= 128 &&
                          (pattern_size & (pattern_size - 1)) == 0 && offset % pattern_size == 0 &&
                          size % pattern_size == 0;
  const Touched touched[] = {{memory, true, {{offset, size}}}};
  if (pattern_ok && memory->has(offset, size) && wants_capture(*queue, touched, waits)) {
    const auto* bytes = static_cast<const unsigned char*>(pattern);
    Ref<Command> command(
        new Command(FillCommand{{Ref<Memory>(memory), offset}, size, {bytes, bytes + pattern_size}}, queue));
    if (const auto status = capture(std::move(command), CL_COMMAND_FILL_BUFFER, waits, event, false))
      return *status;
  }
  return enqueue_native(
      *queue, CL_COMMAND_FILL_BUFFER, touched, waits, event, false, [&](const NativeCall& n) {
        return vendor::table(n.queue).clEnqueueFillBuffer(n.queue, memory->native.get(), pattern,
                                                          pattern_size, offset, size, n.wait_count, n.waits,
                                                          n.event);
      });
}

}  // namespace mkmd::api
