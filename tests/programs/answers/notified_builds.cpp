// SPDX-License-Identifier: Apache-2.0
// Builds, compilations and links with a function to be called at their end. Some of them fail, and some are
// refused because the program has kernels.
#include "program.h"

#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<int> calls{0};

static void CL_CALLBACK notify(cl_program, void*) {
  ++calls;
}

// Waits for the call, if there is one.
static void show_calls() {
  for (int i = 0; i < 5000 && calls.load() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("calls %d\n", calls.exchange(0));
}

static constexpr size_t kCount = 16384;

static void run(const Cl& cl, cl_program program, cl_mem buffer) {
  cl_int error = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(program, "add", &error);
  std::printf("kernel %d\n", error);
  if (error != CL_SUCCESS) return;
  set_args(kernel, buffer);
  launch(cl, kernel, {kCount}, {64});
  report<cl_int>(cl, "data", buffer, kCount);
  CL_CHECK(clReleaseKernel(kernel));
}

static cl_program program_of(const Cl& cl, const char* source) {
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &error);
  CL_CHECK(error);
  return program;
}

int main() {
  const Cl cl = open_cl();
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(kCount, 4));
  const cl_program program = program_of(cl, "__kernel void add(__global int* data) {\n"
                                            "  int i = get_global_id(0), x = data[i];\n"
                                            "  for (int k = 0; k < 300; ++k) x = x * 31 + STEP;\n"
                                            "  data[i] = x;\n}\n");
  cl_int error = CL_SUCCESS;
  cl_kernel kept = nullptr;
  for (const char* options : {"-DSTEP=1", "-DSTEP=2", "-DNOTHING", "-DSTEP=3"}) {
    std::printf("%s: %d\n", options, clBuildProgram(program, 0, nullptr, options, notify, nullptr));
    show_calls();
    run(cl, program, buffer);
    if (kept != nullptr) CL_CHECK(clReleaseKernel(kept));
    kept = clCreateKernel(program, "add", &error);  // the next build is refused
    if (error != CL_SUCCESS) kept = nullptr;
  }
  const cl_program lacks = program_of(cl, "int f(int);\n__kernel void add(__global int* data) {\n"
                                          "  data[get_global_id(0)] += f(3);\n}\n");
  const cl_program has = program_of(cl, "int f(int x) { return x * 2; }\n");
  for (const cl_program one : {lacks, has}) {
    SHOW(clCompileProgram(one, 0, nullptr, "", 0, nullptr, nullptr, notify, nullptr));
    show_calls();
  }
  const cl_program both[] = {lacks, has};
  SHOW_CREATE(clLinkProgram(cl.context, 0, nullptr, "", 1, both, notify, nullptr, &error));
  show_calls();
  const cl_program linked = clLinkProgram(cl.context, 0, nullptr, "", 2, both, notify, nullptr, &error);
  CL_CHECK(error);
  show_calls();
  run(cl, linked, buffer);
}
