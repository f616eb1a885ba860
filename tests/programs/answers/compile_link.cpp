// SPDX-License-Identifier: Apache-2.0
// clCompileProgram with an embedded header, clLinkProgram of two objects, and a round trip through the
// program's binary; clCreateKernelsInProgram.
#include "program.h"

static void run(const Cl& cl, cl_program program, const char* label) {
  constexpr size_t count = 65536;
  const cl_kernel kernel = kernel_of(program, "use");
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 5));
  set_args(kernel, buffer);
  for (int i = 0; i < 3; ++i)
    launch(cl, kernel, {count}, {64});
  report<cl_int>(cl, label, buffer, count);
  CL_CHECK(clReleaseMemObject(buffer));
  CL_CHECK(clReleaseKernel(kernel));
}

int main() {
  const Cl cl = open_cl();
  const char* header = "#define ROUNDS 80\nint work(int x);\n";
  const char* library =
      "#include \"work.h\"\nint work(int x) { for (int k = 0; k < ROUNDS; ++k) x = x * 31 + k; return x; }\n";
  const char* user = "#include \"work.h\"\n__kernel void use(__global int* d) { int i = get_global_id(0); "
                     "d[i] = work(d[i]); }\n"
                     "__kernel void other(__global int* d) { d[get_global_id(0)] = 1; }\n";
  cl_int error = CL_SUCCESS;
  const cl_program headers = clCreateProgramWithSource(cl.context, 1, &header, nullptr, &error);
  CL_CHECK(error);
  cl_program objects[2];
  for (int i = 0; i < 2; ++i) {
    const char** source = i ? &user : &library;
    const char* name = "work.h";
    objects[i] = clCreateProgramWithSource(cl.context, 1, source, nullptr, &error);
    CL_CHECK(error);
    CL_CHECK(clCompileProgram(objects[i], 1, &cl.device, "", 1, &headers, &name, nullptr, nullptr));
  }
  const cl_program linked =
      clLinkProgram(cl.context, 1, &cl.device, "", 2, objects, nullptr, nullptr, &error);
  CL_CHECK(error);
  run(cl, linked, "linked");
  cl_kernel kernels[2] = {};
  cl_uint kernel_count = 0;
  CL_CHECK(clCreateKernelsInProgram(linked, 2, kernels, &kernel_count));
  std::printf("kernels %u\n", kernel_count);

  const cl_program plain =
      build(cl, "__kernel void use(__global int* d) { int i = get_global_id(0), x = d[i];"
                " for (int k = 0; k < 90; ++k) x = x * 17 + k; d[i] = x; }");
  run(cl, plain, "from source");
  size_t size = 0;
  CL_CHECK(clGetProgramInfo(plain, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr));
  std::vector<unsigned char> binary(size);
  unsigned char* pointer = binary.data();
  CL_CHECK(clGetProgramInfo(plain, CL_PROGRAM_BINARIES, sizeof(pointer), &pointer, nullptr));
  cl_int status = CL_SUCCESS;
  const unsigned char* input = binary.data();
  const cl_program again =
      clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &input, &status, &error);
  CL_CHECK(error);
  CL_CHECK(status);
  CL_CHECK(clBuildProgram(again, 1, &cl.device, "", nullptr, nullptr));
  run(cl, again, "from binary");
  const unsigned char nonsense[16] = "not a binary";
  const unsigned char* bad = nonsense;
  size = sizeof(nonsense);
  clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &bad, &status, &error);
  std::printf("nonsense: error %d\n", int(error != CL_SUCCESS));
  for (const cl_kernel kernel : kernels)
    CL_CHECK(clReleaseKernel(kernel));
  for (const cl_program program : {headers, objects[0], objects[1], linked, plain, again})
    CL_CHECK(clReleaseProgram(program));
}
