// SPDX-License-Identifier: Apache-2.0
// What one OpenCL call costs. It enqueues empty kernels in batches, each followed by clFinish, and chains
// of tiny dependent launches. It measures the CPU time used while nothing is to do. Prints `key: value`
// lines; run it bare and under a layer and compare. It knows of no layer below it.
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

constexpr size_t kGlobal = 256, kLocal = 64;
constexpr int kBatch = 1000;  // launches, so that no queue grows beyond what a program would build up

// 0: something else was asked for.
int launches_of(int argc, char** argv) {
  int launches = 100000;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--launches" && i + 1 < argc && std::atoi(argv[i + 1]) >= 1000) {
      launches = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "empty_kernels: bad argument '%s'; accepted: --launches N (1000 or more)\n",
                   argv[i]);
      return 0;
    }
  }
  return launches;
}

class Launches {
public:
  explicit Launches(int count) : batches_(count / kBatch), finishes_(count / 10) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int error = CL_SUCCESS;
    CL_CHECK(clGetPlatformIDs(1, &platform, nullptr));
    CL_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    CL_CHECK(error);
    queue_ = clCreateCommandQueue(context_, device, 0, &error);
    CL_CHECK(error);
    program_ = clCreateProgramWithSource(context_, 1, const_cast<const char**>(&source), nullptr, &error);
    CL_CHECK(error);
    CL_CHECK(clBuildProgram(program_, 1, &device, "", nullptr, nullptr));
    std::vector<float> zeros(kGlobal, 0.0f);
    buffer_ = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kGlobal * sizeof(float),
                             zeros.data(), &error);
    CL_CHECK(error);
    empty_ = kernel("empty");
    tiny_ = kernel("tiny");
    for (const cl_kernel kernel : {empty_, tiny_})  // compiles for this local size
      launch(kernel);
    CL_CHECK(clFinish(queue_));
  }
  ~Launches() {
    clReleaseMemObject(buffer_);
    clReleaseKernel(empty_);
    clReleaseKernel(tiny_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  void time_batches() {
    double in_calls = 0;
    const double start = now();
    for (int b = 0; b < batches_; ++b) {
      const double before = now();
      for (int i = 0; i < kBatch; ++i)
        launch(empty_);
      in_calls += now() - before;
      CL_CHECK(clFinish(queue_));
    }
    const double total = now() - start;
    std::printf("empty_enqueue_call_us: %.3f\n", 1e6 * in_calls / (batches_ * kBatch));
    std::printf("empty_launch_us: %.3f\n", 1e6 * total / (batches_ * kBatch));
  }

  void time_finishes() {
    double start = now();
    for (int i = 0; i < finishes_; ++i) {
      launch(empty_);
      CL_CHECK(clFinish(queue_));
    }
    std::printf("empty_launch_and_finish_us: %.3f\n", 1e6 * (now() - start) / finishes_);

    start = now();
    for (int i = 0; i < finishes_; ++i)
      CL_CHECK(clFinish(queue_));
    std::printf("idle_finish_us: %.3f\n", 1e6 * (now() - start) / finishes_);
  }

  void time_dependent() {
    const double start = now();
    for (int b = 0; b < batches_; ++b) {
      for (int i = 0; i < kBatch; ++i)
        launch(tiny_);
      CL_CHECK(clFinish(queue_));
    }
    std::printf("tiny_dependent_total_s: %.4f\n", now() - start);
  }

  bool are_right() {
    std::vector<float> data(kGlobal);
    CL_CHECK(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, kGlobal * sizeof(float), data.data(), 0,
                                 nullptr, nullptr));
    const int expected = batches_ * kBatch + 1;
    for (const float value : data)
      if (value != float(expected)) {
        std::fprintf(stderr, "empty_kernels: wrong result %g instead of %d\n", double(value), expected);
        return false;
      }
    return true;
  }

private:
  cl_kernel kernel(const char* name) {
    cl_int error = CL_SUCCESS;
    const cl_kernel made = clCreateKernel(program_, name, &error);
    CL_CHECK(error);
    CL_CHECK(clSetKernelArg(made, 0, sizeof(buffer_), &buffer_));
    return made;
  }
  void launch(cl_kernel kernel) {
    CL_CHECK(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kGlobal, &kLocal, 0, nullptr, nullptr));
  }

  const int batches_, finishes_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_mem buffer_ = nullptr;
  cl_kernel empty_ = nullptr, tiny_ = nullptr;
};

void count_idle_time() {
  const double cpu_before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::printf("idle_cpu_ms_in_500_ms: %.2f\n", 1e3 * (cpu_seconds() - cpu_before));
}

}  // namespace

int main(int argc, char** argv) {
  const int count = launches_of(argc, argv);
  if (count == 0) return 2;
  Launches launches(count);
  launches.time_batches();
  launches.time_finishes();
  launches.time_dependent();
  count_idle_time();
  return launches.are_right() ? 0 : 1;
}
