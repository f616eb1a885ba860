// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/pixel_boxes.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// Columns [x, x + width) of `count` rows from row number `first` on, where the rows of all slices count.
void add_rows(std::vector<PixelBox>& boxes, const ImageShape& shape, uint64_t x, uint64_t width,
              uint64_t first, uint64_t count) {
  const uint64_t height = shape.extent[1];
  while (count > 0) {
    const uint64_t y = first % height, slice = first / height;
    const bool whole = y == 0 && count >= height;
    const uint64_t slices = whole ? count / height : 1;
    const uint64_t rows = whole ? height : std::min(height - y, count);
    boxes.push_back({{x, y, slice}, {width, rows, slices}});
    first += rows * slices;
    count -= rows * slices;
  }
}

}  // namespace

std::vector<PixelBox> pixel_boxes(const ImageShape& shape, ByteRange range) {
  std::vector<PixelBox> boxes;
  const uint64_t width = shape.extent[0], end = range.hi / shape.pixel;
  uint64_t at = range.lo / shape.pixel;
  if (const uint64_t x = at % width; x != 0 && at < end) {
    const uint64_t some = std::min(width - x, end - at);
    add_rows(boxes, shape, x, some, at / width, 1);
    at += some;
  }
  add_rows(boxes, shape, 0, width, at / width, (end - at) / width);
  at += (end - at) / width * width;
  if (at < end) add_rows(boxes, shape, 0, end - at, at / width, 1);
  return boxes;
}

std::vector<PixelBox> pixel_boxes(const ImageShape& shape, const ByteRows& rows) {
  std::vector<PixelBox> boxes;
  const uint64_t column = rows.lo % shape.row();
  if (rows.count > 1 && rows.pitch == shape.row() && column + rows.length <= shape.row()) {
    add_rows(boxes, shape, column / shape.pixel, rows.length / shape.pixel, rows.lo / shape.row(),
             rows.count);
    return boxes;
  }
  for (uint64_t i = 0; i < rows.count; ++i) {
    const std::vector<PixelBox> some = pixel_boxes(shape, ByteRange{rows.row(i), rows.row(i) + rows.length});
    boxes.insert(boxes.end(), some.begin(), some.end());
  }
  return boxes;
}

}  // namespace mkmd
