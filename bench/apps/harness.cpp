// SPDX-License-Identifier: Apache-2.0
// The harness behind the benchmark programs; see harness.h.
#include "harness.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern const char* const kernel_source;  // kernels.cl, embedded at build time, or the program's own

namespace bench {
namespace {

constexpr size_t tile = 16;  // as TILE and GROUP in kernels.cl
constexpr size_t vector_group = 64;
constexpr size_t matrix_group = 256;  // element-wise kernels over whole matrices
constexpr int largest_group = 64;
constexpr int largest_size = 46340;  // n * n must fit the kernels' int indices

size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

[[noreturn]] void usage(const std::string& program, const Options& options, const std::string& wrong) {
  std::fprintf(stderr, "%s: %s; accepted: --size N (1 to %d), --repeat R (1 or more), %s%s--check\n",
               program.c_str(), wrong.c_str(), largest_size,
               options.iterations > 0 ? "--iters K (1 or more), " : "",
               options.group > 0 ? "--group G (1 to 64), " : "");
  std::exit(2);
}

Options parse(int argc, char** argv, Options options, const std::string& program) {
  const Options defaults = options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    int* target = nullptr;
    int largest = 1'000'000'000;
    if (name == "--check") {
      options.check = true;
      continue;
    }
    if (name == "--size") {
      target = &options.size;
      largest = largest_size;
    } else if (name == "--repeat") {
      target = &options.repeat;
    } else if (name == "--iters" && defaults.iterations > 0) {
      target = &options.iterations;
    } else if (name == "--group" && defaults.group > 0) {
      target = &options.group;
      largest = largest_group;
    } else {
      usage(program, defaults, "unknown argument '" + std::string(name) + "'");
    }
    const std::string_view text = i + 1 < argc ? argv[++i] : "";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *target);
    if (error != std::errc() || end != text.data() + text.size() || *target < 1 || *target > largest)
      usage(program, defaults, "bad value '" + std::string(text) + "' for " + std::string(name));
  }
  return options;
}

// FNV-1a over all bytes.
uint64_t hash_of(const std::vector<float>& values) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(float); ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

}  // namespace

void check_cl(cl_int code, const char* call, const char* file, int line) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "%s:%d: OpenCL error %d in %s\n", file, line, code, call);
  std::exit(1);
}

float Random::uniform(float low, float high) {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  const uint64_t bits = (state_ * 0x2545F4914F6CDD1Du) >> 40;  // 24 bits: exact in a float
  return low + (high - low) * float(bits) * 0x1p-24f;
}

Harness::Harness(int argc, char** argv, Options defaults) {
  const std::string_view path = argv[0];
  program_name_ = path.substr(path.rfind('/') + 1);
  options_ = parse(argc, argv, defaults, program_name_);

  cl_platform_id platform = nullptr;
  CL_CHECK(clGetPlatformIDs(1, &platform, nullptr));
  cl_device_id device = nullptr;
  CL_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  cl_int error = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  CL_CHECK(error);
  queue_ = clCreateCommandQueue(context_, device, 0, &error);
  CL_CHECK(error);
  const char* source = kernel_source;
  program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
  CL_CHECK(error);
  error = clBuildProgram(program_, 1, &device, "", nullptr, nullptr);
  if (error != CL_SUCCESS) {
    size_t length = 0;
    CL_CHECK(clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &length));
    std::string log(length, '\0');
    CL_CHECK(clGetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, length, log.data(), nullptr));
    std::fprintf(stderr, "%s\n", log.c_str());
    CL_CHECK(error);
  }
}

Harness::~Harness() {
  for (const auto& [name, kernel] : kernels_)
    clReleaseKernel(kernel);
  for (const cl_mem memory : buffers_)
    clReleaseMemObject(memory);
  if (program_) clReleaseProgram(program_);
  if (queue_) clReleaseCommandQueue(queue_);
  if (context_) clReleaseContext(context_);
}

Buffer Harness::buffer(size_t count, cl_mem_flags flags) {
  cl_int error = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context_, flags, count * sizeof(float), nullptr, &error);
  CL_CHECK(error);
  buffers_.push_back(memory);
  return {memory, count};
}

Input& Harness::input(size_t count, Fill fill) {
  inputs_.push_back(std::make_unique<Input>());
  Input& input = *inputs_.back();
  static_cast<Buffer&>(input) = buffer(count, CL_MEM_READ_ONLY);
  input.host.resize(count);
  input.fill = std::move(fill);
  return input;
}

Input& Harness::input_matrix(Fill fill) {
  if (!fill)
    fill = [bound = std::sqrt(3.0f / float(size()))](std::vector<float>& values, Random& random) {
      for (float& value : values)
        value = random.uniform(-bound, bound);
    };
  return input(size_t(size()) * size(), std::move(fill));
}

Input& Harness::input_vector(Fill fill) {
  if (!fill)
    fill = [](std::vector<float>& values, Random& random) {
      for (float& value : values)
        value = random.uniform(-1, 1);
    };
  return input(size_t(size()), std::move(fill));
}

cl_kernel Harness::kernel_named(const char* name) {
  cl_kernel& kernel = kernels_[name];
  if (!kernel) {
    cl_int error = CL_SUCCESS;
    kernel = clCreateKernel(program_, name, &error);
    CL_CHECK(error);
  }
  return kernel;
}

void Harness::set_arg(cl_kernel kernel, cl_uint index, const Buffer& value) {
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(cl_mem), &value.memory));
}

void Harness::set_arg(cl_kernel kernel, cl_uint index, int value) {
  const cl_int number = value;
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(number), &number));
}

void Harness::set_arg(cl_kernel kernel, cl_uint index, float value) {
  const cl_float number = value;
  CL_CHECK(clSetKernelArg(kernel, index, sizeof(number), &number));
}

void Harness::set_arg(cl_kernel kernel, cl_uint index, const LocalFloats& value) {
  CL_CHECK(clSetKernelArg(kernel, index, value.count * sizeof(float), nullptr));
}

int Harness::vector_groups() const {
  return int(round_up(size_t(size()), vector_group) / vector_group);
}

void Harness::enqueue_1d(const char* kernel, size_t count) {
  const size_t local = count > size_t(size()) ? matrix_group : vector_group;
  const size_t global = round_up(count, local);
  CL_CHECK(
      clEnqueueNDRangeKernel(queue_, kernel_named(kernel), 1, nullptr, &global, &local, 0, nullptr, nullptr));
}

void Harness::enqueue_tiles(const char* kernel) {
  const size_t side = round_up(size_t(size()), tile);
  const size_t global[2] = {side, side};
  const size_t local[2] = {tile, tile};
  CL_CHECK(
      clEnqueueNDRangeKernel(queue_, kernel_named(kernel), 2, nullptr, global, local, 0, nullptr, nullptr));
}

void Harness::enqueue(const char* kernel, const std::vector<size_t>& count,
                      const std::vector<size_t>& local) {
  std::vector<size_t> global;
  for (size_t i = 0; i < count.size(); ++i)
    global.push_back(round_up(count[i], local[i]));
  CL_CHECK(clEnqueueNDRangeKernel(queue_, kernel_named(kernel), cl_uint(global.size()), nullptr,
                                  global.data(), local.data(), 0, nullptr, nullptr));
}

void Harness::multiply(const Buffer& a, const Buffer& b, const Buffer& c) {
  set_args("matrix_multiply", a, b, c, size());
  enqueue_tiles("matrix_multiply");
}

void Harness::transpose(const Buffer& in, const Buffer& out) {
  set_args("matrix_transpose", in, out, size());
  enqueue_tiles("matrix_transpose");
}

void Harness::add(const Buffer& a, const Buffer& b, const Buffer& c) {
  set_args("add", a, b, c, int(c.count));
  enqueue_1d("add", c.count);
}

void Harness::subtract(const Buffer& a, const Buffer& b, const Buffer& c) {
  set_args("subtract", a, b, c, int(c.count));
  enqueue_1d("subtract", c.count);
}

void Harness::multiply_vector(const Buffer& a, const Buffer& x, const Buffer& y) {
  over_vector("matrix_vector", a, x, y, size());
}

void Harness::fill(const Buffer& target, float value) {
  CL_CHECK(clEnqueueFillBuffer(queue_, target.memory, &value, sizeof(value), 0, target.count * sizeof(float),
                               0, nullptr, nullptr));
}

double Harness::run_once(const Buffer& result, const std::function<void()>& enqueue, uint64_t seed) {
  Random random(seed);
  for (const auto& input : inputs_)
    input->fill(input->host, random);

  const auto start = std::chrono::steady_clock::now();
  for (const auto& input : inputs_)
    CL_CHECK(clEnqueueWriteBuffer(queue_, input->memory, CL_FALSE, 0, input->count * sizeof(float),
                                  input->host.data(), 0, nullptr, nullptr));
  enqueue();
  CL_CHECK(clEnqueueReadBuffer(queue_, result.memory, CL_TRUE, 0, result.count * sizeof(float),
                               result_.data(), 0, nullptr, nullptr));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int Harness::compare(const Matrix& expected) const {
  double largest = 0;
  for (const double value : expected.values)
    largest = std::max(largest, std::fabs(value));
  // The absolute part is for results that cancel to nothing, such as the commutator of numbers (N = 1).
  const double tolerance = 1e-4 * largest + 1e-6;
  for (size_t i = 0; i < expected.values.size(); ++i)
    // Written so that a NaN fails.
    if (!(std::fabs(result_[i] - expected.values[i]) <= tolerance)) {
      std::fprintf(stderr, "%s: check failed at element %zu: %.9g instead of %.9g (tolerance %.3g)\n",
                   program_name_.c_str(), i, double(result_[i]), expected.values[i], tolerance);
      return 1;
    }
  return 0;
}

int Harness::run(const Buffer& result, const std::function<void()>& enqueue,
                 const std::function<Matrix()>& reference) {
  result_.assign(result.count, 0.0f);
  constexpr uint64_t first_seed = 20150901;
  std::vector<double> seconds;
  for (int i = 0; i <= options_.repeat; ++i)
    seconds.push_back(run_once(result, enqueue, first_seed + i));
  std::printf("each:");
  for (const double one : seconds)
    std::printf(" %.6f", one);
  std::printf("\n");
  seconds.erase(seconds.begin());  // it compiles kernels for their local sizes, and touches every page
  std::sort(seconds.begin(), seconds.end());
  const size_t middle = seconds.size() / 2;
  const double median = seconds.size() % 2 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  std::printf("checksum: %016" PRIx64 "\n", hash_of(result_));
  std::printf("seconds: %.6f\n", median);
  std::fflush(stdout);
  return options_.check ? compare(reference()) : 0;
}

}  // namespace bench
