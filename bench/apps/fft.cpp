// SPDX-License-Identifier: Apache-2.0
// A Fourier transform in Stockham's order: a pass for each factor two of the length, from one buffer to the
// other. The length is the smallest power of two from 256 N on.
#include "harness.h"

#include <cmath>
#include <complex>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
// One pass: transforms of `done` points become transforms of twice as many.
__kernel void fft_pass(__global const float2* from, __global float2* to, int half_length, int done) {
  const int i = get_global_id(0);
  if (i >= half_length)
    return;
  const int k = i & (done - 1);
  const float2 a = from[i];
  const float2 b = from[i + half_length];
  float cosine;
  const float sine = sincos(-M_PI_F * (float)k / (float)done, &cosine);
  const float2 turned = (float2)(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
  const int place = (i << 1) - k;
  to[place] = a + turned;
  to[place + done] = a - turned;
}
)";

namespace {

using Complex = std::complex<double>;

void transform(std::vector<Complex>& values) {
  const size_t count = values.size();
  if (count == 1) return;
  std::vector<Complex> even(count / 2), odd(count / 2);
  for (size_t i = 0; i < count / 2; ++i) {
    even[i] = values[2 * i];
    odd[i] = values[2 * i + 1];
  }
  transform(even);
  transform(odd);
  for (size_t k = 0; k < count / 2; ++k) {
    const Complex turned = std::polar(1.0, -2 * M_PI * double(k) / double(count)) * odd[k];
    values[k] = even[k] + turned;
    values[k + count / 2] = even[k] - turned;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 16384, .group = 64});
  int length = 1;
  while (length < 256 * h.size())
    length *= 2;
  const size_t floats = 2 * size_t(length);
  const Input& signal = h.input(floats, [](std::vector<float>& to, Random& random) {
    for (float& value : to)
      value = random.uniform(-1, 1);
  });
  const Buffer even = h.buffer(floats), odd = h.buffer(floats);
  int passes = 0;
  while (1 << passes < length)
    ++passes;

  const auto enqueue = [&] {
    for (int pass = 0; pass < passes; ++pass) {
      const Buffer& from = pass == 0 ? signal : pass % 2 ? odd : even;
      h.launch("fft_pass", {size_t(length / 2)}, {size_t(h.group())}, from, pass % 2 ? even : odd, length / 2,
               1 << pass);
    }
  };
  const auto reference = [&] {
    std::vector<Complex> values;
    for (size_t i = 0; i < size_t(length); ++i)
      values.emplace_back(signal.host[2 * i], signal.host[2 * i + 1]);
    transform(values);
    Matrix expected(length, 2);
    for (size_t i = 0; i < size_t(length); ++i) {
      expected.values[2 * i] = values[i].real();
      expected.values[2 * i + 1] = values[i].imag();
    }
    return expected;
  };
  return h.run(passes % 2 ? odd : even, enqueue, reference);
}
