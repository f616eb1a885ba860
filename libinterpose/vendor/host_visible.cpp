// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/host_visible.hpp"

#include "common/thread_annotations.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

namespace mkmd::vendor {

namespace {

constexpr size_t kAlignment = 128;  // of the largest type, double16

struct Free {
  void operator()(char* bytes) const { std::free(bytes); }
};
using Bytes = std::unique_ptr<char, Free>;

Bytes allocate(size_t size) {
  void* bytes = nullptr;
  return Bytes(posix_memalign(&bytes, kAlignment, size) == 0 ? static_cast<char*>(bytes) : nullptr);
}

std::vector<cl_device_id> devices_in(cl_context context) {
  size_t size = 0;
  const cl_icd_dispatch& calls = table(context);
  if (calls.clGetContextInfo == nullptr) return {};
  if (calls.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(size / sizeof(cl_device_id));
  if (calls.clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices.data(), nullptr) != CL_SUCCESS)
    return {};
  return devices;
}

void CL_CALLBACK free_bytes(cl_mem, void* bytes) {
  std::free(bytes);
}

// The memory is free when the driver says so: commands may outlive the last reference.
HostVisible over_own_memory(cl_context context, cl_mem_flags flags, size_t size) {
  const cl_icd_dispatch& calls = table(context);
  if (calls.clSetMemObjectDestructorCallback == nullptr) return {};  // a driver of OpenCL 1.0
  Bytes bytes = size > 0 ? allocate(size) : nullptr;
  if (!bytes) return {};
  cl_int error = CL_SUCCESS;
  const cl_mem_flags wanted = (flags & ~kPlaceFlags) | CL_MEM_USE_HOST_PTR;
  Owned<cl_mem> buffer(calls.clCreateBuffer(context, wanted, size, bytes.get(), &error));
  if (!buffer) return {};
  if (calls.clSetMemObjectDestructorCallback(buffer.get(), &free_bytes, bytes.get()) != CL_SUCCESS) {
    buffer.reset();
    return {};
  }
  return {std::move(buffer), bytes.release()};
}

// Whether host and device see each other's bytes without a mapping.
bool sees_own_memory(cl_context context, cl_device_id device) {
  constexpr size_t kSize = 4096;
  const cl_icd_dispatch& calls = table(context);
  cl_int error = CL_SUCCESS;
  const Owned<cl_command_queue> queue(calls.clCreateCommandQueue(context, device, 0, &error));
  const HostVisible ours = over_own_memory(context, CL_MEM_READ_WRITE, kSize);
  const Owned<cl_mem> other(calls.clCreateBuffer(context, CL_MEM_READ_WRITE, kSize, nullptr, &error));
  if (!queue || !ours.buffer || !other) return false;
  std::vector<char> seen(kSize);
  for (const char value : {'\x5a', '\x25', '\x77'}) {
    std::memset(ours.bytes, value, kSize);
    if (calls.clEnqueueCopyBuffer(queue.get(), ours.buffer.get(), other.get(), 0, 0, kSize, 0, nullptr,
                                  nullptr) != CL_SUCCESS ||
        calls.clEnqueueReadBuffer(queue.get(), other.get(), CL_TRUE, 0, kSize, seen.data(), 0, nullptr,
                                  nullptr) != CL_SUCCESS ||
        std::memcmp(seen.data(), ours.bytes, kSize) != 0)
      return false;
    std::memset(ours.bytes, ~value, kSize);
    if (calls.clEnqueueCopyBuffer(queue.get(), other.get(), ours.buffer.get(), 0, 0, kSize, 0, nullptr,
                                  nullptr) != CL_SUCCESS ||
        calls.clFinish(queue.get()) != CL_SUCCESS || std::memcmp(seen.data(), ours.bytes, kSize) != 0)
      return false;
  }
  return true;
}

}  // namespace

// Of a driver; asked when first needed.
bool works_in_host_bytes(cl_context context) {
  static Mutex mutex;
  static auto* const of_driver =
      new std::map<const cl_icd_dispatch*, bool>;  // drivers last as long as the process
  const std::vector<cl_device_id> devices = devices_in(context);
  if (devices.empty() || !std::all_of(devices.begin(), devices.end(), is_host_cpu)) return false;
  const cl_icd_dispatch* const driver = &table(context);
  {
    const Lock lock(mutex);
    if (const auto known = of_driver->find(driver); known != of_driver->end()) return known->second;
  }
  const bool visible = sees_own_memory(context, devices.front());
  const Lock lock(mutex);
  return of_driver->emplace(driver, visible).first->second;
}

Owned<cl_mem> make_over(cl_context context, char* bytes, size_t size) {
  cl_int error = CL_SUCCESS;
  return Owned<cl_mem>(
      table(context).clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, bytes, &error));
}

HostVisible make_host_visible(cl_context context, cl_mem_flags flags, size_t size, const void* initial) {
  if (!works_in_host_bytes(context)) return {};
  HostVisible made = over_own_memory(context, flags, size);
  if (made.buffer && initial != nullptr) std::memcpy(made.bytes, initial, size);
  return made;
}

}  // namespace mkmd::vendor
