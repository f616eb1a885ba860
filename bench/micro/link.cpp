// SPDX-License-Identifier: Apache-2.0
// What moving bytes between the program's memory and a device costs: the median of blocking writes and reads,
// of many bytes and of four. Prints `key: value` lines. Plain OpenCL on the first device of the first
// platform.
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

#define CL_CHECK(call) check_cl((call), #call, __LINE__)

void check_cl(cl_int code, const char* call, int line) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "link: line %d: OpenCL error %d in %s\n", line, code, call);
  std::exit(1);
}

constexpr int kRounds = 15;

// The median of several, in seconds. The first of all makes the memory, and is left out.
template <class Call>
double seconds_of(Call call) {
  call();
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + kRounds / 2, seconds.end());
  return seconds[kRounds / 2];
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int error = CL_SUCCESS;
  CL_CHECK(clGetPlatformIDs(1, &platform, nullptr));
  CL_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  cl_ulong largest = 0;
  CL_CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, nullptr));
  const size_t many = std::min<cl_ulong>(64 << 20, largest), few = 4;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  CL_CHECK(error);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  CL_CHECK(error);
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, many, nullptr, &error);
  CL_CHECK(error);
  std::vector<char> bytes(many, 1);
  const auto write = [&](size_t size) {
    CL_CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes.data(), 0, nullptr, nullptr));
  };
  const auto read = [&](size_t size) {
    CL_CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes.data(), 0, nullptr, nullptr));
  };
  const double bytes_of_many = static_cast<double>(many);
  std::printf("write_gb_per_s: %.2f\n", 1e-9 * bytes_of_many / seconds_of([&] { write(many); }));
  std::printf("read_gb_per_s: %.2f\n", 1e-9 * bytes_of_many / seconds_of([&] { read(many); }));
  std::printf("write_few_us: %.2f\n", 1e6 * seconds_of([&] { write(few); }));
  std::printf("read_few_us: %.2f\n", 1e6 * seconds_of([&] { read(few); }));
  CL_CHECK(clReleaseMemObject(buffer));
  CL_CHECK(clReleaseCommandQueue(queue));
  CL_CHECK(clReleaseContext(context));
  return 0;
}
