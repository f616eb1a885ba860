// SPDX-License-Identifier: Apache-2.0
// The real OpenCL implementations. They are found by reading the .icd files ourselves, never through a
// loader, which might be us. They are called through the dispatch table every vendor object begins with
// (cl_khr_icd). This folder knows nothing of the virtual device; the `mkmd` command uses it too.
#pragma once

#include "common/status.hpp"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mkmd::vendor {

// The vendor's own function table, for any vendor handle.
template <typename Handle>
const cl_icd_dispatch& table(Handle handle) {
  return **reinterpret_cast<cl_icd_dispatch* const*>(handle);
}

// Tables of drivers that may have run their destructors, because the process is exiting: what is theirs is
// not released any more. Null until then.
inline std::atomic<const std::vector<const cl_icd_dispatch*>*> gone{nullptr};

inline bool is_gone(const cl_icd_dispatch& of_vendor) {
  const auto* all = gone.load(std::memory_order_acquire);
  return all != nullptr && std::find(all->begin(), all->end(), &of_vendor) != all->end();
}

// Owns one reference to a vendor object. The type says which pair of table slots retains and releases it.
template <typename Handle>
void release(Handle handle) {
  if (is_gone(table(handle))) return;
  if constexpr (std::is_same_v<Handle, cl_context>) table(handle).clReleaseContext(handle);
  if constexpr (std::is_same_v<Handle, cl_command_queue>) table(handle).clReleaseCommandQueue(handle);
  if constexpr (std::is_same_v<Handle, cl_mem>) table(handle).clReleaseMemObject(handle);
  if constexpr (std::is_same_v<Handle, cl_program>) table(handle).clReleaseProgram(handle);
  if constexpr (std::is_same_v<Handle, cl_kernel>) table(handle).clReleaseKernel(handle);
  if constexpr (std::is_same_v<Handle, cl_event>) table(handle).clReleaseEvent(handle);
  if constexpr (std::is_same_v<Handle, cl_sampler>) table(handle).clReleaseSampler(handle);
  if constexpr (std::is_same_v<Handle, cl_device_id>) table(handle).clReleaseDevice(handle);
}

template <typename Handle>
class Owned {
public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { reset(); }

  void reset() {
    if (handle_ != nullptr) release(std::exchange(handle_, nullptr));
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

private:
  Handle handle_ = nullptr;
};

// One more reference.
template <typename Handle>
Owned<Handle> retained(Handle handle) {
  if (handle == nullptr || is_gone(table(handle))) return Owned<Handle>(handle);
  if constexpr (std::is_same_v<Handle, cl_context>) table(handle).clRetainContext(handle);
  if constexpr (std::is_same_v<Handle, cl_command_queue>) table(handle).clRetainCommandQueue(handle);
  if constexpr (std::is_same_v<Handle, cl_event>) table(handle).clRetainEvent(handle);
  return Owned<Handle>(handle);
}

// CL_COMPLETE, too, where the vendor does not say.
inline cl_int execution_status(cl_event event) {
  cl_int status = CL_COMPLETE;
  const cl_int asked =
      table(event).clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return asked == CL_SUCCESS ? status : CL_COMPLETE;
}

struct Platform {
  cl_platform_id id;
  std::string name;
};

// Every platform of every ICD that the system lists, in the order of file names. The list is
// OCL_ICD_VENDORS, OPENCL_VENDOR_PATH or /etc/OpenCL/vendors. OCL_ICD_VENDORS has directories, .icd files
// or libraries, separated by colons. A vendor that fails to load, or is ourselves, is left out.
std::vector<Platform> find_platforms();

// The .icd files that find_platforms() would read, with their sizes and times, without loading any vendor.
// As long as the listing stays the same, so do the platforms, as a rule.
std::vector<std::string> listing();

// The function of that name in the library this thread is just asking for its platforms, or null. Oclgrind's
// asks itself through the exported clGetPlatformIDs, which in a preloaded process is ours.
void* function_of_library_being_loaded(const char* name);

// What a user calls the platform: "pocl" for "Portable Computing Language".
std::string short_name(const Platform& platform);

// A function the platform has beyond the table; null if it has none.
void* extension_function(cl_platform_id platform, const char* name);

std::vector<cl_device_id> devices_of(cl_platform_id platform);

// How many in-order queues may run kernels of one program at the same time. PoCL before 6.0 counts who uses
// a kernel's machine code without asking which of several versions, for small and for large NDRanges. When
// three launches of different widths are under way it can count below zero, and aborts (its commit
// c9ac4c0c3). Two never get there: each counts twice. Nothing: any number.
std::optional<size_t> queues_of_a_program(cl_platform_id platform);

bool has_extension(cl_device_id device, std::string_view name);

std::string device_string(cl_device_id device, cl_device_info what);
std::string platform_string(cl_platform_id platform, cl_platform_info what);

template <typename T>
T device_value(cl_device_id device, cl_device_info what, T fallback = {}) {
  T value{};
  return table(device).clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                                  : fallback;
}

// A CPU of this machine that computes in the host's memory, as its driver says
// (CL_DEVICE_HOST_UNIFIED_MEMORY). A CPU of another machine is of the same type, and may be of the same
// platform, but has its own memory and cores.
bool is_host_cpu(cl_device_id device);

// Mapping a buffer of the queue's device costs no copy: its memory is the host's.
bool works_in_host_memory(cl_command_queue queue);

// One real device of the virtual one.
struct Device {
  cl_platform_id platform;
  cl_device_id id;
  std::string name;         // as the user writes it: "pocl", "pocl/2#1"
  std::string device_name;  // CL_DEVICE_NAME
  bool synchronous;         // executes inside the enqueuing or finishing thread: needs a thread of its own
  cl_device_id parent;      // of a sub-device that we made; otherwise null
  cl_device_type type = 0;  // of an emulated device: what the platform file says
};

// Devices for a specification `PLATFORM[:INDEX][/PARTS][,…]`; an empty one means every CPU, GPU and
// accelerator. Sub-devices that are created live as long as the process.
Result<std::vector<Device>> select_devices(const std::string& specification);

// The device that one of our sub-devices is a part of; any other device itself.
Device whole_of(const Device& device);

}  // namespace mkmd::vendor
