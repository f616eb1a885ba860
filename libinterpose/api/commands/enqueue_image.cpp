// SPDX-License-Identifier: Apache-2.0
// Commands on images, which always run at home.
#include "libinterpose/api/commands/enqueue_objects.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"

namespace mkmd::api {

cl_int EnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                        const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch,
                        void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                        cl_event* event) {
  return enqueue_on(command_queue, {{image, false}}, CL_COMMAND_READ_IMAGE,
                    {num_events_in_wait_list, event_wait_list}, event, blocking_read != CL_FALSE,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueReadImage>(
                          n.queue, memory[0], CL_FALSE, origin, region, row_pitch, slice_pitch, ptr,
                          n.wait_count, n.waits, n.event);
                    });
}

cl_int EnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                         const size_t* origin, const size_t* region, size_t input_row_pitch,
                         size_t input_slice_pitch, const void* ptr, cl_uint num_events_in_wait_list,
                         const cl_event* event_wait_list, cl_event* event) {
  return enqueue_on(command_queue, {{image, true}}, CL_COMMAND_WRITE_IMAGE,
                    {num_events_in_wait_list, event_wait_list}, event, blocking_write != CL_FALSE,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueWriteImage>(
                          n.queue, memory[0], CL_FALSE, origin, region, input_row_pitch, input_slice_pitch,
                          ptr, n.wait_count, n.waits, n.event);
                    });
}

cl_int EnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void* fill_color,
                        const size_t* origin, const size_t* region, cl_uint num_events_in_wait_list,
                        const cl_event* event_wait_list, cl_event* event) {
  return enqueue_on(command_queue, {{image, true}}, CL_COMMAND_FILL_IMAGE,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueFillImage>(
                          n.queue, memory[0], fill_color, origin, region, n.wait_count, n.waits, n.event);
                    });
}

cl_int EnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                        const size_t* src_origin, const size_t* dst_origin, const size_t* region,
                        cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event) {
  return enqueue_on(command_queue, {{src_image, false}, {dst_image, true}}, CL_COMMAND_COPY_IMAGE,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueCopyImage>(
                          n.queue, memory[0], memory[1], src_origin, dst_origin, region, n.wait_count,
                          n.waits, n.event);
                    });
}

cl_int EnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
                                const size_t* src_origin, const size_t* region, size_t dst_offset,
                                cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                                cl_event* event) {
  return enqueue_on(command_queue, {{src_image, false}, {dst_buffer, true}}, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueCopyImageToBuffer>(
                          n.queue, memory[0], memory[1], src_origin, region, dst_offset, n.wait_count,
                          n.waits, n.event);
                    });
}

cl_int EnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
                                size_t src_offset, const size_t* dst_origin, const size_t* region,
                                cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                                cl_event* event) {
  return enqueue_on(command_queue, {{src_buffer, false}, {dst_image, true}}, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                    {num_events_in_wait_list, event_wait_list}, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<&cl_icd_dispatch::clEnqueueCopyBufferToImage>(
                          n.queue, memory[0], memory[1], src_offset, dst_origin, region, n.wait_count,
                          n.waits, n.event);
                    });
}

}  // namespace mkmd::api
