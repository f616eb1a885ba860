// SPDX-License-Identifier: Apache-2.0
// Wrong calls: null handles, objects of two contexts, sizes and flags that do not fit. The codes are those of
// the specification. Where PoCL 3.1 answers otherwise, its answer is the one expected; where it crashes, the
// call is left out: a null kernel, a local size of 0, handles of another type.
#include "kernels.hpp"
#include "player.hpp"

namespace fuzz {

void Player::bad_object(Family& family) {
  cl_int error = 12345;
  const cl_context context = family.context.handle;
  auto refused = [&](const char* name, const void* made, cl_int expected) {
    must(name, error, expected);
    if (made != nullptr) fault("%s gave an object and %d", name, error);
  };
  char data[64] = {};
  switch (random_.below(22)) {
  case 0:
    return refused("clCreateBuffer", clCreateBuffer(nullptr, 0, 16, nullptr, &error), CL_INVALID_CONTEXT);
  case 1:
    return refused("clCreateBuffer", clCreateBuffer(context, 0, 0, nullptr, &error), CL_INVALID_BUFFER_SIZE);
  case 2:
    return refused("clCreateBuffer",
                   clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, nullptr, &error),
                   CL_INVALID_VALUE);
  case 3:
    return refused("clCreateBuffer", clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, nullptr, &error),
                   CL_INVALID_HOST_PTR);
  case 4:
    return refused("clCreateBuffer", clCreateBuffer(context, 0, 16, data, &error), CL_INVALID_HOST_PTR);
  case 5:
    return refused("clCreateBuffer", clCreateBuffer(context, 0, size_t(1) << 45, nullptr, &error),
                   CL_INVALID_BUFFER_SIZE);
  case 6:
    return refused("clCreateCommandQueue", clCreateCommandQueue(nullptr, shared_.device, 0, &error),
                   CL_INVALID_CONTEXT);
  case 7:
    return refused("clCreateCommandQueue", clCreateCommandQueue(context, nullptr, 0, &error),
                   CL_INVALID_DEVICE);
  case 8:
    return refused("clCreateUserEvent", clCreateUserEvent(nullptr, &error), CL_INVALID_CONTEXT);
  case 9:
    return refused("clCreateProgramWithSource",
                   clCreateProgramWithSource(context, 0, nullptr, nullptr, &error), CL_INVALID_VALUE);
  case 10:
    return refused("clCreateContext", clCreateContext(nullptr, 0, nullptr, nullptr, nullptr, &error),
                   CL_INVALID_VALUE);
  case 11:
    must("clRetainMemObject", clRetainMemObject(nullptr), CL_INVALID_MEM_OBJECT);
    return must("clReleaseMemObject", clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
  case 12:
    must("clReleaseContext", clReleaseContext(nullptr), CL_INVALID_CONTEXT);
    return must("clReleaseKernel", clReleaseKernel(nullptr), CL_INVALID_KERNEL);
  case 13:
    must("clReleaseEvent", clReleaseEvent(nullptr), CL_INVALID_EVENT);
    return must("clReleaseProgram", clReleaseProgram(nullptr), CL_INVALID_PROGRAM);
  case 14:
    must("clReleaseCommandQueue", clReleaseCommandQueue(nullptr), CL_INVALID_COMMAND_QUEUE);
    return must("clReleaseSampler", clReleaseSampler(nullptr), CL_INVALID_SAMPLER);
  case 15:
    must("clFlush", clFlush(nullptr), CL_INVALID_COMMAND_QUEUE);
    return must("clFinish", clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  case 16: {
    const cl_event none = nullptr;
    must("clWaitForEvents", clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
    return must("clWaitForEvents", clWaitForEvents(1, &none), CL_INVALID_EVENT);
  }
  case 17: {
    if (family.memories.empty()) return;
    const MemoryPtr memory = random_.pick(family.memories);
    const cl_buffer_region outside = {0, memory->size + 1}, empty = {0, 0};
    if (memory->parent) {
      return refused("clCreateSubBuffer",
                     clCreateSubBuffer(memory->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &error),
                     CL_INVALID_MEM_OBJECT);
    }
    refused("clCreateSubBuffer",
            clCreateSubBuffer(memory->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error),
            CL_INVALID_VALUE);
    refused("clCreateSubBuffer",
            clCreateSubBuffer(memory->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, &error),
            CL_INVALID_VALUE);
    return refused("clCreateSubBuffer", clCreateSubBuffer(memory->handle, 0, 0x9999, &empty, &error),
                   CL_INVALID_VALUE);
  }
  case 18: {
    if (family.events.empty()) return;
    const EventPtr event = random_.pick(family.events);
    if (!event->gate) return;
    must("clSetUserEventStatus", clSetUserEventStatus(event->handle, CL_RUNNING), CL_INVALID_VALUE);
    if (event->gate->is_set) {
      must("clSetUserEventStatus", clSetUserEventStatus(event->handle, CL_COMPLETE), CL_INVALID_OPERATION);
    }
    cl_ulong time = 0;
    return must("clGetEventProfilingInfo",
                clGetEventProfilingInfo(event->handle, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
                CL_PROFILING_INFO_NOT_AVAILABLE);
  }
  case 19: {
    if (family.events.empty()) return;
    const EventPtr event = random_.pick(family.events);
    if (event->command)
      must("clSetUserEventStatus", clSetUserEventStatus(event->handle, CL_COMPLETE), CL_INVALID_EVENT);
    return must("clSetEventCallback", clSetEventCallback(event->handle, CL_COMPLETE, nullptr, nullptr),
                CL_INVALID_VALUE);
  }
  case 20: {
    if (families_.size() < 2 || families_[0]->context.handle == families_[1]->context.handle) return;
    // A context of another family's events.
    Family& other = *families_[families_[0].get() == &family ? 1 : 0];
    const cl_event foreign = clCreateUserEvent(other.context.handle, &error);
    must("clCreateUserEvent", error);
    must("clSetUserEventStatus", clSetUserEventStatus(foreign, CL_COMPLETE));
    must("clEnqueueMarkerWithWaitList",
         clEnqueueMarkerWithWaitList(pick_queue(family)->handle, 1, &foreign, nullptr), CL_INVALID_CONTEXT);
    return drop("clReleaseEvent", clReleaseEvent, foreign);
  }
  default:
    if (family.programs.empty()) return;
    must("clBuildProgram", clBuildProgram(family.programs[0]->handle, 1, nullptr, nullptr, nullptr, nullptr),
         CL_INVALID_VALUE);
    refused("clCreateKernel", clCreateKernel(family.programs[0]->handle, "absent", &error),
            CL_INVALID_KERNEL_NAME);
    return refused("clCreateKernel", clCreateKernel(family.programs[0]->handle, nullptr, &error),
                   CL_INVALID_VALUE);
  }
}

void Player::bad_transfer(Family& family) {
  if (family.memories.empty()) return;
  const MemoryPtr memory = random_.pick(family.memories);
  const cl_command_queue queue = pick_queue(family)->handle;
  const cl_mem handle = memory->handle;
  const size_t size = memory->size;
  unsigned char data[256] = {};
  const bool blocks = random_.chance(50);
  const cl_bool blocking = blocks ? CL_TRUE : CL_FALSE;
  const char* name = "clEnqueueReadBuffer";
  switch (random_.below(16)) {
  case 0:
    return must(name, clEnqueueReadBuffer(nullptr, handle, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_COMMAND_QUEUE);
  case 1:
    return must(name, clEnqueueReadBuffer(queue, nullptr, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_MEM_OBJECT);
  case 2:
    if (!memory->host_reads) return;
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, size, 1, data, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 3:
    if (!memory->host_reads) return;
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, 0, 1, nullptr, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 4:
    if (memory->host_reads) return;
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  case 5:
    if (memory->host_writes) return;
    return must("clEnqueueWriteBuffer",
                clEnqueueWriteBuffer(queue, handle, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  case 6:
    if (!memory->host_writes) return;
    return must("clEnqueueWriteBuffer",
                clEnqueueWriteBuffer(queue, handle, blocking, 1, size, data, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 7:
    return must("clEnqueueFillBuffer", clEnqueueFillBuffer(queue, handle, data, 3, 0, 3, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 8:
    return must("clEnqueueFillBuffer", clEnqueueFillBuffer(queue, handle, data, 4, 2, 4, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 9:
    return must("clEnqueueFillBuffer",
                clEnqueueFillBuffer(queue, handle, nullptr, 1, 0, 1, 0, nullptr, nullptr), CL_INVALID_VALUE);
  case 10:
    return must("clEnqueueCopyBuffer",
                clEnqueueCopyBuffer(queue, handle, handle, 0, 0, size, 0, nullptr, nullptr),
                CL_MEM_COPY_OVERLAP);
  case 11:
    if (memory->parent) return;  // PoCL 3.1 looks at the whole buffer's size
    return must("clEnqueueCopyBuffer",
                clEnqueueCopyBuffer(queue, handle, handle, size, 0, 1, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 12: {
    cl_int error = 12345;
    if (!memory->host_reads) return;
    const void* mapped =
        clEnqueueMapBuffer(queue, handle, blocking, CL_MAP_READ, size, 1, 0, nullptr, nullptr, &error);
    if (mapped != nullptr) fault("a map outside of a buffer");
    return must("clEnqueueMapBuffer", error, CL_INVALID_VALUE);
  }
  case 13:
    if (!memory->host_reads && !memory->host_writes) return;  // PoCL 3.1 has another code for these
    return must("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(queue, handle, data, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 14: {
    const cl_event none = nullptr;
    if (!memory->host_reads) return;
    must(name, clEnqueueReadBuffer(queue, handle, blocking, 0, 1, data, 1, nullptr, nullptr),
         CL_INVALID_EVENT_WAIT_LIST);
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, 0, 1, data, 1, &none, nullptr),
                CL_INVALID_EVENT_WAIT_LIST);
  }
  default: {
    const size_t origin[3] = {0, 0, 0}, empty[3] = {1, 0, 1}, outside[3] = {size + 1, 1, 1};
    if (!memory->host_reads) return;
    must("clEnqueueReadBufferRect",
         clEnqueueReadBufferRect(queue, handle, blocking, origin, origin, outside, 0, 0, 0, 0, data, 0,
                                 nullptr, nullptr),
         CL_INVALID_VALUE);
    return must("clEnqueueReadBufferRect",
                clEnqueueReadBufferRect(queue, handle, blocking, origin, origin, empty, 0, 0, 0, 0, data, 0,
                                        nullptr, nullptr),
                CL_INVALID_VALUE);
  }
  }
}

void Player::bad_kernel(Family& family) {
  if (family.kernels.empty()) return;
  const KernelPtr kernel = random_.pick(family.kernels);
  const auto kind = KernelKind(kernel->which);
  const cl_command_queue queue = pick_queue(family)->handle;
  const cl_kernel handle = kernel->handle;
  const size_t sizes[3] = {64, 1, 1}, seven[3] = {7, 1, 1}, huge[3] = {65536, 65536, 1};
  const char* const set = "clSetKernelArg";
  const char* const name = "clEnqueueNDRangeKernel";
  const uint64_t value = 0;
  auto launch = [&](cl_command_queue on, cl_uint dimensions, const size_t* global, const size_t* local) {
    return clEnqueueNDRangeKernel(on, handle, dimensions, nullptr, global, local, 0, nullptr, nullptr);
  };
  switch (random_.below(9)) {
  case 0:
    return must(set, clSetKernelArg(handle, 20, 4, &value), CL_INVALID_ARG_INDEX);
  case 1:
    return must(set, clSetKernelArg(nullptr, 0, 4, &value), CL_INVALID_KERNEL);
  case 2:
    if (kind == kNothing) return;
    return must(set, clSetKernelArg(handle, 0, 4, &value), CL_INVALID_ARG_SIZE);
  case 3:
    if (kind == kNothing || kind == kTurn) return;
    return must(set, clSetKernelArg(handle, 2, 2, &value), CL_INVALID_ARG_SIZE);
  case 4:
    if (kind != kTurn) return;
    return must(set, clSetKernelArg(handle, 4, 0, nullptr), CL_INVALID_ARG_SIZE);
  case 5:
    if (kind == kNothing || kind == kTurn) return;
    return must(set, clSetKernelArg(handle, 2, 4, nullptr), CL_INVALID_ARG_VALUE);
  case 6: {
    // A new kernel has no arguments yet.
    cl_int error = 0;
    if (kind == kNothing || kind == kFixed || kernel->program->references == 0) return;
    const cl_kernel fresh = clCreateKernel(kernel->program->handle, kernel_name(kind), &error);
    must("clCreateKernel", error);
    must(name, clEnqueueNDRangeKernel(queue, fresh, 1, nullptr, sizes, nullptr, 0, nullptr, nullptr),
         CL_INVALID_KERNEL_ARGS);
    return drop("clReleaseKernel", clReleaseKernel, fresh);
  }
  case 7: {
    if (kind != kNothing) return;
    must(name, launch(queue, 0, sizes, nullptr), CL_INVALID_WORK_DIMENSION);
    must(name, launch(queue, 4, sizes, nullptr), CL_INVALID_WORK_DIMENSION);
    must(name, launch(queue, 1, sizes, seven), CL_INVALID_WORK_GROUP_SIZE);
    return must(name, launch(queue, 2, huge, huge), CL_INVALID_WORK_GROUP_SIZE);
  }
  default:
    return must(name, launch(nullptr, 1, sizes, nullptr), CL_INVALID_COMMAND_QUEUE);
  }
}

}  // namespace fuzz
