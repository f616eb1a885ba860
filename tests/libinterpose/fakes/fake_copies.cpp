// SPDX-License-Identifier: Apache-2.0
// The fake driver's copies and maps, and how commands get onto its queues.
#include "tests/libinterpose/fakes/fake_table.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <cstring>

namespace mkmd::fake {

namespace {

bool refuses(Device& device) {
  if (device.lost || device.is_gone()) return true;
  if (device.calls_pass > 0 && device.calls_pass-- > 0) return false;
  return device.calls_fail > 0 && device.calls_fail-- > 0;
}

}  // namespace

Event* enqueue(cl_command_queue handle, cl_uint count, const cl_event* waits, cl_event* event, cl_ulong takes,
               std::function<void()> work) {
  Queue& queue = as<Queue>(handle);
  if (refuses(*queue.device)) return nullptr;
  Event* const made = make<Event>();
  made->queue = &queue;
  made->takes = takes;
  made->queued = virtual_time::now();
  made->work = std::move(work);
  for (cl_uint i = 0; i < count; ++i) {
    made->after.push_back(&as<Event>(waits[i]));
    ++made->after.back()->references;
  }
  queue.commands.push_back(made);
  if (event == nullptr) return made;
  ++made->references;
  *event = handle_of<cl_event>(made);
  return made;
}

namespace {

void finish_if(bool blocking, cl_command_queue queue) {
  if (blocking) Driver::current->finish(as<Queue>(queue));
}

cl_ulong time_of_copy(cl_command_queue queue, size_t bytes) {
  return 1000 + static_cast<cl_ulong>(as<Queue>(queue).device->per_byte * static_cast<double>(bytes));
}

cl_int copy(cl_command_queue queue, bool blocking, unsigned char* to, const unsigned char* from, size_t size,
            cl_uint count, const cl_event* waits, cl_event* event) {
  const Event* const made =
      enqueue(queue, count, waits, event, time_of_copy(queue, size), [=] { std::memmove(to, from, size); });
  if (made == nullptr) return CL_OUT_OF_RESOURCES;
  finish_if(blocking, queue);
  return CL_SUCCESS;
}

// A place in memory that a rectangle begins at, and from one of its rows to the next.
struct Rows {
  unsigned char* first;
  size_t pitch;
};

Rows rows_of(unsigned char* bytes, const size_t* origin, size_t pitch) {
  return {bytes + origin[1] * pitch + origin[0], pitch};
}

// Of one layer.
cl_int copy_rows(cl_command_queue queue, bool blocking, Rows to, Rows from, const size_t* region,
                 cl_uint count, const cl_event* waits, cl_event* event) {
  const size_t length = region[0], rows = region[1];
  const Event* const made = enqueue(queue, count, waits, event, time_of_copy(queue, length * rows), [=] {
    for (size_t row = 0; row < rows; ++row)
      std::memmove(to.first + row * to.pitch, from.first + row * from.pitch, length);
  });
  if (made == nullptr) return CL_OUT_OF_RESOURCES;
  finish_if(blocking, queue);
  return CL_SUCCESS;
}

void* map(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags, size_t offset, size_t,
          cl_uint count, const cl_event* waits, cl_event* event, cl_int* error) {
  const bool made = enqueue(queue, count, waits, event, 100, {}) != nullptr;
  if (error != nullptr) *error = made ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  if (!made) return nullptr;
  finish_if(blocking, queue);
  return as<Buffer>(memory).data() + offset;
}

}  // namespace

void fill_table_with_copies(cl_icd_dispatch& t) {
  t.clEnqueueMarkerWithWaitList = [](cl_command_queue queue, cl_uint count, const cl_event* waits,
                                     cl_event* event) -> cl_int {
    return enqueue(queue, count, waits, event, 0, {}) != nullptr ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  };
  t.clEnqueueReadBuffer = [](cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                             size_t size, void* to, cl_uint count, const cl_event* waits,
                             cl_event* event) -> cl_int {
    // What is read into holds anything until that is over.
    const Device& device = *as<Queue>(queue).device;
    if (device.is_remote && !device.is_gone()) std::memset(to, 0xA5, size);
    return copy(queue, blocking != 0, static_cast<unsigned char*>(to), as<Buffer>(memory).data() + offset,
                size, count, waits, event);
  };
  t.clEnqueueWriteBuffer = [](cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                              size_t size, const void* from, cl_uint count, const cl_event* waits,
                              cl_event* event) -> cl_int {
    return copy(queue, blocking != 0, as<Buffer>(memory).data() + offset,
                static_cast<const unsigned char*>(from), size, count, waits, event);
  };
  t.clEnqueueReadBufferRect = [](cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                 const size_t* origin, const size_t* to_origin, const size_t* region,
                                 size_t pitch, size_t, size_t to_pitch, size_t, void* to, cl_uint count,
                                 const cl_event* waits, cl_event* event) -> cl_int {
    return copy_rows(queue, blocking != 0, rows_of(static_cast<unsigned char*>(to), to_origin, to_pitch),
                     rows_of(as<Buffer>(memory).data(), origin, pitch), region, count, waits, event);
  };
  t.clEnqueueWriteBufferRect = [](cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                  const size_t* origin, const size_t* from_origin, const size_t* region,
                                  size_t pitch, size_t, size_t from_pitch, size_t, const void* from,
                                  cl_uint count, const cl_event* waits, cl_event* event) -> cl_int {
    auto* const bytes = static_cast<unsigned char*>(const_cast<void*>(from));
    return copy_rows(queue, blocking != 0, rows_of(as<Buffer>(memory).data(), origin, pitch),
                     rows_of(bytes, from_origin, from_pitch), region, count, waits, event);
  };
  t.clEnqueueCopyBuffer = [](cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                             size_t to_offset, size_t size, cl_uint count, const cl_event* waits,
                             cl_event* event) -> cl_int {
    return copy(queue, false, as<Buffer>(to).data() + to_offset, as<Buffer>(from).data() + from_offset, size,
                count, waits, event);
  };
  t.clEnqueueFillBuffer = [](cl_command_queue queue, cl_mem memory, const void* pattern, size_t pattern_size,
                             size_t offset, size_t size, cl_uint count, const cl_event* waits,
                             cl_event* event) -> cl_int {
    const auto* bytes = static_cast<const unsigned char*>(pattern);
    auto fill = [to = as<Buffer>(memory).data() + offset, size,
                 content = std::vector<unsigned char>(bytes, bytes + pattern_size)] {
      for (size_t i = 0; i < size; ++i)
        to[i] = content[i % content.size()];
    };
    const bool made =
        enqueue(queue, count, waits, event, time_of_copy(queue, size), std::move(fill)) != nullptr;
    return made ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  };
  t.clEnqueueMapBuffer = map;
  t.clEnqueueUnmapMemObject = [](cl_command_queue queue, cl_mem, void*, cl_uint count, const cl_event* waits,
                                 cl_event* event) -> cl_int {
    return enqueue(queue, count, waits, event, 100, {}) != nullptr ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  };
}

}  // namespace mkmd::fake
