// SPDX-License-Identifier: Apache-2.0
// What happens at the door, before a call reaches mkmd::api. A handle that is not ours belongs to a vendor
// library which found our exported symbols instead of its own or the loader's. The call then goes to that
// vendor's table (Rule 2 of docs/architecture.md). In a forked child every call answers
// CL_OUT_OF_RESOURCES. The door also catches all exceptions. The exported functions that use it are
// generated (entry_points.cpp).
#pragma once

#include "common/inside_call.hpp"
#include "common/untrapped.hpp"
#include "libinterpose/objects/object.hpp"

#include <atomic>
#include <tuple>

// Everything else in the library is hidden.
#define MKMD_EXPORT __attribute__((visibility("default")))

namespace mkmd {
extern std::atomic<bool> process_forked;
}

namespace mkmd::door {

// For the catch-all below: reports the exception being handled and gives the code the program is told.
cl_int caught();

// Calls a function of ours.
template <typename Call>
auto enter(const Call& call) -> decltype(call()) {
  const InsideCall inside;
  const Untrapped untrapped;
  return call();
}

inline bool foreign(const void* handle) {
  return handle != nullptr && static_cast<const ObjectHeader*>(handle)->dispatch != &dispatch_table;
}

template <auto kSlot>
auto slot_of(const void* handle) {
  return static_cast<const ObjectHeader*>(handle)->dispatch->*kSlot;
}

// `subject` is the handle that says whose call this is; it may be null.
template <auto kSlot, auto kFunction, typename... Args>
cl_int returning_status(const void* subject, Args... args) {
  if (process_forked.load(std::memory_order_relaxed)) return CL_OUT_OF_RESOURCES;
  if (foreign(subject)) {
    const auto slot = slot_of<kSlot>(subject);
    return slot != nullptr ? slot(args...) : CL_INVALID_OPERATION;
  }
  try {
    return enter([&] { return kFunction(args...); });
  } catch (...) {
    return caught();
  }
}

// Stores `code` where the last argument, errcode_ret, points.
template <typename... Args>
void set_error(cl_int code, Args... args) {
  cl_int* errcode_ret = std::get<sizeof...(args) - 1>(std::tie(args...));
  if (errcode_ret != nullptr) *errcode_ret = code;
}

// For functions whose last parameter is errcode_ret: a new object, or the pointer of a mapped region.
template <auto kSlot, auto kFunction, typename... Args>
auto returning_handle(const void* subject, Args... args) -> decltype(kFunction(args...)) {
  cl_int code = CL_OUT_OF_RESOURCES;
  if (!process_forked.load(std::memory_order_relaxed)) {
    if (foreign(subject)) {
      if (const auto slot = slot_of<kSlot>(subject); slot != nullptr) return slot(args...);
      code = CL_INVALID_OPERATION;
    } else {
      try {
        return enter([&] { return kFunction(args...); });
      } catch (...) {
        code = caught();
      }
    }
  }
  set_error(code, args...);
  return nullptr;
}

template <auto kSlot, auto kFunction, typename... Args>
void* returning_pointer(const void* subject, Args... args) {
  if (process_forked.load(std::memory_order_relaxed)) return nullptr;
  if (foreign(subject)) {
    const auto slot = slot_of<kSlot>(subject);
    return slot != nullptr ? slot(args...) : nullptr;
  }
  try {
    return enter([&] { return kFunction(args...); });
  } catch (...) {
    caught();
    return nullptr;
  }
}

template <auto kSlot, auto kFunction, typename... Args>
void returning_nothing(const void* subject, Args... args) {
  if (process_forked.load(std::memory_order_relaxed)) return;
  if (foreign(subject)) {
    if (const auto slot = slot_of<kSlot>(subject); slot != nullptr) slot(args...);
    return;
  }
  try {
    enter([&] { kFunction(args...); });
  } catch (...) {
    caught();
  }
}

template <typename Handle>
const void* first(cl_uint count, const Handle* list) {
  return count > 0 && list != nullptr ? list[0] : nullptr;
}

inline const void* platform_of(const cl_context_properties* properties) {
  for (; properties != nullptr && properties[0] != 0; properties += 2) {
    if (properties[0] == CL_CONTEXT_PLATFORM) return reinterpret_cast<const void*>(properties[1]);
  }
  return nullptr;
}

}  // namespace mkmd::door
