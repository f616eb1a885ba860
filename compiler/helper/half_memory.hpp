// SPDX-License-Identifier: Apache-2.0
// Loads and stores of half are OpenCL C on every device; arithmetic on half needs cl_khr_fp16. Clang 14
// declares neither without the extension, and with it would find calls ambiguous that the device's own
// compiler does not.
#pragma once

namespace mkmd::compiler {

constexpr const char* kHalfMemoryFile = "/mkmd-half-memory.h";  // nowhere but in the front end

// To be included before the program. With cl_khr_fp16 it is empty: clang's own declarations are there.
constexpr const char* kHalfMemory = R"(
#ifndef cl_khr_fp16
#define MKMD_LOAD(name, type, space) type __attribute__((overloadable, pure)) name(size_t, const space half*);
#define MKMD_LOADS(space) MKMD_LOAD(vload_half, float, space) \
  MKMD_LOAD(vload_half2, float2, space) MKMD_LOAD(vloada_half2, float2, space) \
  MKMD_LOAD(vload_half3, float3, space) MKMD_LOAD(vloada_half3, float3, space) \
  MKMD_LOAD(vload_half4, float4, space) MKMD_LOAD(vloada_half4, float4, space) \
  MKMD_LOAD(vload_half8, float8, space) MKMD_LOAD(vloada_half8, float8, space) \
  MKMD_LOAD(vload_half16, float16, space) MKMD_LOAD(vloada_half16, float16, space)
#define MKMD_STORE(name, type, space) void __attribute__((overloadable)) name(type, size_t, space half*);
#define MKMD_ROUNDED(name, type, space) MKMD_STORE(name, type, space) \
  MKMD_STORE(name##_rte, type, space) MKMD_STORE(name##_rtz, type, space) \
  MKMD_STORE(name##_rtp, type, space) MKMD_STORE(name##_rtn, type, space)
#define MKMD_STORES(type, space) MKMD_ROUNDED(vstore_half, type, space) \
  MKMD_ROUNDED(vstore_half2, type##2, space) MKMD_ROUNDED(vstorea_half2, type##2, space) \
  MKMD_ROUNDED(vstore_half3, type##3, space) MKMD_ROUNDED(vstorea_half3, type##3, space) \
  MKMD_ROUNDED(vstore_half4, type##4, space) MKMD_ROUNDED(vstorea_half4, type##4, space) \
  MKMD_ROUNDED(vstore_half8, type##8, space) MKMD_ROUNDED(vstorea_half8, type##8, space) \
  MKMD_ROUNDED(vstore_half16, type##16, space) MKMD_ROUNDED(vstorea_half16, type##16, space)
#ifdef cl_khr_fp64
#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define MKMD_BOTH(space) MKMD_LOADS(space) MKMD_STORES(float, space) MKMD_STORES(double, space)
#else
#define MKMD_BOTH(space) MKMD_LOADS(space) MKMD_STORES(float, space)
#endif
MKMD_LOADS(__constant)
#ifdef __opencl_c_generic_address_space
MKMD_BOTH()
#else
MKMD_BOTH(__global)
MKMD_BOTH(__local)
MKMD_BOTH(__private)
#endif
#undef MKMD_LOAD
#undef MKMD_LOADS
#undef MKMD_STORE
#undef MKMD_ROUNDED
#undef MKMD_STORES
#undef MKMD_BOTH
#endif
)";

}  // namespace mkmd::compiler
