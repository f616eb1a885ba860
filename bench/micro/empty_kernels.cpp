// SPDX-License-Identifier: Apache-2.0
// What one OpenCL call costs: empty kernels enqueued in batches, each followed by clFinish, chains of tiny
// dependent launches, and the CPU time used while nothing is to do. Prints `key: value` lines; run it bare
// and under a layer and compare. It knows of no layer below it.
#include <CL/cl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

namespace {

#define CL_CHECK(call) check_cl((call), #call, __LINE__)

void check_cl(cl_int code, const char* call, int line) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "empty_kernels: line %d: OpenCL error %d in %s\n", line, code, call);
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

const char* const source = R"(
__kernel void empty(__global float* data) {}
__kernel void tiny(__global float* data) { data[get_global_id(0)] += 1.0f; }
)";

}  // namespace

int main(int argc, char** argv) {
  int launches = 100000;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--launches" && i + 1 < argc && std::atoi(argv[i + 1]) >= 1000) {
      launches = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "empty_kernels: bad argument '%s'; accepted: --launches N (1000 or more)\n",
                   argv[i]);
      return 2;
    }
  }
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int error = CL_SUCCESS;
  CL_CHECK(clGetPlatformIDs(1, &platform, nullptr));
  CL_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  CL_CHECK(error);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  CL_CHECK(error);
  const cl_program program =
      clCreateProgramWithSource(context, 1, const_cast<const char**>(&source), nullptr, &error);
  CL_CHECK(error);
  CL_CHECK(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
  const cl_kernel empty = clCreateKernel(program, "empty", &error);
  CL_CHECK(error);
  const cl_kernel tiny = clCreateKernel(program, "tiny", &error);
  CL_CHECK(error);
  constexpr size_t global = 256;
  constexpr size_t local = 64;
  std::vector<float> data(global, 0.0f);
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       global * sizeof(float), data.data(), &error);
  CL_CHECK(error);
  CL_CHECK(clSetKernelArg(empty, 0, sizeof(buffer), &buffer));
  CL_CHECK(clSetKernelArg(tiny, 0, sizeof(buffer), &buffer));
  const auto launch = [&](cl_kernel kernel) {
    CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr));
  };
  for (const cl_kernel kernel : {empty, tiny})  // compiles for this local size
    launch(kernel);
  CL_CHECK(clFinish(queue));

  // Batches, so that no queue grows beyond what a program would build up.
  constexpr int batch = 1000;
  const int batches = launches / batch;
  double in_calls = 0;
  double start = now();
  for (int b = 0; b < batches; ++b) {
    const double before = now();
    for (int i = 0; i < batch; ++i)
      launch(empty);
    in_calls += now() - before;
    CL_CHECK(clFinish(queue));
  }
  const double empty_total = now() - start;
  std::printf("empty_enqueue_call_us: %.3f\n", 1e6 * in_calls / (batches * batch));
  std::printf("empty_launch_us: %.3f\n", 1e6 * empty_total / (batches * batch));

  const int finishes = launches / 10;
  start = now();
  for (int i = 0; i < finishes; ++i) {
    launch(empty);
    CL_CHECK(clFinish(queue));
  }
  std::printf("empty_launch_and_finish_us: %.3f\n", 1e6 * (now() - start) / finishes);

  start = now();
  for (int i = 0; i < finishes; ++i)
    CL_CHECK(clFinish(queue));
  std::printf("idle_finish_us: %.3f\n", 1e6 * (now() - start) / finishes);

  start = now();
  for (int b = 0; b < batches; ++b) {
    for (int i = 0; i < batch; ++i)
      launch(tiny);
    CL_CHECK(clFinish(queue));
  }
  std::printf("tiny_dependent_total_s: %.4f\n", now() - start);

  const double cpu_before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::printf("idle_cpu_ms_in_500_ms: %.2f\n", 1e3 * (cpu_seconds() - cpu_before));

  CL_CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, global * sizeof(float), data.data(), 0, nullptr,
                               nullptr));
  for (const float value : data)
    if (value != float(batches * batch + 1)) {
      std::fprintf(stderr, "empty_kernels: wrong result %g instead of %d\n", double(value),
                   batches * batch + 1);
      return 1;
    }
  clReleaseMemObject(buffer);
  clReleaseKernel(empty);
  clReleaseKernel(tiny);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
