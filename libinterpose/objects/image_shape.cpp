// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/objects/image_shape.hpp"

#include <algorithm>
#include <vector>

namespace mkmd {

namespace {

constexpr cl_mem_flags kKernelAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;

// What kernels may do with it. The default is both (clause 5.3.1).
cl_mem_flags kernel_access(const ImageShape& shape) {
  const cl_mem_flags access = shape.flags & kKernelAccess;
  return access != 0 ? access : CL_MEM_READ_WRITE;
}

compiler::ImageExtent image_extent(cl_mem image, cl_mem_object_type type) {
  const auto size = [image](cl_image_info what) { return image_value<size_t>(image, what); };
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

bool has_format(cl_context context, const ImageShape& shape) {
  const auto ask = vendor::table(context).clGetSupportedImageFormats;
  if (ask == nullptr) return false;
  const cl_mem_flags access = kernel_access(shape);
  cl_uint count = 0;
  if (ask(context, access, shape.type, 0, nullptr, &count) != CL_SUCCESS || count == 0) return false;
  std::vector<cl_image_format> formats(count);
  if (ask(context, access, shape.type, count, formats.data(), nullptr) != CL_SUCCESS) return false;
  return std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& f) {
    return f.image_channel_order == shape.format.image_channel_order &&
           f.image_channel_data_type == shape.format.image_channel_data_type;
  });
}

// Nothing is said of an image that a driver calls of another type.
bool has_size(cl_device_id device, const ImageShape& shape) {
  const auto most = [&](cl_device_info what) { return vendor::device_value<size_t>(device, what); };
  const auto& [width, second, third] = shape.extent;
  switch (shape.type) {
  case CL_MEM_OBJECT_IMAGE1D:
    return width <= most(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return width <= most(CL_DEVICE_IMAGE2D_MAX_WIDTH) && second <= most(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  case CL_MEM_OBJECT_IMAGE2D:
    return width <= most(CL_DEVICE_IMAGE2D_MAX_WIDTH) && second <= most(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return width <= most(CL_DEVICE_IMAGE2D_MAX_WIDTH) && second <= most(CL_DEVICE_IMAGE2D_MAX_HEIGHT) &&
           third <= most(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  case CL_MEM_OBJECT_IMAGE3D:
    return width <= most(CL_DEVICE_IMAGE3D_MAX_WIDTH) && second <= most(CL_DEVICE_IMAGE3D_MAX_HEIGHT) &&
           third <= most(CL_DEVICE_IMAGE3D_MAX_DEPTH);
  default:
    return false;
  }
}

}  // namespace

ImageShape image_shape(cl_mem image) {
  ImageShape shape;
  const auto& table = vendor::table(image);
  table.clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof shape.type, &shape.type, nullptr);
  table.clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof shape.flags, &shape.flags, nullptr);
  shape.extent = image_extent(image, shape.type);
  if (shape.extent[0] == 0) return shape;
  shape.pixel = image_value<size_t>(image, CL_IMAGE_ELEMENT_SIZE);
  table.clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof shape.format, &shape.format, nullptr);
  return shape;
}

bool has_padding(const cl_image_format& format) {
  switch (format.image_channel_order) {
  case CL_Rx:
  case CL_RGx:
  case CL_RGBx:
  case CL_sRGBx:
  case CL_DEPTH_STENCIL:
    return true;
  default:
    return format.image_channel_data_type == CL_UNORM_SHORT_555 ||
           format.image_channel_data_type == CL_UNORM_INT_101010;
  }
}

vendor::Owned<cl_mem> make_image(cl_context context, const ImageShape& shape, cl_int& error) {
  error = CL_INVALID_OPERATION;
  const auto create = vendor::table(context).clCreateImage;
  if (create == nullptr) return {};
  cl_image_desc description{};
  description.image_type = shape.type;
  description.image_width = shape.extent[0];
  switch (shape.type) {
  case CL_MEM_OBJECT_IMAGE1D:
    break;
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    description.image_array_size = shape.extent[1];
    break;
  case CL_MEM_OBJECT_IMAGE2D:
    description.image_height = shape.extent[1];
    break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    description.image_height = shape.extent[1];
    description.image_array_size = shape.extent[2];
    break;
  case CL_MEM_OBJECT_IMAGE3D:
    description.image_height = shape.extent[1];
    description.image_depth = shape.extent[2];
    break;
  default:
    return {};
  }
  return vendor::Owned<cl_mem>(
      create(context, kernel_access(shape), &shape.format, &description, nullptr, &error));
}

bool can_have_image(cl_context context, cl_device_id device, const ImageShape& shape) {
  return vendor::device_value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE &&
         has_size(device, shape) && has_format(context, shape);
}

}  // namespace mkmd
