// SPDX-License-Identifier: Apache-2.0
// Seven kernels of the kinds in Table 1 of the MKMD paper, each launched on random problem sizes and
// work-group sizes. Models of kernel times are fitted to them and judged by them. Plain OpenCL; prints one
// checksum per kernel, so that runs under different conditions can be compared. Usage: random_inputs
// [--inputs N] [--seed S] [kernel…]
#include <CL/cl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr const char* kSource = R"(
kernel void matmul(global const float* a, global const float* b, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
kernel void matvec(global const float* a, global const float* x, global float* y, int n) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
  y[row] = sum;
}
kernel void nbody(global const float4* at, global const float4* unused, global float4* force, int n) {
  int i = get_global_id(0);
  float4 me = at[i], sum = (float4)(0);
  for (int k = 0; k < n; ++k) {
    float4 d = at[k] - me;
    float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
    sum += d * (r * r * r);
  }
  force[i] = sum;
}
float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float c = 0.3989423f * exp(-0.5f * d * d) *
            (k * (0.3193815f + k * (-0.3565638f + k * (1.7814779f + k * (-1.8212560f + k * 1.3302744f)))));
  return d > 0 ? 1.0f - c : c;
}
kernel void blackscholes(global const float* price, global const float* strike, global float* call, int n) {
  int i = get_global_id(0);
  float s = 10.0f + price[i], x = 10.0f + strike[i], v = 0.3f, t = 1.0f, r = 0.02f;
  float d1 = (log(s / x) + (r + 0.5f * v * v) * t) / (v * sqrt(t));
  float d2 = d1 - v * sqrt(t);
  call[i] = s * cnd(d1) - x * exp(-r * t) * cnd(d2);
}
kernel void add(global const float* a, global const float* b, global float* c, int n) {
  int i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void transpose(global const float* a, global const float* unused, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  c[x * n + y] = a[y * n + x];
}
kernel void stencil(global const float* a, global const float* unused, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    c[y * n + x] = 0.2f * (a[y * n + x] + a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
)";

struct Kind {
  const char* name;
  unsigned dimensions;  // of the NDRange
  int lowest, highest;  // problem size n; rounded to a multiple of 64
  // Floats in a, b and c.
  size_t (*a)(size_t n);
  size_t (*b)(size_t n);
  size_t (*c)(size_t n);
};

size_t one(size_t n) {
  return n;
}
size_t four(size_t n) {
  return 4 * n;
}
size_t square(size_t n) {
  return n * n;
}

constexpr Kind kKinds[] = {
    {"matmul", 2, 128, 512, square, square, square}, {"matvec", 1, 512, 3072, square, one, one},
    {"nbody", 1, 1024, 8192, four, four, four},      {"blackscholes", 1, 1 << 16, 1 << 21, one, one, one},
    {"add", 1, 1 << 16, 1 << 22, one, one, one},     {"transpose", 2, 256, 2048, square, one, square},
    {"stencil", 2, 256, 2048, square, one, square},
};

void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "random_inputs: %s failed (%d)\n", what, error);
  std::exit(1);
}

uint64_t next(uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1Du;
}

class Program {
public:
  Program() {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int error = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &error);
    check(error, "clCreateCommandQueue");
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
  }
  ~Program() {
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // The sum of everything the launches computed.
  double run(const Kind& kind, int inputs, uint64_t seed) {
    cl_int error = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(program_, kind.name, &error);
    check(error, "clCreateKernel");
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    double sum = 0;
    for (int i = 0; i < inputs; ++i) {
      // Sizes evenly over their logarithm, in steps of 64; work-groups of 64 in one or two dimensions, or 16.
      const double u = static_cast<double>(next(state) % 1000) / 1000;
      const double size = kind.lowest * std::pow(static_cast<double>(kind.highest) / kind.lowest, u);
      const auto n = std::clamp<size_t>(static_cast<size_t>(size) / 64 * 64, kind.lowest, kind.highest);
      const uint64_t choice = next(state) % 3;
      const size_t global[2] = {n, n};
      const size_t flat[3] = {64, 16, 32};
      const size_t square_locals[3][2] = {{16, 4}, {8, 8}, {32, 2}};
      const size_t* local = kind.dimensions == 1 ? &flat[choice] : square_locals[choice];
      sum += launch(kernel, kind, n, global, local, state);
    }
    clReleaseKernel(kernel);
    return sum;
  }

private:
  double launch(cl_kernel kernel, const Kind& kind, size_t n, const size_t* global, const size_t* local,
                uint64_t& state) {
    std::vector<float> host(std::max(kind.a(n), kind.b(n)));
    for (float& x : host)
      x = static_cast<float>(next(state) % 1024) / 1024;
    std::vector<float> result(kind.c(n));
    cl_int error = CL_SUCCESS;
    const size_t bytes[3] = {kind.a(n) * 4, kind.b(n) * 4, kind.c(n) * 4};
    cl_mem buffers[3];
    for (int i = 0; i < 3; ++i) {
      buffers[i] = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes[i], nullptr, &error);
      check(error, "clCreateBuffer");
      check(clEnqueueWriteBuffer(queue_, buffers[i], CL_TRUE, 0, bytes[i],
                                 i < 2 ? host.data() : result.data(), 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
      check(clSetKernelArg(kernel, static_cast<cl_uint>(i), sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    }
    const auto count = static_cast<cl_int>(n);
    check(clSetKernelArg(kernel, 3, sizeof count, &count), "clSetKernelArg");
    check(
        clEnqueueNDRangeKernel(queue_, kernel, kind.dimensions, nullptr, global, local, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue_, buffers[2], CL_TRUE, 0, bytes[2], result.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    double sum = 0;
    for (const float x : result)
      sum += x;
    for (const cl_mem buffer : buffers)
      clReleaseMemObject(buffer);
    return sum;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  int inputs = 20;
  uint64_t seed = 1;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--inputs") == 0 && i + 1 < argc) {
      inputs = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      wanted.emplace_back(argv[i]);
    }
  }
  for (const std::string& name : wanted) {
    if (std::none_of(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return name == k.name; })) {
      std::fprintf(stderr,
                   "random_inputs: unknown kernel %s; usage: random_inputs [--inputs N] [--seed S] "
                   "[matmul|matvec|nbody|blackscholes|add|transpose|stencil…]\n",
                   name.c_str());
      return 2;
    }
  }
  Program program;
  for (const Kind& kind : kKinds) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind.name) == wanted.end()) continue;
    std::printf("%s %.6g\n", kind.name, program.run(kind, inputs, seed));
  }
}
