// SPDX-License-Identifier: Apache-2.0
// What the functions of extensions have in common: how they find the home's function, and their doors.
#pragma once

#include "libinterpose/api/door.hpp"
#include "libinterpose/process.hpp"

#include <CL/cl.h>

#include <span>

namespace mkmd::api {

// The home's function of this name, as a function type of cl_ext.h; null if its platform has none.
template <typename Function>
Function vendor_function(const char* name) {
  return reinterpret_cast<Function>(vendor::extension_function(process().platform->home, name));
}

// What door.hpp does for the functions of the table.
template <typename Call>
cl_int guarded(const Call& call) {
  if (process_forked.load(std::memory_order_relaxed)) return CL_OUT_OF_RESOURCES;
  try {
    return door::enter(call);
  } catch (...) {
    return door::caught();
  }
}

struct ExtensionFunction {
  const char* name;
  void* function;
};

// The function of this name in the list; null if there is none, or if the home does not have it either.
void* function_of_home(std::span<const ExtensionFunction> list, const char* name);

}  // namespace mkmd::api
