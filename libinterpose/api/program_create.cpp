// SPDX-License-Identifier: Apache-2.0
// Programs: made from source, binaries, built-in kernels or intermediate language.
#include "compiler/spirv.hpp"
#include "libinterpose/api/entry_points.hpp"
#include "libinterpose/api/program_devices.hpp"
#include "libinterpose/api/program_origin.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>

namespace mkmd::api {

namespace {

// For all devices of the context.
cl_program made_of(Context& context, vendor::Owned<cl_program> native, KnownOrigin known,
                   cl_int* errcode_ret) {
  set_error(errcode_ret, CL_SUCCESS);
  return (new Program(&context, std::move(native), std::move(known.origin), std::move(known.why_not)))
      ->handle();
}

// For a program that is for the listed devices alone, all of which are ours.
cl_program made_for(Context& context, vendor::Owned<cl_program> native, cl_uint count,
                    const cl_device_id* devices, KnownOrigin known, cl_int* errcode_ret) {
  auto* program = new Program(&context, std::move(native), std::move(known.origin), std::move(known.why_not));
  program->devices.clear();
  for (cl_uint i = 0; i < count; ++i)
    program->devices.emplace_back(object_cast<Device>(devices[i]));
  set_error(errcode_ret, CL_SUCCESS);
  return program->handle();
}

std::string joined(cl_uint count, const char** strings, const size_t* lengths) {
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    if (lengths != nullptr && lengths[i] != 0) {
      text.append(strings[i], lengths[i]);
    } else {
      text.append(strings[i]);
    }
  }
  return text;
}

// Intel's runtime crashes over bytes that are no SPIR-V where a context has several devices, as ours have.
bool may_be_understood(const void* il, size_t length, cl_device_id device) {
  std::istringstream words(vendor::device_string(device, CL_DEVICE_IL_VERSION));
  const std::vector<std::string> languages{std::istream_iterator<std::string>(words), {}};
  const bool spirv_alone = !languages.empty() && std::ranges::all_of(languages, [](const std::string& name) {
    return name.starts_with("SPIR-V");
  });
  if (!spirv_alone || il == nullptr || length < sizeof(uint32_t)) return true;
  return compiler::is_spirv({static_cast<const char*>(il), length});
}

}  // namespace

cl_int native_devices(const Context& context, cl_uint count, const cl_device_id* devices,
                      std::vector<cl_device_id>& natives) {
  if ((count == 0) != (devices == nullptr)) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i) {
    const Device* device = object_cast<Device>(devices[i]);
    if (device == nullptr) return CL_INVALID_DEVICE;
    natives.push_back(device->home);
  }
  if (count == 0) {
    for (const Ref<Device>& device : context.devices)
      natives.push_back(device->home);
  }
  return CL_SUCCESS;
}

cl_int read_devices(const Program& program, ProgramDevices& devices) {
  const cl_program native = program.native.get();
  std::vector<cl_device_id> list;
  const cl_int error = read_list(list, [&](size_t size, void* value, size_t* size_ret) {
    return vendor::table(native).clGetProgramInfo(native, CL_PROGRAM_DEVICES, size, value, size_ret);
  });
  if (error != CL_SUCCESS) return error;
  devices.vendor_count = list.size();
  for (const Ref<Device>& device : program.devices) {
    const auto whole = vendor::device_value<cl_device_id>(device->home, CL_DEVICE_PARENT_DEVICE);
    auto place = std::find(list.begin(), list.end(), device->home);
    if (place == list.end() && whole != nullptr) place = std::find(list.begin(), list.end(), whole);
    devices.handles.push_back(device->handle());
    devices.natives.push_back(device->home);
    devices.places.push_back(static_cast<size_t>(place - list.begin()));
  }
  return CL_SUCCESS;
}

namespace {

// The program gives a place for each of its devices' binaries. The vendor's list may be another, and PoCL
// writes to every place of it, so all binaries are fetched and those asked for passed on.
cl_int write_binaries(Program& program, const ProgramDevices& devices, const InfoTarget& target) {
  const size_t bytes = devices.places.size() * sizeof(unsigned char*);
  if (target.size_ret != nullptr) *target.size_ret = bytes;
  if (target.value == nullptr) return CL_SUCCESS;
  if (target.size < bytes) return CL_INVALID_VALUE;
  const cl_program native = program.native.get();
  const auto ask = [&](cl_program_info what) {
    return [what, native](size_t size, void* value, size_t* size_ret) {
      return vendor::table(native).clGetProgramInfo(native, what, size, value, size_ret);
    };
  };
  const auto origin = built_from(program);
  std::vector<size_t> sizes;
  if (const cl_int error = read_list(sizes, ask(CL_PROGRAM_BINARY_SIZES)); error != CL_SUCCESS) return error;
  std::vector<std::vector<unsigned char>> binaries;
  std::vector<unsigned char*> places;
  for (const size_t size : sizes)
    places.push_back(binaries.emplace_back(size + 1).data());
  if (const cl_int error =
          ask(CL_PROGRAM_BINARIES)(places.size() * sizeof(unsigned char*), places.data(), nullptr);
      error != CL_SUCCESS) {
    return error;
  }
  const bool known = origin != nullptr && built_from(program) == origin;
  for (size_t i = 0; i < devices.places.size(); ++i) {
    unsigned char* wanted = static_cast<unsigned char**>(target.value)[i];
    const size_t place = devices.places[i];
    if (wanted == nullptr || place >= sizes.size()) continue;
    std::memcpy(wanted, binaries[place].data(), sizes[place]);
    if (known) remember_binary({reinterpret_cast<const char*>(wanted), sizes[place]}, *origin);
  }
  return CL_SUCCESS;
}

}  // namespace

cl_program CreateProgramWithSource(cl_context context, cl_uint count, const char** strings,
                                   const size_t* lengths, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateProgramWithSource>(error, ours->native.get(), count,
                                                                           strings, lengths);
  if (!native) return fail(errcode_ret, error);
  return made_of(*ours, std::move(native), origin_of_text(joined(count, strings, lengths)), errcode_ret);
}

cl_program CreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id* device_list,
                                   const size_t* lengths, const unsigned char** binaries,
                                   cl_int* binary_status, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  if (num_devices == 0 || device_list == nullptr) return fail(errcode_ret, CL_INVALID_VALUE);
  std::vector<cl_device_id> natives;
  cl_int error = native_devices(*ours, num_devices, device_list, natives);
  if (error != CL_SUCCESS) return fail(errcode_ret, error);
  auto native = vendor_create<&cl_icd_dispatch::clCreateProgramWithBinary>(
      error, ours->native.get(), num_devices, natives.data(), lengths, binaries, binary_status);
  if (!native) return fail(errcode_ret, error);
  return made_for(*ours, std::move(native), num_devices, device_list,
                  origin_of_binaries(*ours, num_devices, lengths, binaries), errcode_ret);
}

cl_program CreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                           const cl_device_id* device_list, const char* kernel_names,
                                           cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  if (num_devices == 0 || device_list == nullptr) return fail(errcode_ret, CL_INVALID_VALUE);
  std::vector<cl_device_id> natives;
  cl_int error = native_devices(*ours, num_devices, device_list, natives);
  if (error != CL_SUCCESS) return fail(errcode_ret, error);
  auto native = vendor_create<&cl_icd_dispatch::clCreateProgramWithBuiltInKernels>(
      error, ours->native.get(), num_devices, natives.data(), kernel_names);
  if (!native) return fail(errcode_ret, error);
  return made_for(*ours, std::move(native), num_devices, device_list,
                  {nullptr, "it is a built-in kernel of the device"}, errcode_ret);
}

cl_program CreateProgramWithIL(cl_context context, const void* il, size_t length, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  if (!may_be_understood(il, length, ours->devices.front()->home)) return fail(errcode_ret, CL_INVALID_VALUE);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateProgramWithIL>(error, ours->native.get(), il, length);
  if (!native) return fail(errcode_ret, error);
  const std::string_view text(static_cast<const char*>(il), length);
  KnownOrigin known{nullptr, "its program was made from an intermediate language other than SPIR-V"};
  if (compiler::is_spirv(text)) known = origin_of_text(std::string(text));
  return made_of(*ours, std::move(native), std::move(known), errcode_ret);
}

cl_int GetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                      void* param_value, size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  const cl_program native = ours->native.get();
  const auto ask = [&](size_t size, void* value, size_t* size_ret) {
    return vendor::table(native).clGetProgramInfo(native, param_name, size, value, size_ret);
  };
  ProgramDevices devices;
  switch (param_name) {
  case CL_PROGRAM_REFERENCE_COUNT:
    return write_info(target, ours->program_references());
  case CL_PROGRAM_CONTEXT:
    return write_info(target, ours->context->handle());
  case CL_PROGRAM_NUM_DEVICES:
  case CL_PROGRAM_DEVICES:
  case CL_PROGRAM_BINARY_SIZES:
  case CL_PROGRAM_BINARIES:
    if (const cl_int error = read_devices(*ours, devices); error != CL_SUCCESS) return error;
    break;
  default:
    return ask(param_value_size, param_value, param_value_size_ret);
  }
  if (param_name == CL_PROGRAM_NUM_DEVICES)
    return write_info(target, static_cast<cl_uint>(devices.handles.size()));
  if (param_name == CL_PROGRAM_DEVICES) return write_info(target, devices.handles);
  if (param_name == CL_PROGRAM_BINARY_SIZES) {
    std::vector<size_t> all, sizes;
    if (const cl_int error = read_list(all, ask); error != CL_SUCCESS) return error;
    for (const size_t place : devices.places)
      sizes.push_back(place < all.size() ? all[place] : 0);
    return write_info(target, sizes);
  }
  return write_binaries(*ours, devices, target);
}

cl_int GetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
                           size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  const Device* on = object_cast<Device>(device);
  if (on == nullptr) return CL_INVALID_DEVICE;
  return vendor_call<&cl_icd_dispatch::clGetProgramBuildInfo>(
      ours->native.get(), on->home, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int SetProgramReleaseCallback(cl_program program, void(CL_CALLBACK* pfn_notify)(cl_program, void*),
                                 void* user_data) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  if (pfn_notify == nullptr) return CL_INVALID_VALUE;
  Farewell<cl_program> farewell(program, pfn_notify, user_data);
  const cl_int error = vendor_call<&cl_icd_dispatch::clSetProgramReleaseCallback>(
      ours->native.get(), &Farewell<cl_program>::function, farewell.data());
  if (error == CL_SUCCESS) farewell.taken();
  return error;
}

cl_int SetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                        const void* spec_value) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  const cl_int error = vendor_call<&cl_icd_dispatch::clSetProgramSpecializationConstant>(
      ours->native.get(), spec_id, spec_size, spec_value);
  if (error == CL_SUCCESS) specialise(*ours, spec_id, spec_size, spec_value);
  return error;
}

}  // namespace mkmd::api
