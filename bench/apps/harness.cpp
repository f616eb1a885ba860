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

constexpr int largest_group = 64;
constexpr int largest_size = 46340;  // n * n must fit the kernels' int indices

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

std::string name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// FNV-1a over all bytes.
uint64_t hash_of(const std::vector<float>& values) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(float); ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

int compare(const std::string& program, const std::vector<float>& result, const Matrix& expected) {
  double largest = 0;
  for (const double value : expected.values)
    largest = std::max(largest, std::fabs(value));
  // The absolute part is for results that cancel to nothing, such as the commutator of numbers (N = 1).
  const double tolerance = 1e-4 * largest + 1e-6;
  for (size_t i = 0; i < expected.values.size(); ++i)
    // Written so that a NaN fails.
    if (!(std::fabs(result[i] - expected.values[i]) <= tolerance)) {
      std::fprintf(stderr, "%s: check failed at element %zu: %.9g instead of %.9g (tolerance %.3g)\n",
                   program.c_str(), i, double(result[i]), expected.values[i], tolerance);
      return 1;
    }
  return 0;
}

int compare_exactly(const std::string& program, const std::vector<float>& result,
                    const std::vector<int>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    int value = 0;
    std::memcpy(&value, &result[i], sizeof value);
    if (value == expected[i]) continue;
    std::fprintf(stderr, "%s: check failed at element %zu: %d instead of %d\n", program.c_str(), i, value,
                 expected[i]);
    return 1;
  }
  return 0;
}

}  // namespace

float Random::uniform(float low, float high) {
  const uint64_t bits = next() >> 40;  // 24 bits: exact in a float
  return low + (high - low) * float(bits) * 0x1p-24f;
}

int Random::below(int limit) {
  return int((next() >> 33) % uint64_t(limit));
}

uint64_t Random::next() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return state_ * 0x2545F4914F6CDD1Du;
}

Harness::Harness(int argc, char** argv, Options defaults)
    : program_name_(name_of(argv[0])), options_(parse(argc, argv, defaults, program_name_)),
      device_(kernel_source) {}

Input& Harness::input(size_t count, Fill fill) {
  inputs_.push_back(std::make_unique<Input>());
  Input& input = *inputs_.back();
  static_cast<Buffer&>(input) = device_.buffer(count, CL_MEM_READ_ONLY);
  input.host.resize(count);
  input.fill = std::move(fill);
  return input;
}

Integers& Harness::integers(size_t count, std::function<void(std::vector<int>&, Random&)> fill) {
  integers_.push_back(std::make_unique<Integers>());
  Integers& input = *integers_.back();
  static_cast<Buffer&>(input) = device_.buffer(count, CL_MEM_READ_ONLY);
  input.host.resize(count);
  input.fill = std::move(fill);
  return input;
}

Integers& Harness::constant(std::vector<int> host) {
  Integers& input = integers(host.size(), nullptr);
  input.host = std::move(host);
  device_.write(input, input.host.data());
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

int Harness::vector_groups() const {
  return int((size_t(size()) + kVectorGroup - 1) / kVectorGroup);
}

void Harness::multiply(const Buffer& a, const Buffer& b, const Buffer& c) {
  over_matrix("matrix_multiply", a, b, c, size());
}

void Harness::transpose(const Buffer& in, const Buffer& out) {
  over_matrix("matrix_transpose", in, out, size());
}

void Harness::add(const Buffer& a, const Buffer& b, const Buffer& c) {
  over_elements("add", c, a, b);
}

void Harness::subtract(const Buffer& a, const Buffer& b, const Buffer& c) {
  over_elements("subtract", c, a, b);
}

void Harness::multiply_vector(const Buffer& a, const Buffer& x, const Buffer& y) {
  over_vector("matrix_vector", a, x, y, size());
}

double Harness::run_once(const Buffer& result, const std::function<void()>& enqueue, uint64_t seed) {
  Random random(seed);
  for (const auto& input : inputs_)
    input->fill(input->host, random);
  for (const auto& input : integers_)
    if (input->fill) input->fill(input->host, random);

  const auto start = std::chrono::steady_clock::now();
  for (const auto& input : inputs_)
    device_.write(*input, input->host.data());
  for (const auto& input : integers_)
    if (input->fill) device_.write(*input, input->host.data());
  enqueue();
  device_.read(result, result_.data());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Harness::repeat(const Buffer& result, const std::function<void()>& enqueue) {
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
}

int Harness::run(const Buffer& result, const std::function<void()>& enqueue,
                 const std::function<Matrix()>& reference) {
  repeat(result, enqueue);
  return options_.check ? compare(program_name_, result_, reference()) : 0;
}

int Harness::run_exactly(const Buffer& result, const std::function<void()>& enqueue,
                         const std::function<std::vector<int>()>& reference) {
  repeat(result, enqueue);
  return options_.check ? compare_exactly(program_name_, result_, reference()) : 0;
}

}  // namespace bench
