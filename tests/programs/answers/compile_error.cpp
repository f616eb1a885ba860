// SPDX-License-Identifier: Apache-2.0
// A program whose kernel does not compile: it prints what a person needs to mend it, and ends with exit
// code 3.
#include "program.h"

int main() {
  const Cl cl = open_cl();
  const char* source = "__kernel void scale(__global float* data, float factor) {\n"
                       "  data[get_global_id(0)] *= factor + undeclared_name;\n"
                       "}\n";
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &error);
  CL_CHECK(error);
  error = clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr);
  if (error != CL_BUILD_PROGRAM_FAILURE) {
    std::printf("error %d\n", error);
    return 1;
  }
  size_t length = 0;
  CL_CHECK(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length));
  std::string log(length, '\0');
  CL_CHECK(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr));
  std::printf("CL_BUILD_PROGRAM_FAILURE:\n%s\n", log.c_str());
  CL_CHECK(clReleaseProgram(program));
  return 3;
}
