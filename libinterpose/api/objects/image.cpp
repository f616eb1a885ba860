// SPDX-License-Identifier: Apache-2.0
// Images and samplers.
#include "libinterpose/api/commands/host_memory.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

namespace mkmd::api {

namespace {

// Of an image with levels of detail, pixels of other levels are none of those that are counted.
bool has_levels(cl_mem native) {
  return image_value<cl_uint>(native, CL_IMAGE_NUM_MIP_LEVELS) > 1;
}

// The vendor's description of an image, and the memory object it is made from, if any.
struct Description {
  cl_image_desc native;
  const cl_image_desc* for_vendor = nullptr;
  Memory* from = nullptr;

  cl_int read(const cl_image_desc* given) {
    if (given == nullptr) return CL_SUCCESS;  // the vendor has a code for that
    native = *given;
    for_vendor = &native;
    if (given->mem_object == nullptr) return CL_SUCCESS;
    from = object_cast<Memory>(given->mem_object);
    if (from == nullptr) return CL_INVALID_IMAGE_DESCRIPTOR;
    native.mem_object = from->native.get();
    return CL_SUCCESS;
  }
};

// `create(context, error)` gives the vendor's image. Others know its pixels if it is `from` an object of the
// program's, or from one that is `external` to OpenCL.
template <typename Create>
cl_mem create_image(cl_context context, Memory* from, bool external, cl_int* errcode_ret, Create&& create) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_mem> native = create(ours->native.get(), error);
  if (!native) return fail(errcode_ret, error);
  cl_mem_flags flags = 0;
  vendor::table(native.get()).clGetMemObjectInfo(native.get(), CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
  note_host_memory(flags);
  set_error(errcode_ret, CL_SUCCESS);
  const ImageShape shape = image_shape(native.get());
  const bool stands_alone = from == nullptr && !external && !has_levels(native.get());
  return (new Memory(ours, std::move(native), from, shape, stands_alone))->handle();
}

}  // namespace

cl_mem CreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* image_format,
                   const cl_image_desc* image_desc, void* host_ptr, cl_int* errcode_ret) {
  Description description;
  if (const cl_int error = description.read(image_desc); error != CL_SUCCESS) return fail(errcode_ret, error);
  return create_image(context, description.from, false, errcode_ret, [&](cl_context native, cl_int& error) {
    return vendor_create<&cl_icd_dispatch::clCreateImage>(error, native, flags, image_format,
                                                          description.for_vendor, host_ptr);
  });
}

cl_mem CreateImageWithProperties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                                 const cl_image_format* image_format, const cl_image_desc* image_desc,
                                 void* host_ptr, cl_int* errcode_ret) {
  Description description;
  if (const cl_int error = description.read(image_desc); error != CL_SUCCESS) return fail(errcode_ret, error);
  const bool external = properties != nullptr && *properties != 0;
  return create_image(context, description.from, external, errcode_ret,
                      [&](cl_context native, cl_int& error) {
                        return vendor_create<&cl_icd_dispatch::clCreateImageWithProperties>(
                            error, native, properties, flags, image_format, description.for_vendor, host_ptr);
                      });
}

cl_mem CreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* image_format,
                     size_t image_width, size_t image_height, size_t image_row_pitch, void* host_ptr,
                     cl_int* errcode_ret) {
  return create_image(context, nullptr, false, errcode_ret, [&](cl_context native, cl_int& error) {
    return vendor_create<&cl_icd_dispatch::clCreateImage2D>(error, native, flags, image_format, image_width,
                                                            image_height, image_row_pitch, host_ptr);
  });
}

cl_mem CreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* image_format,
                     size_t image_width, size_t image_height, size_t image_depth, size_t image_row_pitch,
                     size_t image_slice_pitch, void* host_ptr, cl_int* errcode_ret) {
  return create_image(context, nullptr, false, errcode_ret, [&](cl_context native, cl_int& error) {
    return vendor_create<&cl_icd_dispatch::clCreateImage3D>(error, native, flags, image_format, image_width,
                                                            image_height, image_depth, image_row_pitch,
                                                            image_slice_pitch, host_ptr);
  });
}

cl_int GetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                cl_uint num_entries, cl_image_format* image_formats,
                                cl_uint* num_image_formats) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return CL_INVALID_CONTEXT;
  return vendor_call<&cl_icd_dispatch::clGetSupportedImageFormats>(
      ours->native.get(), flags, image_type, num_entries, image_formats, num_image_formats);
}

cl_int GetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void* param_value,
                    size_t* param_value_size_ret) {
  Memory* memory = object_cast<Memory>(image);
  if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
  if (param_name == CL_IMAGE_BUFFER) {
    const cl_mem buffer = memory->parent && memory->parent->is_buffer ? memory->parent->handle() : nullptr;
    return write_info({param_value_size, param_value, param_value_size_ret}, buffer);
  }
  return vendor_call<&cl_icd_dispatch::clGetImageInfo>(memory->native.get(), param_name, param_value_size,
                                                       param_value, param_value_size_ret);
}

cl_sampler CreateSampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
                         cl_filter_mode filter_mode, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateSampler>(error, ours->native.get(), normalized_coords,
                                                                 addressing_mode, filter_mode);
  if (!native) return fail(errcode_ret, error);
  set_error(errcode_ret, CL_SUCCESS);
  return (new Sampler(ours, std::move(native), {}))->handle();
}

cl_sampler CreateSamplerWithProperties(cl_context context, const cl_sampler_properties* sampler_properties,
                                       cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateSamplerWithProperties>(error, ours->native.get(),
                                                                               sampler_properties);
  if (!native) return fail(errcode_ret, error);
  std::vector<cl_sampler_properties> list;
  for (const cl_sampler_properties* p = sampler_properties; p != nullptr && *p != 0; p += 2) {
    list.insert(list.end(), {p[0], p[1]});
  }
  if (sampler_properties != nullptr) list.push_back(0);
  set_error(errcode_ret, CL_SUCCESS);
  return (new Sampler(ours, std::move(native), std::move(list)))->handle();
}

cl_int GetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                      void* param_value, size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Sampler* ours = object_cast<Sampler>(sampler);
  if (ours == nullptr) return CL_INVALID_SAMPLER;
  switch (param_name) {
  case CL_SAMPLER_CONTEXT:
    return write_info(target, ours->context->handle());
  case CL_SAMPLER_REFERENCE_COUNT:
    return write_info(target, ours->program_references());
  default:
    return vendor_call<&cl_icd_dispatch::clGetSamplerInfo>(ours->native.get(), param_name, param_value_size,
                                                           param_value, param_value_size_ret);
  }
}

}  // namespace mkmd::api
