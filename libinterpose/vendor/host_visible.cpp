// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/host_visible.hpp"

#include <cstring>
#include <memory>

namespace mkmd::vendor {

namespace {

bool has_fine_grain(cl_device_id device) {
  const auto kinds = device_value<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES);
  return is_host_cpu(device) && (kinds & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
}

bool has_fine_grain(cl_context context) {
  size_t size = 0;
  const cl_icd_dispatch& calls = table(context);
  if (calls.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size) != CL_SUCCESS) return false;
  std::vector<cl_device_id> devices(size / sizeof(cl_device_id));
  if (calls.clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices.data(), nullptr) != CL_SUCCESS)
    return false;
  return std::all_of(devices.begin(), devices.end(),
                     [](cl_device_id device) { return has_fine_grain(device); });
}

// Shared virtual memory, freed in its context.
struct Allocation {
  Owned<cl_context> context;
  void* bytes;
  ~Allocation() {
    if (!is_gone(table(context.get()))) table(context.get()).clSVMFree(context.get(), bytes);
  }
  static void CL_CALLBACK end(cl_mem, void* allocation) { delete static_cast<Allocation*>(allocation); }
};

}  // namespace

HostVisible make_host_visible(cl_context context, cl_mem_flags flags, size_t size, const void* initial) {
  const cl_icd_dispatch& calls = table(context);
  if (calls.clSVMAlloc == nullptr || calls.clSVMFree == nullptr || !has_fine_grain(context)) return {};
  void* const bytes = calls.clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
  if (bytes == nullptr) return {};
  std::unique_ptr<Allocation> allocation(new Allocation{retained(context), bytes});
  if (initial != nullptr) std::memcpy(bytes, initial, size);
  cl_int error = CL_SUCCESS;
  const cl_mem_flags wanted = (flags & ~kPlaceFlags) | CL_MEM_USE_HOST_PTR;
  Owned<cl_mem> buffer(calls.clCreateBuffer(context, wanted, size, bytes, &error));
  if (!buffer) return {};
  // The memory is free when the driver says so: commands may outlive the last reference.
  if (calls.clSetMemObjectDestructorCallback(buffer.get(), &Allocation::end, allocation.get()) != CL_SUCCESS)
    return {};
  (void)allocation.release();
  return {std::move(buffer), static_cast<char*>(bytes)};
}

}  // namespace mkmd::vendor
