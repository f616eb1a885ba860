// SPDX-License-Identifier: Apache-2.0
// Programs made from SPIR-V, as an intermediate language, and as a binary where the driver takes that. They
// are built in one go and linked, with specialisation constants, and built from the binary of another one.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "program.h"

#include <fstream>
#include <iterator>

namespace {

std::string module_named(const char* name) {
  std::ifstream file(std::string(MKMD_TEST_DATA "/spirv/") + name, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.empty()) std::printf("%s is missing\n", name);
  return bytes;
}

cl_program from_il(const Cl& cl, const std::string& il) {
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithIL(cl.context, il.data(), il.size(), &error);
  CL_CHECK(error);
  return program;
}

void run(const Cl& cl, cl_program program, const char* how) {
  constexpr int n = 256;
  constexpr size_t many = 1 << 15;
  std::printf("%s\n", how);
  const cl_mem a = buffer_of(cl, noise<float>(n * n, 1)), b = buffer_of(cl, noise<float>(n * n, 2));
  const cl_mem c = new_buffer(cl, n * n * sizeof(float)), counts = new_buffer(cl, many * sizeof(int));
  const cl_kernel product = kernel_of(program, "product");
  set_args(product, a, b, c, n);
  for (int i = 0; i < 3; ++i)
    launch(cl, product, {n, n}, {16, 4});
  report<cl_float>(cl, "product", c, n * n);
  // A part of it again, with an offset of the program's own.
  set_args(product, c, b, a, n);
  launch(cl, product, {64, n}, {16, 4}, {128, 0});
  report<cl_float>(cl, "part of a product", a, n * n);
  const cl_kernel scale = kernel_of(program, "scale");
  set_args(scale, c, a, 1.5F, n * n - 100);
  launch(cl, scale, {n * n}, {32});
  report<cl_float>(cl, "scale", a, n * n);
  const cl_kernel turn = kernel_of(program, "turn");
  set_args(turn, a, Local{64 * sizeof(int)});
  launch(cl, turn, {n * n}, {64});
  report<cl_int>(cl, "turn", a, n * n);
  const cl_kernel by_group = kernel_of(program, "by_group");
  set_args(by_group, counts);
  launch(cl, by_group, {many}, {64});
  report<cl_int>(cl, "by group", counts, many);
}

void specialised(const Cl& cl, const std::string& il) {
  constexpr size_t n = 4096;
  const cl_mem in = buffer_of(cl, noise<cl_uint>(n, 3)), out = new_buffer(cl, 4 * n * sizeof(cl_uint));
  const cl_uint nothing = 0;
  for (const int round : {0, 1, 2}) {
    CL_CHECK(clEnqueueFillBuffer(cl.queue, out, &nothing, sizeof nothing, 0, 4 * n * sizeof(cl_uint), 0,
                                 nullptr, nullptr));
    const cl_program program = from_il(cl, il);
    const cl_uint factor = 7;
    const cl_ulong stride = 3;
    const cl_uchar wide = 1;
    if (round > 0) CL_CHECK(clSetProgramSpecializationConstant(program, 1, sizeof factor, &factor));
    if (round > 0) CL_CHECK(clSetProgramSpecializationConstant(program, 2, sizeof stride, &stride));
    if (round > 1) CL_CHECK(clSetProgramSpecializationConstant(program, 7, sizeof wide, &wide));
    const cl_int unknown = clSetProgramSpecializationConstant(program, 99, sizeof factor, &factor);
    std::printf("a constant that is not there: %d\n", unknown);
    CL_CHECK(clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr));
    const cl_kernel scaled = kernel_of(program, "scaled");
    set_args(scaled, in, out);
    for (int i = 0; i < 2; ++i)
      launch(cl, scaled, {n}, {64});
    report<cl_uint>(cl, "specialised", out, 4 * n);
  }
}

cl_program linked(const Cl& cl, const std::string& il) {
  const cl_program unit = from_il(cl, il);
  CL_CHECK(clCompileProgram(unit, 1, &cl.device, "", 0, nullptr, nullptr, nullptr, nullptr));
  cl_int error = CL_SUCCESS;
  const cl_program program = clLinkProgram(cl.context, 1, &cl.device, "", 1, &unit, nullptr, nullptr, &error);
  CL_CHECK(error);
  return program;
}

cl_program from_binary(const Cl& cl, const unsigned char* binary, size_t size, cl_int* error) {
  cl_int status = CL_SUCCESS;
  return clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &binary, &status, error);
}

cl_program from_binary_of(const Cl& cl, cl_program program) {
  size_t size = 0;
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  std::vector<unsigned char> binary(size);
  unsigned char* place = binary.data();
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
  cl_int error = CL_SUCCESS;
  const cl_program again = from_binary(cl, binary.data(), size, &error);
  CL_CHECK(error);
  CL_CHECK(clBuildProgram(again, 1, &cl.device, "", nullptr, nullptr));
  return again;
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  char languages[256] = {};
  clGetDeviceInfo(cl.device, CL_DEVICE_IL_VERSION, sizeof languages - 1, languages, nullptr);
  if (std::strstr(languages, "SPIR-V") == nullptr) {
    std::fprintf(stderr, "the device takes no SPIR-V\n");
    return 77;
  }
  const std::string il = module_named("kernels.spv");
  const cl_program program = from_il(cl, il);
  CL_CHECK(clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr));
  run(cl, program, "an intermediate language");
  run(cl, from_binary_of(cl, program), "the binary of that");
  run(cl, linked(cl, il), "linked");
  cl_int error = CL_SUCCESS;
  const cl_program as_binary =
      from_binary(cl, reinterpret_cast<const unsigned char*>(il.data()), il.size(), &error);
  std::printf("as a binary: %d\n", error);
  if (error == CL_SUCCESS) {
    CL_CHECK(clBuildProgram(as_binary, 1, &cl.device, "", nullptr, nullptr));
    run(cl, as_binary, "as a binary");
  }
  specialised(cl, module_named("specialised.spv"));
  close_cl(cl);
  return 0;
}
