// SPDX-License-Identifier: Apache-2.0
// For vendor libraries of the tests that stand in front of the library $POCL and change its dispatch table.
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace in_front {

// What PoCL exports, or has behind its extension function.
template <typename Function>
Function of_pocl(const char* name) {
  static void* const library = dlopen(std::getenv("POCL"), RTLD_NOW | RTLD_LOCAL);
  if (void* const exported = dlsym(library, name)) return reinterpret_cast<Function>(exported);
  using Get = void* (*)(const char*);
  const auto get = reinterpret_cast<Get>(dlsym(library, "clGetExtensionFunctionAddress"));
  return reinterpret_cast<Function>(get(name));
}

inline void make_writable(cl_icd_dispatch& table) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(&table) / page * page;
  mprotect(reinterpret_cast<void*>(begin), reinterpret_cast<uintptr_t>(&table + 1) - begin,
           PROT_READ | PROT_WRITE);
}

}  // namespace in_front
