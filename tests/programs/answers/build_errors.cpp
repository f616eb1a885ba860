// SPDX-License-Identifier: Apache-2.0
// Programs that do not build: the error codes, the build status, and that there is a log that names the
// undeclared variable. Then builds with options, with options that are wrong, and a second build.
#include "program.h"

static void try_build(const Cl& cl, const char* name, const char* source, const char* options,
                      const char* expected) {
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &error);
  CL_CHECK(error);
  std::printf("%s: build %d", name, clBuildProgram(program, 1, &cl.device, options, nullptr, nullptr));
  cl_build_status status = 0;
  CL_CHECK(
      clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, nullptr));
  size_t length = 0;
  CL_CHECK(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length));
  std::string log(length, '\0');
  CL_CHECK(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr));
  std::printf(" status %d, log names it %d", status, int(log.find(expected) != std::string::npos));
  const cl_kernel kernel = clCreateKernel(program, "k", &error);
  std::printf(", kernel %d\n", error);
  if (kernel) CL_CHECK(clReleaseKernel(kernel));
  CL_CHECK(clReleaseProgram(program));
}

int main() {
  const Cl cl = open_cl();
  try_build(cl, "undeclared", "__kernel void k(__global int* d) { d[0] = nowhere; }", "", "nowhere");
  try_build(cl, "syntax", "__kernel void k(__global int* d) { d[0] = ; }", "", "error");
  try_build(cl, "error directive", "#error stop here\n", "", "stop here");
  try_build(cl, "missing macro", "__kernel void k(__global int* d) { d[0] = VALUE; }", "", "VALUE");
  try_build(cl, "given macro", "__kernel void k(__global int* d) { d[0] = VALUE; }", "-DVALUE=3", "");
  try_build(cl, "bad option", "__kernel void k(__global int* d) { d[0] = 1; }", "-no-such-option", "");
  try_build(cl, "empty", "", "", "");
  try_build(cl, "no kernel", "int f(int x) { return x; }", "", "");
  const char* good = "__kernel void k(__global int* d) { d[get_global_id(0)] = VALUE; }";
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &good, nullptr, &error);
  CL_CHECK(error);
  clCreateKernel(program, "k", &error);
  std::printf("kernel before build %d\n", error);
  const cl_mem buffer = new_buffer(cl, 4096);
  for (const char* options : {"-DVALUE=5", "-DVALUE=6 -cl-fast-relaxed-math", "-D VALUE=7 -cl-opt-disable"}) {
    CL_CHECK(clBuildProgram(program, 1, &cl.device, options, nullptr, nullptr));
    const cl_kernel kernel = kernel_of(program, "k");
    set_args(kernel, buffer);
    launch(cl, kernel, {1024}, {64});
    std::printf("value %d\n", read<cl_int>(cl, buffer, 1024)[1023]);
    CL_CHECK(clReleaseKernel(kernel));
  }
  CL_CHECK(clReleaseProgram(program));
}
