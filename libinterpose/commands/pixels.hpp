// SPDX-License-Identifier: Apache-2.0
// Reading and writing the pixels of images, by the thread that calls. Done when these return, for every queue
// of the device. Ranges consist of whole pixels (objects/image_shape.hpp).
#pragma once

#include "libinterpose/execution/action.hpp"
#include "libinterpose/objects/image_shape.hpp"

namespace mkmd {

// An image in the memory of the lane's device.
struct PixelsAt {
  const Lane& lane;
  cl_mem image;
  const ImageShape& shape;
};

// Tried again if they fail, then in another way.
cl_int read_pixels(const PixelsAt& from, ByteRange range, unsigned char* to);
cl_int write_pixels(const PixelsAt& to, ByteRange range, const unsigned char* from);
// Between two images of one shape. `begun`: something may be overwritten.
cl_int copy_pixels(const PixelsAt& from, const PixelsAt& to, const ByteRanges& ranges, bool& begun);

}  // namespace mkmd
