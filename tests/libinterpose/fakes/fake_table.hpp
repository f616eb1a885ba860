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

}  // namespace mkmd::fake
