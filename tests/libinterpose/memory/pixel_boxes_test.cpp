// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/pixel_boxes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace mkmd {
namespace {

using Boxes = std::vector<PixelBox>;

ImageShape shape_of(const compiler::ImageExtent& extent, uint64_t pixel) {
  ImageShape shape;
  shape.extent = extent;
  shape.pixel = pixel;
  return shape;
}

// The bytes of the boxes in the order in which they are copied.
std::vector<uint64_t> bytes_in_order(const ImageShape& shape, const Boxes& boxes) {
  std::vector<uint64_t> bytes;
  for (const PixelBox& box : boxes) {
    for (uint64_t z = 0; z < box.region[2]; ++z) {
      for (uint64_t y = 0; y < box.region[1]; ++y) {
        for (uint64_t x = 0; x < box.region[0]; ++x) {
          const uint64_t pixel =
              box.origin[0] + x +
              shape.extent[0] * (box.origin[1] + y + shape.extent[1] * (box.origin[2] + z));
          for (uint64_t i = 0; i < shape.pixel; ++i)
            bytes.push_back(pixel * shape.pixel + i);
        }
      }
    }
  }
  return bytes;
}

std::vector<uint64_t> bytes_in_order(const ByteRows& rows) {
  std::vector<uint64_t> bytes;
  for (uint64_t i = 0; i < rows.count; ++i) {
    for (uint64_t at = rows.row(i); at < rows.row(i) + rows.length; ++at)
      bytes.push_back(at);
  }
  return bytes;
}

void expect_inside(const ImageShape& shape, const Boxes& boxes) {
  for (const PixelBox& box : boxes) {
    for (size_t d = 0; d < 3; ++d) {
      EXPECT_GT(box.region[d], 0u);
      EXPECT_LE(box.origin[d] + box.region[d], shape.extent[d]);
    }
  }
}

TEST(PixelBoxes, ARangeIsPartsOfRowsAndWholeRowsBetween) {
  const ImageShape shape = shape_of({10, 6, 1}, 4);
  EXPECT_EQ(pixel_boxes(shape, ByteRange{12, 160}), (Boxes{{{3, 0, 0}, {7, 1, 1}}, {{0, 1, 0}, {10, 3, 1}}}));
  EXPECT_EQ(pixel_boxes(shape, ByteRange{12, 24}), (Boxes{{{3, 0, 0}, {3, 1, 1}}}));
  EXPECT_EQ(pixel_boxes(shape, ByteRange{40, 88}), (Boxes{{{0, 1, 0}, {10, 1, 1}}, {{0, 2, 0}, {2, 1, 1}}}));
  EXPECT_EQ(pixel_boxes(shape, ByteRange{0, 240}), (Boxes{{{0, 0, 0}, {10, 6, 1}}}));
}

TEST(PixelBoxes, SlicesAreCutAsRowsAre) {
  const ImageShape shape = shape_of({2, 3, 5}, 1);
  EXPECT_EQ(
      pixel_boxes(shape, ByteRange{2, 27}),
      (Boxes{
          {{0, 1, 0}, {2, 2, 1}}, {{0, 0, 1}, {2, 3, 3}}, {{0, 0, 4}, {2, 1, 1}}, {{0, 1, 4}, {1, 1, 1}}}));
}

TEST(PixelBoxes, ColumnsAreOneBoxOfEachSliceOrOfWholeOnes) {
  const ImageShape shape = shape_of({8, 4, 3}, 2);
  EXPECT_EQ(pixel_boxes(shape, ByteRows{4, 6, 16, 3}), (Boxes{{{2, 0, 0}, {3, 3, 1}}}));
  EXPECT_EQ(pixel_boxes(shape, ByteRows{4, 6, 16, 12}), (Boxes{{{2, 0, 0}, {3, 4, 3}}}));
  EXPECT_EQ(pixel_boxes(shape, ByteRows{4 + 48, 6, 16, 3}),
            (Boxes{{{2, 3, 0}, {3, 1, 1}}, {{2, 0, 1}, {3, 2, 1}}}));
}

TEST(PixelBoxes, RowsOfAnotherPitchAreCopiedEach) {
  const ImageShape shape = shape_of({8, 4, 3}, 1);
  EXPECT_EQ(pixel_boxes(shape, ByteRows{0, 16, 32, 2}),
            (Boxes{{{0, 0, 0}, {8, 2, 1}}, {{0, 0, 1}, {8, 2, 1}}}));
  // Around the end of a row.
  EXPECT_EQ(
      pixel_boxes(shape, ByteRows{6, 4, 8, 2}),
      (Boxes{
          {{6, 0, 0}, {2, 1, 1}}, {{0, 1, 0}, {2, 1, 1}}, {{6, 1, 0}, {2, 1, 1}}, {{0, 2, 0}, {2, 1, 1}}}));
}

TEST(PixelBoxes, BoxesHoldTheBytesInTheirOrderAndNoOthers) {
  std::mt19937 random(5);
  const auto below = [&](uint64_t end) { return random() % end; };
  for (int i = 0; i < 3000; ++i) {
    const ImageShape shape = shape_of({1 + below(9), 1 + below(6), 1 + below(5)}, 1 + below(4));
    const uint64_t all = shape.bytes() / shape.pixel;
    const uint64_t lo = below(all), length = 1 + below(all - lo);
    uint64_t pitch = 0, count = 1;
    if (const uint64_t rest = all - lo - length; rest > length && below(2) == 0) {
      pitch = below(2) == 0 && shape.extent[0] > length ? shape.extent[0] : length + 1 + below(rest - length);
      count = 1 + below(rest / pitch + 1);
    }
    const ByteRows rows{lo * shape.pixel, length * shape.pixel, count > 1 ? pitch * shape.pixel : 0, count};
    const Boxes boxes = pixel_boxes(shape, rows);
    expect_inside(shape, boxes);
    EXPECT_EQ(bytes_in_order(shape, boxes), bytes_in_order(rows));
  }
}

}  // namespace
}  // namespace mkmd
