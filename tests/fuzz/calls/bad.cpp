// SPDX-License-Identifier: Apache-2.0
// Wrong calls: null handles, objects of two contexts, sizes and flags that do not fit. The codes are those
// of the specification. Where PoCL 3.1 answers otherwise, its answer is the one expected. Where it crashes,
// the call is left out: a null kernel, a local size of 0, handles of another type.
#include "kernels.hpp"
#include "player.hpp"

namespace fuzz {

namespace {

// A call that makes no object.
struct Refused {
  void operator()(const char* name, const void* made, cl_int expected) {
    player.must(name, error, expected);
    if (made != nullptr) player.fault("%s gave an object and %d", name, error);
  }
  Player& player;
  cl_int error = 12345;
};

}  // namespace

void Player::bad_creation(cl_context context, size_t which) {
  Refused refused{*this};
  cl_int& error = refused.error;
  char data[64] = {};
  switch (which) {
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
  default:
    return refused("clCreateContext", clCreateContext(nullptr, 0, nullptr, nullptr, nullptr, &error),
                   CL_INVALID_VALUE);
  }
}

void Player::null_object(size_t which) {
  switch (which) {
  case 0:
    must("clRetainMemObject", clRetainMemObject(nullptr), CL_INVALID_MEM_OBJECT);
    return must("clReleaseMemObject", clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
  case 1:
    must("clReleaseContext", clReleaseContext(nullptr), CL_INVALID_CONTEXT);
    return must("clReleaseKernel", clReleaseKernel(nullptr), CL_INVALID_KERNEL);
  case 2:
    must("clReleaseEvent", clReleaseEvent(nullptr), CL_INVALID_EVENT);
    return must("clReleaseProgram", clReleaseProgram(nullptr), CL_INVALID_PROGRAM);
  case 3:
    must("clReleaseCommandQueue", clReleaseCommandQueue(nullptr), CL_INVALID_COMMAND_QUEUE);
    return must("clReleaseSampler", clReleaseSampler(nullptr), CL_INVALID_SAMPLER);
  case 4:
    must("clFlush", clFlush(nullptr), CL_INVALID_COMMAND_QUEUE);
    return must("clFinish", clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  default: {
    const cl_event none = nullptr;
    must("clWaitForEvents", clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
    return must("clWaitForEvents", clWaitForEvents(1, &none), CL_INVALID_EVENT);
  }
  }
}

void Player::bad_sub_buffer(Family& family) {
  Refused refused{*this};
  cl_int& error = refused.error;
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

void Player::bad_user_event(Family& family) {
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

void Player::bad_event(Family& family) {
  if (family.events.empty()) return;
  const EventPtr event = random_.pick(family.events);
  if (event->command)
    must("clSetUserEventStatus", clSetUserEventStatus(event->handle, CL_COMPLETE), CL_INVALID_EVENT);
  return must("clSetEventCallback", clSetEventCallback(event->handle, CL_COMPLETE, nullptr, nullptr),
              CL_INVALID_VALUE);
}

void Player::foreign_event(Family& family) {
  cl_int error = 12345;
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

void Player::bad_program(Family& family) {
  Refused refused{*this};
  cl_int& error = refused.error;
  if (family.programs.empty()) return;
  must("clBuildProgram", clBuildProgram(family.programs[0]->handle, 1, nullptr, nullptr, nullptr, nullptr),
       CL_INVALID_VALUE);
  refused("clCreateKernel", clCreateKernel(family.programs[0]->handle, "absent", &error),
          CL_INVALID_KERNEL_NAME);
  return refused("clCreateKernel", clCreateKernel(family.programs[0]->handle, nullptr, &error),
                 CL_INVALID_VALUE);
}

void Player::bad_object(Family& family) {
  constexpr size_t kCreations = 11, kNull = 6;
  const size_t which = random_.below(22);
  if (which < kCreations) return bad_creation(family.context.handle, which);
  if (which < kCreations + kNull) return null_object(which - kCreations);
  switch (which - kCreations - kNull) {
  case 0:
    return bad_sub_buffer(family);
  case 1:
    return bad_user_event(family);
  case 2:
    return bad_event(family);
  case 3:
    return foreign_event(family);
  default:
    return bad_program(family);
  }
}

void Player::bad_read_or_write(const Memory& memory, cl_command_queue queue, cl_bool blocking, size_t which) {
  const cl_mem handle = memory.handle;
  const size_t size = memory.size;
  unsigned char data[256] = {};
  const char* name = "clEnqueueReadBuffer";
  switch (which) {
  case 0:
    return must(name, clEnqueueReadBuffer(nullptr, handle, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_COMMAND_QUEUE);
  case 1:
    return must(name, clEnqueueReadBuffer(queue, nullptr, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_MEM_OBJECT);
  case 2:
    if (!memory.host_reads) return;
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, size, 1, data, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 3:
    if (!memory.host_reads) return;
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, 0, 1, nullptr, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 4:
    if (memory.host_reads) return;
    return must(name, clEnqueueReadBuffer(queue, handle, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  case 5:
    if (memory.host_writes) return;
    return must("clEnqueueWriteBuffer",
                clEnqueueWriteBuffer(queue, handle, blocking, 0, 1, data, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  default:
    if (!memory.host_writes) return;
    return must("clEnqueueWriteBuffer",
                clEnqueueWriteBuffer(queue, handle, blocking, 1, size, data, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  }
}

void Player::bad_fill_or_copy(const Memory& memory, cl_command_queue queue, size_t which) {
  const cl_mem handle = memory.handle;
  const size_t size = memory.size;
  const unsigned char data[16] = {};
  switch (which) {
  case 0:
    return must("clEnqueueFillBuffer", clEnqueueFillBuffer(queue, handle, data, 3, 0, 3, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 1:
    return must("clEnqueueFillBuffer", clEnqueueFillBuffer(queue, handle, data, 4, 2, 4, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  case 2:
    return must("clEnqueueFillBuffer",
                clEnqueueFillBuffer(queue, handle, nullptr, 1, 0, 1, 0, nullptr, nullptr), CL_INVALID_VALUE);
  case 3:
    return must("clEnqueueCopyBuffer",
                clEnqueueCopyBuffer(queue, handle, handle, 0, 0, size, 0, nullptr, nullptr),
                CL_MEM_COPY_OVERLAP);
  default:
    if (memory.parent) return;  // PoCL 3.1 looks at the whole buffer's size
    return must("clEnqueueCopyBuffer",
                clEnqueueCopyBuffer(queue, handle, handle, size, 0, 1, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  }
}

void Player::bad_mapping(const Memory& memory, cl_command_queue queue, cl_bool blocking) {
  cl_int error = 12345;
  if (!memory.host_reads) return;
  const void* mapped = clEnqueueMapBuffer(queue, memory.handle, blocking, CL_MAP_READ, memory.size, 1, 0,
                                          nullptr, nullptr, &error);
  if (mapped != nullptr) fault("a map outside of a buffer");
  return must("clEnqueueMapBuffer", error, CL_INVALID_VALUE);
}

void Player::bad_unmapping(const Memory& memory, cl_command_queue queue) {
  unsigned char data[1] = {};
  if (!memory.host_reads && !memory.host_writes) return;  // PoCL 3.1 has another code for these
  return must("clEnqueueUnmapMemObject",
              clEnqueueUnmapMemObject(queue, memory.handle, data, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

void Player::bad_wait_list(const Memory& memory, cl_command_queue queue, cl_bool blocking) {
  unsigned char data[1] = {};
  const char* name = "clEnqueueReadBuffer";
  const cl_event none = nullptr;
  if (!memory.host_reads) return;
  must(name, clEnqueueReadBuffer(queue, memory.handle, blocking, 0, 1, data, 1, nullptr, nullptr),
       CL_INVALID_EVENT_WAIT_LIST);
  return must(name, clEnqueueReadBuffer(queue, memory.handle, blocking, 0, 1, data, 1, &none, nullptr),
              CL_INVALID_EVENT_WAIT_LIST);
}

void Player::bad_rectangle(const Memory& memory, cl_command_queue queue, cl_bool blocking) {
  unsigned char data[256] = {};
  const size_t origin[3] = {0, 0, 0}, empty[3] = {1, 0, 1}, outside[3] = {memory.size + 1, 1, 1};
  if (!memory.host_reads) return;
  must("clEnqueueReadBufferRect",
       clEnqueueReadBufferRect(queue, memory.handle, blocking, origin, origin, outside, 0, 0, 0, 0, data, 0,
                               nullptr, nullptr),
       CL_INVALID_VALUE);
  return must("clEnqueueReadBufferRect",
              clEnqueueReadBufferRect(queue, memory.handle, blocking, origin, origin, empty, 0, 0, 0, 0, data,
                                      0, nullptr, nullptr),
              CL_INVALID_VALUE);
}

void Player::bad_transfer(Family& family) {
  if (family.memories.empty()) return;
  const MemoryPtr memory = random_.pick(family.memories);
  const cl_command_queue queue = pick_queue(family)->handle;
  const cl_bool blocking = random_.chance(50) ? CL_TRUE : CL_FALSE;
  constexpr size_t kReadsAndWrites = 7, kFillsAndCopies = 5;
  const size_t which = random_.below(16);
  if (which < kReadsAndWrites) return bad_read_or_write(*memory, queue, blocking, which);
  if (which < kReadsAndWrites + kFillsAndCopies)
    return bad_fill_or_copy(*memory, queue, which - kReadsAndWrites);
  switch (which - kReadsAndWrites - kFillsAndCopies) {
  case 0:
    return bad_mapping(*memory, queue, blocking);
  case 1:
    return bad_unmapping(*memory, queue);
  case 2:
    return bad_wait_list(*memory, queue, blocking);
  default:
    return bad_rectangle(*memory, queue, blocking);
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
