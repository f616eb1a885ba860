// SPDX-License-Identifier: Apache-2.0
// A program whose results are known.
#pragma once

#include "tests/libinterpose/capture/virtual_context.hpp"

#include <algorithm>
#include <vector>

namespace mkmd {

// Captures it, with buffers of so many items. True: all of its results are right.
inline bool results_are_right(VirtualContext& c, size_t items) {
  const auto a = c.buffer(std::vector<float>(items, 1)), b = c.buffer(std::vector<float>(items));
  const auto x = c.buffer(std::vector<float>(items)), y = c.buffer(std::vector<float>(items));
  const auto z = c.buffer(std::vector<float>(items));
  std::vector<float> early;
  const std::vector<float> given(items, 5);
  for (int i = 0; i < 2; ++i) {
    c.capture(c.twice(a, b));   // 3, 9
    c.capture(c.sum(a, b, x));  // 4, 13
    c.capture(c.copy(x, a));
    c.capture(c.twice(x, y));  // 9, 27
    if (i > 0) continue;
    c.capture(c.read(y, early));
    c.runtime().windows().flush();
  }
  c.capture(c.write(z, given));
  c.capture(c.sum(z, y, y));  // 32
  c.runtime().finish_all();
  cl_int status = CL_SUCCESS;
  const std::vector<float> of_a = c.values(a), of_x = c.values(x), of_y = c.values(y, &status);
  const auto all = [&](const std::vector<float>& values, float value) {
    return values.size() == items &&
           std::all_of(values.begin(), values.end(), [&](float v) { return v == value; });
  };
  return status == CL_SUCCESS && all(early, 9) && all(of_a, 13) && all(of_x, 13) && all(of_y, 32);
}

}  // namespace mkmd
