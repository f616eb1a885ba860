// SPDX-License-Identifier: Apache-2.0
// Buffers and sub-buffers, what memory objects of every kind are asked, and farewell callbacks. Images are
// made in image.cpp.
#include "libinterpose/api/commands/host_memory.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/vendor/host_visible.hpp"

namespace mkmd::api {

namespace {

// Whether transfers to and from other memories are likely: then the host should get at the bytes at home.
bool moves_bytes(const Context& context) {
  const Runtime* const runtime = runtime_of(context);
  return runtime != nullptr && runtime->session().configuration.domain_count > 1;
}

// Empty where the driver is to make, or refuse, the buffer as it was asked for.
vendor::HostVisible visible_buffer(const Context& context, cl_mem_flags flags, size_t size,
                                   const void* host_ptr) {
  const bool copies = (flags & CL_MEM_COPY_HOST_PTR) != 0;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 || copies != (host_ptr != nullptr) || !moves_bytes(context))
    return {};
  const cl_mem_flags wanted = flags != 0 ? flags : CL_MEM_READ_WRITE;  // the default (clause 5.2.1)
  return vendor::make_host_visible(context.native.get(), wanted, size, host_ptr);
}

}  // namespace

cl_mem CreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host_ptr,
                    cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  vendor::HostVisible visible = visible_buffer(*ours, flags, size, host_ptr);
  cl_int error = CL_SUCCESS;
  if (!visible.buffer) {
    visible.buffer =
        vendor_create<&cl_icd_dispatch::clCreateBuffer>(error, ours->native.get(), flags, size, host_ptr);
  }
  if (!visible.buffer) return fail(errcode_ret, error);
  note_host_memory(flags);
  set_error(errcode_ret, CL_SUCCESS);
  const VisibleBytes bytes{visible.bytes, flags & vendor::kPlaceFlags};
  return (new Memory(ours, std::move(visible.buffer), nullptr, 0, size, true, bytes))->handle();
}

cl_mem CreateBufferWithProperties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                                  size_t size, void* host_ptr, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateBufferWithProperties>(
      error, ours->native.get(), properties, flags, size, host_ptr);
  if (!native) return fail(errcode_ret, error);
  note_host_memory(flags);
  set_error(errcode_ret, CL_SUCCESS);
  return (new Memory(ours, std::move(native), nullptr, 0, size, true))->handle();
}

cl_mem CreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
                       const void* buffer_create_info, cl_int* errcode_ret) {
  Memory* parent = object_cast<Memory>(buffer);
  if (parent == nullptr) return fail(errcode_ret, CL_INVALID_MEM_OBJECT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateSubBuffer>(error, parent->native.get(), flags,
                                                                   buffer_create_type, buffer_create_info);
  if (!native) return fail(errcode_ret, error);
  const auto& region = *static_cast<const cl_buffer_region*>(buffer_create_info);
  set_error(errcode_ret, CL_SUCCESS);
  auto* made = new Memory(parent->context.get(), std::move(native), parent, parent->origin + region.origin,
                          region.size, true);
  return made->handle();
}

cl_int GetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void* param_value,
                        size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Memory* memory = object_cast<Memory>(memobj);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  switch (param_name) {
  case CL_MEM_CONTEXT:
    return write_info(target, memory->context->handle());
  case CL_MEM_REFERENCE_COUNT:
    return write_info(target, memory->program_references());
  case CL_MEM_ASSOCIATED_MEMOBJECT: {
    const cl_mem parent = memory->parent ? memory->parent->handle() : nullptr;
    return write_info(target, parent);
  }
  default:
    break;
  }
  const VisibleBytes& visible = memory->root()->visible_bytes;
  if (visible.begin != nullptr) {  // the program has not asked for its place
    switch (param_name) {
    case CL_MEM_FLAGS: {
      cl_mem_flags flags = 0;
      vendor::table(memory->native.get())
          .clGetMemObjectInfo(memory->native.get(), CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
      return write_info(target, (flags & ~vendor::kPlaceFlags) | visible.place);
    }
    case CL_MEM_HOST_PTR:
      return write_info<void*>(target, nullptr);
    case CL_MEM_USES_SVM_POINTER:
      return write_info<cl_bool>(target, CL_FALSE);
    default:
      break;
    }
  }
  return vendor::table(memory->native.get())
      .clGetMemObjectInfo(memory->native.get(), param_name, param_value_size, param_value,
                          param_value_size_ret);
}

cl_int SetMemObjectDestructorCallback(cl_mem memobj, void(CL_CALLBACK* pfn_notify)(cl_mem, void*),
                                      void* user_data) {
  Memory* memory = object_cast<Memory>(memobj);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  if (pfn_notify == nullptr) return CL_INVALID_VALUE;
  Farewell<cl_mem> farewell(memobj, pfn_notify, user_data);
  const cl_int error = vendor_call<&cl_icd_dispatch::clSetMemObjectDestructorCallback>(
      memory->native.get(), &Farewell<cl_mem>::function, farewell.data());
  if (error == CL_SUCCESS) farewell.taken();
  return error;
}

cl_mem CreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
                  const cl_pipe_properties* properties, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreatePipe>(error, ours->native.get(), flags,
                                                              pipe_packet_size, pipe_max_packets, properties);
  if (!native) return fail(errcode_ret, error);
  set_error(errcode_ret, CL_SUCCESS);
  return (new Memory(ours, std::move(native), nullptr, 0, 0, false))->handle();
}

cl_int GetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void* param_value,
                   size_t* param_value_size_ret) {
  Memory* memory = object_cast<Memory>(pipe);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  return vendor_call<&cl_icd_dispatch::clGetPipeInfo>(memory->native.get(), param_name, param_value_size,
                                                      param_value, param_value_size_ret);
}

}  // namespace mkmd::api
