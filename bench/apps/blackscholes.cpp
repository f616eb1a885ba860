// SPDX-License-Identifier: Apache-2.0
// Prices of European call and put options after Black and Scholes, 1024 N of them. A fixed number of
// work-items strides over them. It is one of the kernels of the MKMD paper (Table 1). Its cost is the
// eighth argument, the number of options.
#include "harness.h"

#include <cmath>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
// The normal distribution up to d, by the polynomial of Abramowitz and Stegun (26.2.17).
float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float tail = 0.39894228f * exp(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void blackscholes(__global float* call, __global float* put, __global const float* price,
                           __global const float* strike, __global const float* years, float rate,
                           float volatility, int options) {
  const int stride = get_global_size(0);
  for (int i = get_global_id(0); i < options; i += stride) {
    const float root = sqrt(years[i]);
    const float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
                     (volatility * root);
    const float d2 = d1 - volatility * root;
    const float discount = strike[i] * exp(-rate * years[i]);
    call[i] = price[i] * normal(d1) - discount * normal(d2);
    put[i] = discount * normal(-d2) - price[i] * normal(-d1);
  }
}
)";

namespace {

constexpr double rate = 0.02;
constexpr double volatility = 0.30;

double normal(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

Harness::Fill between(float low, float high) {
  return [low, high](std::vector<float>& values, Random& random) {
    for (float& value : values)
      value = random.uniform(low, high);
  };
}

}  // namespace

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 4096, .group = 64});
  const size_t count = 1024 * size_t(h.size());
  const Input& price = h.input(count, between(5, 30));
  const Input& strike = h.input(count, between(1, 100));
  const Input& years = h.input(count, between(0.25f, 10));
  const Buffer call = h.buffer(count), put = h.buffer(count);
  constexpr size_t work_items = 15360;  // a multiple of every usual size of a work-group

  const auto enqueue = [&] {
    h.launch("blackscholes", {work_items}, {size_t(h.group())}, call, put, price, strike, years, float(rate),
             float(volatility), int(count));
  };
  const auto reference = [&] {
    Matrix expected(int(count), 1);
    for (size_t i = 0; i < count; ++i) {
      const double s = price.host[i], x = strike.host[i], t = years.host[i];
      const double d1 =
          (std::log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * std::sqrt(t));
      const double d2 = d1 - volatility * std::sqrt(t);
      expected.values[i] = x * std::exp(-rate * t) * normal(-d2) - s * normal(-d1);
    }
    return expected;
  };
  return h.run(put, enqueue, reference);
}
