// SPDX-License-Identifier: Apache-2.0
// What a vendor's image is.
#pragma once

#include "compiler/kernel_info.hpp"
#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::api {

// 0: the vendor does not say.
template <typename T>
T image_value(cl_mem image, cl_image_info what) {
  T value = 0;
  const auto ask = vendor::table(image).clGetImageInfo;
  if (ask == nullptr || ask(image, what, sizeof value, &value, nullptr) != CL_SUCCESS) return 0;
  return value;
}

// Zeros: it is no image, or the vendor does not say.
inline compiler::ImageExtent image_extent(cl_mem memory) {
  const auto size = [memory](cl_image_info what) { return image_value<size_t>(memory, what); };
  cl_mem_object_type type = 0;
  vendor::table(memory).clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, nullptr);
  switch (type) {
  case CL_MEM_OBJECT_IMAGE1D:
  case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    return {size(CL_IMAGE_WIDTH), 1, 1};
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return {size(CL_IMAGE_WIDTH), size(CL_IMAGE_ARRAY_SIZE), 1};
  case CL_MEM_OBJECT_IMAGE2D:
    return {size(CL_IMAGE_WIDTH), size(CL_IMAGE_HEIGHT), 1};
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return {size(CL_IMAGE_WIDTH), size(CL_IMAGE_HEIGHT), size(CL_IMAGE_ARRAY_SIZE)};
  case CL_MEM_OBJECT_IMAGE3D:
    return {size(CL_IMAGE_WIDTH), size(CL_IMAGE_HEIGHT), size(CL_IMAGE_DEPTH)};
  default:
    return {};
  }
}

}  // namespace mkmd::api
