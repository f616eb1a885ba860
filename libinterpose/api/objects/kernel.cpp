// SPDX-License-Identifier: Apache-2.0
// Kernels: made, cloned, asked about. Their arguments are in kernel_arguments.cpp. The vendor's kernel is the
// one built from the program's own source, so what our sub-kernels add never shows.
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

#include <algorithm>
#include <sstream>

namespace mkmd::api {

namespace {

Kernel* wrap(Program& program, vendor::Owned<cl_kernel> native) {
  const cl_kernel handle = native.get();
  const cl_icd_dispatch& calls = vendor::table(handle);
  cl_uint argument_count = 0;
  calls.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof argument_count, &argument_count, nullptr);
  std::vector<char> name;
  read_list(name, [&](size_t size, void* value, size_t* size_ret) {
    return calls.clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, size, value, size_ret);
  });
  const auto end = std::find(name.begin(), name.end(), '\0');
  return new Kernel(&program, std::move(native), std::string(name.begin(), end), argument_count);
}

// Intel's runtime makes all kernels at once only of a program that is built for each device of its context.
// Ours has more devices than the program's.
cl_int create_by_names(Program& program, cl_uint num_kernels, cl_kernel* kernels, cl_uint* num_kernels_ret) {
  const cl_program native = program.native.get();
  std::vector<char> all;
  read_list(all, [&](size_t size, void* value, size_t* size_ret) {
    return vendor::table(native).clGetProgramInfo(native, CL_PROGRAM_KERNEL_NAMES, size, value, size_ret);
  });
  std::vector<vendor::Owned<cl_kernel>> made;
  std::istringstream names(std::string(all.begin(), std::find(all.begin(), all.end(), '\0')));
  for (std::string name; std::getline(names, name, ';');) {
    cl_int error = CL_SUCCESS;
    made.push_back(vendor_create<&cl_icd_dispatch::clCreateKernel>(error, native, name.c_str()));
    if (error != CL_SUCCESS) return error;
  }
  if (made.empty()) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (kernels != nullptr && num_kernels < made.size()) return CL_INVALID_VALUE;
  if (num_kernels_ret != nullptr) *num_kernels_ret = static_cast<cl_uint>(made.size());
  for (size_t i = 0; kernels != nullptr && i < made.size(); ++i)
    kernels[i] = wrap(program, std::move(made[i]))->handle();
  return CL_SUCCESS;
}

// A kernel and the device that is meant; with one device in the context the program may leave it out.
cl_int find(cl_kernel kernel, cl_device_id device, Kernel*& our_kernel, cl_device_id& native_device) {
  our_kernel = object_cast<Kernel>(kernel);
  if (our_kernel == nullptr) return CL_INVALID_KERNEL;
  const auto& devices = our_kernel->context()->devices;
  if (device == nullptr) {
    native_device = devices.size() == 1 ? devices.front()->home : nullptr;
    return CL_SUCCESS;  // the vendor says what is wrong with none
  }
  const Device* ours = object_cast<Device>(device);
  if (ours == nullptr) return CL_INVALID_DEVICE;
  native_device = ours->home;
  return CL_SUCCESS;
}

}  // namespace

cl_kernel CreateKernel(cl_program program, const char* kernel_name, cl_int* errcode_ret) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_PROGRAM);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateKernel>(error, ours->native.get(), kernel_name);
  if (!native) return fail(errcode_ret, error);
  set_error(errcode_ret, CL_SUCCESS);
  return wrap(*ours, std::move(native))->handle();
}

cl_int CreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel* kernels,
                              cl_uint* num_kernels_ret) {
  Program* ours = object_cast<Program>(program);
  if (ours == nullptr) return CL_INVALID_PROGRAM;
  cl_uint count = 0;
  const cl_int error = vendor_call<&cl_icd_dispatch::clCreateKernelsInProgram>(ours->native.get(),
                                                                               num_kernels, kernels, &count);
  if (error == CL_INVALID_PROGRAM_EXECUTABLE)
    return create_by_names(*ours, num_kernels, kernels, num_kernels_ret);
  if (error != CL_SUCCESS) return error;
  if (num_kernels_ret != nullptr) *num_kernels_ret = count;
  for (cl_uint i = 0; kernels != nullptr && i < count; ++i) {
    kernels[i] = wrap(*ours, vendor::Owned<cl_kernel>(kernels[i]))->handle();
  }
  return CL_SUCCESS;
}

cl_kernel CloneKernel(cl_kernel source_kernel, cl_int* errcode_ret) {
  Kernel* source = object_cast<Kernel>(source_kernel);
  if (source == nullptr) return fail(errcode_ret, CL_INVALID_KERNEL);
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_kernel> native;
  size_t arguments = 0;
  {
    const Lock lock(source->mutex);
    native = vendor_create<&cl_icd_dispatch::clCloneKernel>(error, source->native.get());
    arguments = source->arguments->size();
  }
  if (!native) return fail(errcode_ret, error);
  // Without the source's mutex: a kernel enters the list of kernels, and who holds that list locks kernels.
  auto* clone =
      new Kernel(source->program.get(), std::move(native), source->name, static_cast<cl_uint>(arguments));
  {
    // Only now: from here on memory that goes is dropped from the clone's arguments, too.
    const Lock lock(source->mutex);
    const Lock clone_lock(clone->mutex);
    clone->arguments = std::make_shared<KernelArguments>(*source->arguments);
    clone->uses_svm = source->uses_svm;
  }
  set_error(errcode_ret, CL_SUCCESS);
  return clone->handle();
}

cl_int GetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void* param_value,
                     size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Kernel* ours = object_cast<Kernel>(kernel);
  if (ours == nullptr) return CL_INVALID_KERNEL;
  switch (param_name) {
  case CL_KERNEL_REFERENCE_COUNT:
    return write_info(target, ours->program_references());
  case CL_KERNEL_CONTEXT:
    return write_info(target, ours->context()->handle());
  case CL_KERNEL_PROGRAM:
    return write_info(target, ours->program->handle());
  default:
    return vendor::table(ours->native.get())
        .clGetKernelInfo(ours->native.get(), param_name, param_value_size, param_value, param_value_size_ret);
  }
}

cl_int GetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name,
                        size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  Kernel* ours = object_cast<Kernel>(kernel);
  if (ours == nullptr) return CL_INVALID_KERNEL;
  return vendor_call<&cl_icd_dispatch::clGetKernelArgInfo>(
      ours->native.get(), arg_indx, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int GetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
                              size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  Kernel* ours = nullptr;
  cl_device_id native_device = nullptr;
  if (const cl_int error = find(kernel, device, ours, native_device); error != CL_SUCCESS) return error;
  return vendor_call<&cl_icd_dispatch::clGetKernelWorkGroupInfo>(
      ours->native.get(), native_device, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int GetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
                             size_t input_value_size, const void* input_value, size_t param_value_size,
                             void* param_value, size_t* param_value_size_ret) {
  Kernel* ours = nullptr;
  cl_device_id native_device = nullptr;
  if (const cl_int error = find(kernel, device, ours, native_device); error != CL_SUCCESS) return error;
  return vendor_call<&cl_icd_dispatch::clGetKernelSubGroupInfo>(
      ours->native.get(), native_device, param_name, input_value_size, input_value, param_value_size,
      param_value, param_value_size_ret);
}

cl_int GetKernelSubGroupInfoKHR(cl_kernel in_kernel, cl_device_id in_device,
                                cl_kernel_sub_group_info param_name, size_t input_value_size,
                                const void* input_value, size_t param_value_size, void* param_value,
                                size_t* param_value_size_ret) {
  Kernel* ours = nullptr;
  cl_device_id native_device = nullptr;
  if (const cl_int error = find(in_kernel, in_device, ours, native_device); error != CL_SUCCESS) return error;
  return vendor_call<&cl_icd_dispatch::clGetKernelSubGroupInfoKHR>(
      ours->native.get(), native_device, param_name, input_value_size, input_value, param_value_size,
      param_value, param_value_size_ret);
}

}  // namespace mkmd::api
