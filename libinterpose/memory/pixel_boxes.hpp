// SPDX-License-Identifier: Apache-2.0
// Bytes of an image's pixels as the boxes that drivers copy. A box holds the bytes it was asked for and no
// others: next to them may lie newer ones.
#pragma once

#include "common/byte_ranges.hpp"
#include "libinterpose/objects/image_shape.hpp"

#include <array>
#include <vector>

namespace mkmd {

// As clEnqueueReadImage takes it: layers of an array are its last coordinate.
struct PixelBox {
  std::array<size_t, 3> origin;
  std::array<size_t, 3> region;
  bool operator==(const PixelBox&) const = default;
};

inline uint64_t bytes_of(const PixelBox& box, const ImageShape& shape) {
  return box.region[0] * box.region[1] * box.region[2] * shape.pixel;
}

// In the order of bytes, so that those of all boxes lie one after another as in the range. The range consists
// of whole pixels, as all here.
std::vector<PixelBox> pixel_boxes(const ImageShape& shape, ByteRange range);
// Rows that lie below one another are few boxes. Each box has its own rows without gaps.
std::vector<PixelBox> pixel_boxes(const ImageShape& shape, const ByteRows& rows);

}  // namespace mkmd
