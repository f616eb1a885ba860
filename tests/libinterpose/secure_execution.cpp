// SPDX-License-Identifier: Apache-2.0
// A program that runs in the folder it is told, or with rights its caller lacks, as trust_test.py installs
// it. It runs a kernel long enough to be split, on the first device there is. Prints what a loader may
// change, and whether the sum is right.
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <sys/auxv.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr size_t kItems = 1 << 18;
constexpr const char* kSource = R"(
kernel void orbit(global const float* in, global float* out) {
  size_t i = get_global_id(0);
  float x = in[i];
  for (int k = 0; k < 256; ++k) x = x * 0.5f + in[i];
  out[i] = x;
})";

void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::printf("%s: %d\n", what, code);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && chdir(argv[1]) != 0) return 1;
  // PoCL's compiler asks for the rights of the real user. Only the kernel knows from here on whose program
  // this is.
  if (setuid(geteuid()) != 0) return 1;
  std::printf("secure %lu, effective user %d\n", getauxval(AT_SECURE), static_cast<int>(geteuid()));
  cl_uint platforms = 0;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  check(clGetPlatformIDs(1, &platform, &platforms), "platforms");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "devices");
  char name[256] = "";
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr), "name");
  std::printf("%u platforms, first device %s\n", platforms, name);

  cl_int error = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  check(error, "context");
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "queue");
  const char* source = kSource;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "build");
  const cl_kernel kernel = clCreateKernel(program, "orbit", &error);
  check(error, "kernel");
  std::vector<float> values(kItems, 1.0f);
  const cl_mem in =
      clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, kItems * sizeof(float), values.data(), &error);
  const cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, kItems * sizeof(float), nullptr, &error);
  clSetKernelArg(kernel, 0, sizeof in, &in);
  clSetKernelArg(kernel, 1, sizeof out, &out);
  const size_t local = 64;
  for (int launch = 0; launch < 4; ++launch)
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, &local, 0, nullptr, nullptr), "launch");
  check(
      clEnqueueReadBuffer(queue, out, CL_TRUE, 0, kItems * sizeof(float), values.data(), 0, nullptr, nullptr),
      "read");
  size_t right = 0;
  for (const float value : values)
    right += value == 2.0f;
  std::printf("%zu of %zu right\n", right, kItems);
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return right == kItems ? 0 : 1;
}
