// SPDX-License-Identifier: Apache-2.0
// Kernels whose results and whose structs depend on what the device's compiler predefines: each launch must
// see one compiler's macros, in whichever pieces it runs.
#include "program.h"

namespace {

// One number of each family of macros, or 7 where there is none.
const char* const kSource = R"(
#define EITHER(x) (x)
#ifdef __OPENCL_C_VERSION__
#define VERSION __OPENCL_C_VERSION__
#else
#define VERSION 7
#endif
#if defined(__GNUC__) && __GNUC__ >= 4
#define GNU (__GNUC__ * 100 + __GNUC_MINOR__)
#else
#define GNU 7
#endif
#if defined __x86_64__ || defined(__amd64__)
#define MACHINE 64
#elif defined(__SPIR__) || defined __SPIR64__
#define MACHINE 1
#else
#define MACHINE 7
#endif
#ifdef __AVX2__
#define VECTORS 8
#else
#ifdef __SSE2__
#define VECTORS 4
#else
#define VECTORS 7
#endif
#endif
#ifndef __FMA__
#define FUSED 7
#else
#define FUSED __FMA__
#endif
#define SYSTEM (__linux__ + 2 * __ELF__)
#if SYSTEM
#define ON_LINUX 1
#else
#define ON_LINUX 7
#endif
#if EITHER(__opencl_c_generic_address_space) || defined(__opencl_c_program_scope_global_variables)
#define FEATURES 3
#elif NEVER_DEFINED_ANYWHERE
#define FEATURES 5
#else
#define FEATURES 7
#endif
#if __clang_major__ > 14
#define CLANG 15
#elif defined(__clang__)
#define CLANG 14
#else
#define CLANG 7
#endif
#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics) && !defined(cl_khr_gl_sharing)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define EXTENSIONS 2
#else
#define EXTENSIONS 7
#endif
#ifdef FP_FAST_FMAF
#define FAST 2
#else
#define FAST 7
#endif
#ifdef POCL_VECMATHLIB_BUILTIN
#define VENDOR 2
#elif defined(_CL_HAS_IMAGES) || defined(__POCL__) || defined(__IMAGE_SUPPORT__)
#define VENDOR 3
#else
#define VENDOR 7
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#ifdef inline
#define KEYWORD 2
#else
#define KEYWORD 7
#endif
typedef struct {
  int first;
  char text[4 * sizeof(TEXT(inline))];
#if defined(__x86_64__) && defined(__AVX2__)
  long only_here;
#endif
#if __OPENCL_C_VERSION__ >= 200
  int only_there;
#endif
  int last;
} Item;
__kernel void families(__global const int* in, __global int* out) {
  const int values[] = {VERSION, GNU, MACHINE, VECTORS, FUSED, ON_LINUX, FEATURES, CLANG, EXTENSIONS, FAST, VENDOR,
                        __OPENCL_VERSION__, sizeof(Item), __LINE__, CL_VERSION_1_2, KEYWORD};
  int i = get_global_id(0), x = in[i];
  for (int k = 0; k < 300; ++k) x = x * 5 + k;
  out[i] = x * values[i % 16] + values[i / 16 % 16];
}
__kernel void layout(__global Item* items) {
  int i = get_global_id(0), x = items[i].last;
  for (int k = 0; k < 300; ++k) x = x * 5 + k;
  items[i].last = x;
  items[i].first = sizeof(Item);
}
)";

void run(const Cl& cl, const char* options, size_t count) {
  const cl_program program = build(cl, kSource, options);
  const cl_kernel families = kernel_of(program, "families"), layout = kernel_of(program, "layout");
  const cl_mem in = buffer_of(cl, noise<cl_int>(count, 1)), out = buffer_of(cl, noise<cl_int>(count, 2)),
               items = buffer_of(cl, noise<cl_int>(count * 16, 3));
  set_args(families, in, out);
  set_args(layout, items);
  for (int i = 0; i < 6; ++i) {
    launch(cl, families, {count}, {64});
    launch(cl, layout, {count}, {64});
    CL_CHECK(clFinish(cl.queue));
  }
  std::printf("options '%s'\n", options);
  report<cl_int>(cl, "values", out, count);
  report<cl_int>(cl, "items", items, count * 16);
  for (const cl_mem memory : {in, out, items})
    CL_CHECK(clReleaseMemObject(memory));
  CL_CHECK(clReleaseKernel(families));
  CL_CHECK(clReleaseKernel(layout));
  CL_CHECK(clReleaseProgram(program));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 131072);
  const Cl cl = open_cl();
  for (const char* options : {"", "-cl-std=CL1.2", "-cl-std=CL3.0", "-DNEVER_DEFINED_ANYWHERE=1",
                              "-cl-mad-enable -D VALUE=__OPENCL_C_VERSION__"})
    run(cl, options, count);
  close_cl(cl);
}
