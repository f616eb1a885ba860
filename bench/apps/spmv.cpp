// SPDX-License-Identifier: Apache-2.0
// A sparse matrix times a vector, --iters times, in compressed rows with one work-item to a row. There are
// 64 N rows of 1 to 64 numbers, most of them short, in columns anywhere.
#include "harness.h"

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
__kernel void spmv(__global const int* row_start, __global const int* column, __global const float* value,
                   __global const float* x, __global float* y, int rows) {
  const int row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i)
    sum += value[i] * x[column[i]];
  y[row] = sum;
}
)";

namespace {

struct Shape {
  std::vector<int> row_start = {0};
  std::vector<int> column;
};

Shape random_shape(int rows) {
  Shape shape;
  Random random(7);
  for (int row = 0; row < rows; ++row) {
    // 1, 2, 4 ... 64 numbers at most, so that few rows are long.
    const int length = 1 + random.below(1 << random.below(7));
    for (int i = 0; i < length; ++i)
      shape.column.push_back(random.below(rows));
    shape.row_start.push_back(int(shape.column.size()));
  }
  return shape;
}

}  // namespace

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 8192, .iterations = 20, .group = 64});
  const int rows = 64 * h.size();
  Shape shape = random_shape(rows);
  const Integers& row_start = h.constant(std::move(shape.row_start));
  const Integers& column = h.constant(std::move(shape.column));
  // Rows whose numbers add up to one at most keep the magnitude of x.
  const Input& value = h.input(column.count, [&](std::vector<float>& to, Random& random) {
    for (size_t row = 0; row < size_t(rows); ++row)
      for (int i = row_start.host[row]; i < row_start.host[row + 1]; ++i)
        to[size_t(i)] = random.uniform(0, 2) / float(row_start.host[row + 1] - row_start.host[row]);
  });
  const Input& start = h.input(size_t(rows), [](std::vector<float>& to, Random& random) {
    for (float& one : to)
      one = random.uniform(0, 1);
  });
  const Buffer even = h.buffer(size_t(rows)), odd = h.buffer(size_t(rows));

  const auto enqueue = [&] {
    for (int i = 0; i < h.iterations(); ++i) {
      const Buffer& from = i == 0 ? start : i % 2 ? odd : even;
      h.launch("spmv", {size_t(rows)}, {size_t(h.group())}, row_start, column, value, from,
               i % 2 ? even : odd, rows);
    }
  };
  const auto reference = [&] {
    Matrix x(start.host, 1);
    for (int k = 0; k < h.iterations(); ++k) {
      Matrix y(rows, 1);
      for (size_t row = 0; row < size_t(rows); ++row)
        for (int i = row_start.host[row]; i < row_start.host[row + 1]; ++i)
          y.values[row] += double(value.host[size_t(i)]) * x.values[size_t(column.host[size_t(i)])];
      x = y;
    }
    return x;
  };
  return h.run(h.iterations() % 2 ? odd : even, enqueue, reference);
}
