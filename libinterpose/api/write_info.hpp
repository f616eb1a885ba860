// SPDX-License-Identifier: Apache-2.0
// The answers to clGet*Info: one way to write a value, and the ways to make ours of the vendor's.
#pragma once

#include <CL/cl.h>

#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace mkmd::api {

// Where the program wants the answer: the last three parameters of every clGet*Info.
struct InfoTarget {
  size_t size;
  void* value;
  size_t* size_ret;
};

inline cl_int write_bytes(const InfoTarget& target, const void* bytes, size_t count) {
  if (target.value != nullptr) {
    if (target.size < count) return CL_INVALID_VALUE;
    if (count > 0) std::memcpy(target.value, bytes, count);
  }
  if (target.size_ret != nullptr) *target.size_ret = count;
  return CL_SUCCESS;
}

template <typename T>
cl_int write_info(const InfoTarget& target, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return write_bytes(target, &value, sizeof value);
}

inline cl_int write_info(const InfoTarget& target, const std::string& text) {
  return write_bytes(target, text.c_str(), text.size() + 1);
}

template <typename T>
cl_int write_info(const InfoTarget& target, const std::vector<T>& list) {
  return write_bytes(target, list.data(), list.size() * sizeof(T));
}

// A vendor's answer of any size. `ask(size, value, size_ret)` is its clGet*Info with the first parameters
// bound.
template <typename T, typename Ask>
cl_int read_list(std::vector<T>& list, Ask&& ask) {
  size_t size = 0;
  if (const cl_int error = ask(size_t{0}, nullptr, &size); error != CL_SUCCESS) return error;
  list.resize(size / sizeof(T));
  return list.empty() ? CL_SUCCESS : ask(list.size() * sizeof(T), list.data(), nullptr);
}

inline void set_error(cl_int* errcode_ret, cl_int code) {
  if (errcode_ret != nullptr) *errcode_ret = code;
}

// For functions that return a handle: stores the code and returns the null handle.
inline std::nullptr_t fail(cl_int* errcode_ret, cl_int code) {
  set_error(errcode_ret, code);
  return nullptr;
}

}  // namespace mkmd::api
