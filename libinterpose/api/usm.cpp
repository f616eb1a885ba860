// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/usm.hpp"

#include "libinterpose/api/commands/enqueue.hpp"
#include "libinterpose/api/extension_call.hpp"
#include "libinterpose/api/objects/kernel_arguments.hpp"
#include "libinterpose/api/write_info.hpp"
#include "libinterpose/objects/shared_virtual.hpp"

#include <CL/cl_ext.h>

namespace mkmd::api {

namespace {

// Programs set kernel arguments with these functions: the home's platform is asked once for each.
#define MKMD_HOME(name)                                                                                      \
  [] {                                                                                                       \
    static const auto kFunction = vendor_function<name##_fn>(#name);                                         \
    return kFunction;                                                                                        \
  }()

// Calls `allocate` with the home's context.
template <typename Allocate>
void* allocated(cl_context context, size_t size, cl_int* errcode_ret, Allocate&& allocate) {
  void* made = nullptr;
  const cl_int error = guarded([&]() -> cl_int {
    const Context* ours = object_cast<Context>(context);
    if (ours == nullptr) return CL_INVALID_CONTEXT;
    cl_int code = CL_SUCCESS;
    made = allocate(ours->native.get(), &code);
    if (made != nullptr) remember_shared_virtual(made, size);
    return code;
  });
  set_error(errcode_ret, error);
  return made;
}

void* CL_API_CALL host_alloc(cl_context context, const cl_mem_properties_intel* properties, size_t size,
                             cl_uint alignment, cl_int* errcode_ret) {
  return allocated(context, size, errcode_ret, [&](cl_context native, cl_int* code) {
    return MKMD_HOME(clHostMemAllocINTEL)(native, properties, size, alignment, code);
  });
}

// Device and shared memory. Shared memory may belong to no device.
template <typename Function>
void* device_alloc(Function function, bool needs_device, cl_context context, cl_device_id device,
                   const cl_mem_properties_intel* properties, size_t size, cl_uint alignment,
                   cl_int* errcode_ret) {
  return allocated(context, size, errcode_ret, [&](cl_context native, cl_int* code) -> void* {
    const Device* ours = object_cast<Device>(device);
    if (ours == nullptr && (needs_device || device != nullptr)) {
      *code = CL_INVALID_DEVICE;
      return nullptr;
    }
    return function(native, ours != nullptr ? ours->home : nullptr, properties, size, alignment, code);
  });
}

void* CL_API_CALL device_alloc_door(cl_context context, cl_device_id device,
                                    const cl_mem_properties_intel* properties, size_t size, cl_uint alignment,
                                    cl_int* errcode_ret) {
  return device_alloc(MKMD_HOME(clDeviceMemAllocINTEL), true, context, device, properties, size, alignment,
                      errcode_ret);
}

void* CL_API_CALL shared_alloc_door(cl_context context, cl_device_id device,
                                    const cl_mem_properties_intel* properties, size_t size, cl_uint alignment,
                                    cl_int* errcode_ret) {
  return device_alloc(MKMD_HOME(clSharedMemAllocINTEL), false, context, device, properties, size, alignment,
                      errcode_ret);
}

template <typename Function>
cl_int free_with(Function function, cl_context context, void* pointer) {
  return guarded([&]() -> cl_int {
    const Context* ours = object_cast<Context>(context);
    if (ours == nullptr) return CL_INVALID_CONTEXT;
    forget_shared_virtual(pointer);
    return function(ours->native.get(), pointer);
  });
}

cl_int CL_API_CALL free_memory(cl_context context, void* pointer) {
  return free_with(MKMD_HOME(clMemFreeINTEL), context, pointer);
}

cl_int CL_API_CALL blocking_free(cl_context context, void* pointer) {
  return free_with(MKMD_HOME(clMemBlockingFreeINTEL), context, pointer);
}

cl_int CL_API_CALL get_info(cl_context context, const void* pointer, cl_mem_info_intel param_name,
                            size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  return guarded([&]() -> cl_int {
    const Context* ours = object_cast<Context>(context);
    if (ours == nullptr) return CL_INVALID_CONTEXT;
    const auto function = MKMD_HOME(clGetMemAllocInfoINTEL);
    if (param_name != CL_MEM_ALLOC_DEVICE_INTEL)
      return function(ours->native.get(), pointer, param_name, param_value_size, param_value,
                      param_value_size_ret);
    cl_device_id native = nullptr;
    if (const cl_int error =
            function(ours->native.get(), pointer, param_name, sizeof native, &native, nullptr);
        error != CL_SUCCESS)
      return error;
    cl_device_id of_program = nullptr;
    for (const Ref<Device>& device : ours->devices) {
      if (device->home == native) of_program = device->handle();
    }
    return write_info({param_value_size, param_value, param_value_size_ret}, of_program);
  });
}

cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, const void* pointer) {
  return guarded(
      [&] { return set_pointer_argument(kernel, index, pointer, MKMD_HOME(clSetKernelArgMemPointerINTEL)); });
}

// `call` is the home's function, with its own arguments bound.
template <typename Call>
cl_int enqueue_usm(cl_command_queue command_queue, cl_command_type type, WaitList waits, cl_event* event,
                   bool blocking, Call&& call) {
  return guarded([&] { return enqueue_pointers(command_queue, type, waits, event, blocking, call); });
}

cl_int CL_API_CALL fill(cl_command_queue queue, void* destination, const void* pattern, size_t pattern_size,
                        size_t size, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  return enqueue_usm(queue, CL_COMMAND_MEMFILL_INTEL, {wait_count, waits}, event, false,
                     [&](const NativeCall& n) {
                       return MKMD_HOME(clEnqueueMemFillINTEL)(n.queue, destination, pattern, pattern_size,
                                                               size, n.wait_count, n.waits, n.event);
                     });
}

cl_int CL_API_CALL set_bytes(cl_command_queue queue, void* destination, cl_int value, size_t size,
                             cl_uint wait_count, const cl_event* waits, cl_event* event) {
  return enqueue_usm(queue, CL_COMMAND_MEMFILL_INTEL, {wait_count, waits}, event, false,
                     [&](const NativeCall& n) {
                       return MKMD_HOME(clEnqueueMemsetINTEL)(n.queue, destination, value, size, n.wait_count,
                                                              n.waits, n.event);
                     });
}

cl_int CL_API_CALL copy(cl_command_queue queue, cl_bool blocking, void* destination, const void* source,
                        size_t size, cl_uint wait_count, const cl_event* waits, cl_event* event) {
  return enqueue_usm(queue, CL_COMMAND_MEMCPY_INTEL, {wait_count, waits}, event, blocking != CL_FALSE,
                     [&](const NativeCall& n) {
                       return MKMD_HOME(clEnqueueMemcpyINTEL)(n.queue, CL_FALSE, destination, source, size,
                                                              n.wait_count, n.waits, n.event);
                     });
}

cl_int CL_API_CALL migrate(cl_command_queue queue, const void* pointer, size_t size,
                           cl_mem_migration_flags flags, cl_uint wait_count, const cl_event* waits,
                           cl_event* event) {
  return enqueue_usm(queue, CL_COMMAND_MIGRATEMEM_INTEL, {wait_count, waits}, event, false,
                     [&](const NativeCall& n) {
                       return MKMD_HOME(clEnqueueMigrateMemINTEL)(n.queue, pointer, size, flags, n.wait_count,
                                                                  n.waits, n.event);
                     });
}

cl_int CL_API_CALL advise(cl_command_queue queue, const void* pointer, size_t size,
                          cl_mem_advice_intel advice, cl_uint wait_count, const cl_event* waits,
                          cl_event* event) {
  return enqueue_usm(queue, CL_COMMAND_MEMADVISE_INTEL, {wait_count, waits}, event, false,
                     [&](const NativeCall& n) {
                       return MKMD_HOME(clEnqueueMemAdviseINTEL)(n.queue, pointer, size, advice, n.wait_count,
                                                                 n.waits, n.event);
                     });
}

#undef MKMD_HOME

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* usm_function(const char* name) {
  static const ExtensionFunction kFunctions[] = {
      {"clHostMemAllocINTEL", address(&host_alloc)},
      {"clDeviceMemAllocINTEL", address(&device_alloc_door)},
      {"clSharedMemAllocINTEL", address(&shared_alloc_door)},
      {"clMemFreeINTEL", address(&free_memory)},
      {"clMemBlockingFreeINTEL", address(&blocking_free)},
      {"clGetMemAllocInfoINTEL", address(&get_info)},
      {"clSetKernelArgMemPointerINTEL", address(&set_kernel_arg)},
      {"clEnqueueMemFillINTEL", address(&fill)},
      {"clEnqueueMemsetINTEL", address(&set_bytes)},
      {"clEnqueueMemcpyINTEL", address(&copy)},
      {"clEnqueueMigrateMemINTEL", address(&migrate)},
      {"clEnqueueMemAdviseINTEL", address(&advise)},
  };
  return function_of_home(kFunctions, name);
}

}  // namespace mkmd::api
