// SPDX-License-Identifier: Apache-2.0
// The dispatch table of the fake driver's objects, and how they are made and released.
#pragma once

#include "tests/libinterpose/fakes/fake_driver.hpp"

namespace mkmd::fake {

const cl_icd_dispatch& table();

template <typename T, typename H>
T& as(H handle) {
  return *reinterpret_cast<T*>(handle);
}

template <typename H, typename T>
H handle_of(T* object) {
  return reinterpret_cast<H>(object);
}

template <typename T>
T* make() {
  T* const made = new T{};
  made->table = &table();
  return made;
}

template <typename T, typename H>
cl_int retain(H handle) {
  ++as<T>(handle).references;
  return CL_SUCCESS;
}
template <typename T, typename H>
cl_int release(H handle) {
  T* const object = &as<T>(handle);
  if (--object->references == 0) delete object;
  return CL_SUCCESS;
}

// What the table has for contexts and command-queues.
cl_context create_context(const cl_context_properties*, cl_uint count, const cl_device_id* devices,
                          void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*, cl_int* error);
cl_command_queue create_queue(cl_context context, cl_device_id device, cl_command_queue_properties,
                              cl_int* error);
cl_int release_queue(cl_command_queue handle);

// Null: the device has refused it. `takes`: nanoseconds.
Event* enqueue(cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event, cl_ulong takes,
               std::function<void()> work);
void fill_table_with_copies(cl_icd_dispatch& table);

}  // namespace mkmd::fake
