// SPDX-License-Identifier: Apache-2.0
// Sharing objects with OpenGL and EGL. Passed on to the home's vendor, with handles translated; a vendor that
// has no such functions, as most without a display, answers CL_INVALID_OPERATION.
#include "libinterpose/api/commands/enqueue_objects.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/objects/platform.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

namespace mkmd::api {

namespace {

template <auto kSlot, typename... Args>
cl_mem create_shared(cl_context context, cl_int* errcode_ret, Args... args) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_mem> native = vendor_create<kSlot>(error, ours->native.get(), args...);
  if (!native) return fail(errcode_ret, error);
  set_error(errcode_ret, CL_SUCCESS);
  // OpenGL or EGL, and other objects made from the same one, may know its pixels.
  const ImageShape shape = image_shape(native.get());
  return (new Memory(ours, std::move(native), nullptr, shape, false))->handle();
}

template <auto kSlot, typename... Args>
cl_event create_event(cl_context context, cl_command_type type, cl_int* errcode_ret, Args... args) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_event> native = vendor_create<kSlot>(error, ours->native.get(), args...);
  if (!native) return fail(errcode_ret, error);
  auto* event = new Event(ours, nullptr, type);
  event->native = std::move(native);
  set_error(errcode_ret, CL_SUCCESS);
  return event->handle();
}

template <auto kSlot>
cl_int enqueue_list(cl_command_queue command_queue, cl_uint count, const cl_mem* objects,
                    cl_command_type type, WaitList waits, cl_event* event) {
  if (object_cast<Queue>(command_queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if ((count == 0) != (objects == nullptr)) return CL_INVALID_VALUE;
  std::vector<Named> named;
  for (cl_uint i = 0; i < count; ++i)
    named.push_back({objects[i], true});
  return enqueue_on(command_queue, named, type, waits, event, false,
                    [&](const NativeCall& n, const cl_mem* memory) {
                      return vendor_call<kSlot>(n.queue, count, memory, n.wait_count, n.waits, n.event);
                    });
}

}  // namespace

cl_mem CreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj, int* errcode_ret) {
  return create_shared<&cl_icd_dispatch::clCreateFromGLBuffer>(context, errcode_ret, flags, bufobj);
}

cl_mem CreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                           cl_GLuint texture, cl_int* errcode_ret) {
  return create_shared<&cl_icd_dispatch::clCreateFromGLTexture>(context, errcode_ret, flags, target, miplevel,
                                                                texture);
}

cl_mem CreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                             cl_GLuint texture, cl_int* errcode_ret) {
  return create_shared<&cl_icd_dispatch::clCreateFromGLTexture2D>(context, errcode_ret, flags, target,
                                                                  miplevel, texture);
}

cl_mem CreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                             cl_GLuint texture, cl_int* errcode_ret) {
  return create_shared<&cl_icd_dispatch::clCreateFromGLTexture3D>(context, errcode_ret, flags, target,
                                                                  miplevel, texture);
}

cl_mem CreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer,
                                cl_int* errcode_ret) {
  return create_shared<&cl_icd_dispatch::clCreateFromGLRenderbuffer>(context, errcode_ret, flags,
                                                                     renderbuffer);
}

cl_mem CreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage,
                             cl_mem_flags flags, const cl_egl_image_properties_khr* properties,
                             cl_int* errcode_ret) {
  return create_shared<&cl_icd_dispatch::clCreateFromEGLImageKHR>(context, errcode_ret, egldisplay, eglimage,
                                                                  flags, properties);
}

cl_int GetGLObjectInfo(cl_mem memobj, cl_gl_object_type* gl_object_type, cl_GLuint* gl_object_name) {
  Memory* memory = object_cast<Memory>(memobj);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  return vendor_call<&cl_icd_dispatch::clGetGLObjectInfo>(memory->native.get(), gl_object_type,
                                                          gl_object_name);
}

cl_int GetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
                        void* param_value, size_t* param_value_size_ret) {
  Memory* memory = object_cast<Memory>(memobj);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  return vendor_call<&cl_icd_dispatch::clGetGLTextureInfo>(memory->native.get(), param_name, param_value_size,
                                                           param_value, param_value_size_ret);
}

cl_int EnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects, const cl_mem* mem_objects,
                               cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                               cl_event* event) {
  return enqueue_list<&cl_icd_dispatch::clEnqueueAcquireGLObjects>(
      command_queue, num_objects, mem_objects, CL_COMMAND_ACQUIRE_GL_OBJECTS,
      {num_events_in_wait_list, event_wait_list}, event);
}

cl_int EnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects, const cl_mem* mem_objects,
                               cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                               cl_event* event) {
  return enqueue_list<&cl_icd_dispatch::clEnqueueReleaseGLObjects>(
      command_queue, num_objects, mem_objects, CL_COMMAND_RELEASE_GL_OBJECTS,
      {num_events_in_wait_list, event_wait_list}, event);
}

cl_int EnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
                                   const cl_mem* mem_objects, cl_uint num_events_in_wait_list,
                                   const cl_event* event_wait_list, cl_event* event) {
  return enqueue_list<&cl_icd_dispatch::clEnqueueAcquireEGLObjectsKHR>(
      command_queue, num_objects, mem_objects, CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR,
      {num_events_in_wait_list, event_wait_list}, event);
}

cl_int EnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
                                   const cl_mem* mem_objects, cl_uint num_events_in_wait_list,
                                   const cl_event* event_wait_list, cl_event* event) {
  return enqueue_list<&cl_icd_dispatch::clEnqueueReleaseEGLObjectsKHR>(
      command_queue, num_objects, mem_objects, CL_COMMAND_RELEASE_EGL_OBJECTS_KHR,
      {num_events_in_wait_list, event_wait_list}, event);
}

cl_event CreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int* errcode_ret) {
  return create_event<&cl_icd_dispatch::clCreateEventFromGLsyncKHR>(
      context, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR, errcode_ret, sync);
}

cl_event CreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                   cl_int* errcode_ret) {
  return create_event<&cl_icd_dispatch::clCreateEventFromEGLSyncKHR>(
      context, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR, errcode_ret, sync, display);
}

cl_int GetGLContextInfoKHR(const cl_context_properties* properties, cl_gl_context_info param_name,
                           size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  const Platform* platform = our_platform();
  if (platform == nullptr) return CL_INVALID_PLATFORM;
  std::vector<cl_context_properties> native;
  for (; properties != nullptr && properties[0] != 0; properties += 2) {
    const bool names_us = properties[0] == CL_CONTEXT_PLATFORM;
    native.insert(
        native.end(),
        {properties[0], names_us ? reinterpret_cast<cl_context_properties>(platform->home) : properties[1]});
  }
  native.push_back(0);
  const auto slot = vendor::table(platform->home).clGetGLContextInfoKHR;
  if (slot == nullptr) return CL_INVALID_OPERATION;
  cl_device_id devices[8] = {};
  size_t size = 0;
  const cl_int error = slot(native.data(), param_name, sizeof devices, devices, &size);
  if (error != CL_SUCCESS) return error;
  // Of the vendor's devices the program knows the home alone.
  std::vector<cl_device_id> known;
  for (size_t i = 0; i < size / sizeof(cl_device_id); ++i) {
    if (devices[i] == process().device->home) known.push_back(process().device->handle());
  }
  return write_info({param_value_size, param_value, param_value_size_ret}, known);
}

}  // namespace mkmd::api
