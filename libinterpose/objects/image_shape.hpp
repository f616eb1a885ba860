// SPDX-License-Identifier: Apache-2.0
// ImageShape: what an image is, as far as another one like it, in another memory, has to be the same.
#pragma once

#include "compiler/kernel_info.hpp"
#include "libinterpose/vendor/vendor.hpp"

namespace mkmd {

// 0: the vendor does not say.
template <typename T>
T image_value(cl_mem image, cl_image_info what) {
  T value = 0;
  const auto ask = vendor::table(image).clGetImageInfo;
  if (ask == nullptr || ask(image, what, sizeof value, &value, nullptr) != CL_SUCCESS) return 0;
  return value;
}

// Its pixels lie as a kernel's footprints count them: row after row, without gaps, a byte of a pixel for each
// byte of the format.
struct ImageShape {
  compiler::ImageExtent extent{};  // zeros: it is no image, or its vendor does not say
  uint64_t pixel = 0;              // bytes
  cl_mem_object_type type = 0;
  cl_image_format format{};
  cl_mem_flags flags = 0;  // as the program gave them

  uint64_t row() const { return extent[0] * pixel; }
  uint64_t bytes() const { return row() * extent[1] * extent[2]; }
};

ImageShape image_shape(cl_mem image);

// Whether some bits of a pixel mean nothing. Their value after a write of the pixel is not specified.
bool has_padding(const cl_image_format& format);

// Another one, for kernels and the host. Null, with an error, where the driver has none.
vendor::Owned<cl_mem> make_image(cl_context context, const ImageShape& shape, cl_int& error);

// Whether the device, one of the context's, says that it can have one.
bool can_have_image(cl_context context, cl_device_id device, const ImageShape& shape);

}  // namespace mkmd
