// SPDX-License-Identifier: Apache-2.0
// Rectangular reads, writes and copies of buffers, mapping, and moving objects between devices.
#include "libinterpose/api/commands/enqueue_objects.hpp"
#include "libinterpose/api/commands/host_memory.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

namespace mkmd::api {

cl_int EnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                             const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
                             size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                             size_t host_slice_pitch, void* ptr, cl_uint num_events_in_wait_list,
                             const cl_event* event_wait_list, cl_event* event) {
  return enqueue_on(command_queue, {{buffer, false}}, CL_COMMAND_READ_BUFFER_RECT,
                    {num_events_in_wait_list, event_wait_list}, event, blocking_read != CL_FALSE,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueReadBufferRect>(
                          n.queue, memory[0], CL_FALSE, buffer_origin, host_origin, region, buffer_row_pitch,
                          buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, n.wait_count, n.waits,
                          n.event);
                    });
}

cl_int EnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                              const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
                              size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                              size_t host_slice_pitch, const void* ptr, cl_uint num_events_in_wait_list,
                              const cl_event* event_wait_list, cl_event* event) {
  return enqueue_on(command_queue, {{buffer, true}}, CL_COMMAND_WRITE_BUFFER_RECT,
                    {num_events_in_wait_list, event_wait_list}, event, blocking_write != CL_FALSE,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueWriteBufferRect>(
                          n.queue, memory[0], CL_FALSE, buffer_origin, host_origin, region, buffer_row_pitch,
                          buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, n.wait_count, n.waits,
                          n.event);
                    });
}

cl_int EnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                             const size_t* src_origin, const size_t* dst_origin, const size_t* region,
                             size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
                             size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
                             const cl_event* event_wait_list, cl_event* event) {
  return enqueue_on(command_queue, {{src_buffer, false}, {dst_buffer, true}}, CL_COMMAND_COPY_BUFFER_RECT,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueCopyBufferRect>(
                          n.queue, memory[0], memory[1], src_origin, dst_origin, region, src_row_pitch,
                          src_slice_pitch, dst_row_pitch, dst_slice_pitch, n.wait_count, n.waits, n.event);
                    });
}

namespace {
// What was mapped for writing may be written until it is unmapped.
bool maps_for_writing(cl_map_flags flags) {
  return (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
}

// What a map that has ended gives the program. One that has failed while it waited is taken back.
void* mapping(cl_command_queue queue, cl_mem memory, void* mapped, cl_int error, cl_int* errcode_ret) {
  set_error(errcode_ret, error);
  if (error == CL_SUCCESS) {
    note_host_memory();
    return mapped;
  }
  if (mapped != nullptr) EnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr);
  return nullptr;
}

}  // namespace

void* EnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                       cl_map_flags map_flags, size_t offset, size_t size, cl_uint num_events_in_wait_list,
                       const cl_event* event_wait_list, cl_event* event, cl_int* errcode_ret) {
  void* mapped = nullptr;
  const cl_int error = enqueue_on(command_queue, {{buffer, maps_for_writing(map_flags)}},
                                  CL_COMMAND_MAP_BUFFER, {num_events_in_wait_list, event_wait_list}, event,
                                  blocking_map != CL_FALSE, [&](const NativeCall& n, const cl_mem* memory) {
                                    cl_int code = CL_SUCCESS;
                                    mapped = vendor::table(n.queue).clEnqueueMapBuffer(
                                        n.queue, memory[0], CL_FALSE, map_flags, offset, size, n.wait_count,
                                        n.waits, n.event, &code);
                                    return code;
                                  });
  return mapping(command_queue, buffer, mapped, error, errcode_ret);
}

void* EnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                      cl_map_flags map_flags, const size_t* origin, const size_t* region,
                      size_t* image_row_pitch, size_t* image_slice_pitch, cl_uint num_events_in_wait_list,
                      const cl_event* event_wait_list, cl_event* event, cl_int* errcode_ret) {
  void* mapped = nullptr;
  const cl_int error =
      enqueue_on(command_queue, {{image, maps_for_writing(map_flags)}}, CL_COMMAND_MAP_IMAGE,
                 {num_events_in_wait_list, event_wait_list}, event, blocking_map != CL_FALSE,
                 [&](const NativeCall& n, const cl_mem* memory) {
                   cl_int code = CL_SUCCESS;
                   mapped = vendor::table(n.queue).clEnqueueMapImage(
                       n.queue, memory[0], CL_FALSE, map_flags, origin, region, image_row_pitch,
                       image_slice_pitch, n.wait_count, n.waits, n.event, &code);
                   return code;
                 });
  return mapping(command_queue, image, mapped, error, errcode_ret);
}

cl_int EnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void* mapped_ptr,
                             cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                             cl_event* event) {
  return enqueue_on(command_queue, {{memobj, true}}, CL_COMMAND_UNMAP_MEM_OBJECT,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueUnmapMemObject>(
                          n.queue, memory[0], mapped_ptr, n.wait_count, n.waits, n.event);
                    });
}

cl_int EnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                const cl_mem* mem_objects, cl_mem_migration_flags flags,
                                cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                                cl_event* event) {
  if (object_cast<Queue>(command_queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (num_mem_objects == 0 || mem_objects == nullptr) return CL_INVALID_VALUE;
  std::vector<Named> named;
  for (cl_uint i = 0; i < num_mem_objects; ++i)
    named.push_back({mem_objects[i], false});
  return enqueue_on(command_queue, named, CL_COMMAND_MIGRATE_MEM_OBJECTS,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueMigrateMemObjects>(
                          n.queue, num_mem_objects, memory, flags, n.wait_count, n.waits, n.event);
                    });
}

}  // namespace mkmd::api
