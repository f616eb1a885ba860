// SPDX-License-Identifier: Apache-2.0
// The library $POCL, with a count of the references that are held to its objects. The file $COUNTING_FILE
// has them: contexts, queues, memory objects, samplers, programs, kernels, events, each an int64_t.
#include "tests/common/in_front_of_pocl.hpp"

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>

namespace {

enum Kind : size_t { contexts, queues, memories, samplers, programs, kernels, events, kinds };

std::atomic<int64_t>* counters() {
  static auto* const all = [] {
    const int fd = open(std::getenv("COUNTING_FILE"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    constexpr size_t size = 8 * sizeof(int64_t);
    if (fd < 0 || ftruncate(fd, size) != 0) std::abort();
    void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return static_cast<std::atomic<int64_t>*>(mapped);
  }();
  return all;
}

// How a slot changes the number of references to objects of a kind.
enum class Does { creates, retains, releases, enqueues, maps };

template <auto slot, Kind kind, Does does, typename Function>
struct Counted;
template <auto slot, Kind kind, Does does, typename Result, typename... Args>
struct Counted<slot, kind, does, Result(CL_API_CALL*)(Args...)> {
  static inline Result(CL_API_CALL* original)(Args...) = nullptr;

  static Result CL_API_CALL call(Args... args) {
    // Before: an object that is gone is not counted any more.
    if constexpr (does == Does::releases) counters()[kind].fetch_sub(1);
    const Result result = original(args...);
    const auto all = std::tie(args...);
    constexpr size_t last = sizeof...(Args) - 1;
    bool more = does == Does::retains;
    if constexpr (does == Does::creates) more = result != nullptr;
    if constexpr (does == Does::enqueues) more = result == CL_SUCCESS && std::get<last>(all) != nullptr;
    if constexpr (does == Does::maps) more = result != nullptr && std::get<last - 1>(all) != nullptr;
    if (more) counters()[kind].fetch_add(1);
    return result;
  }
};

template <auto slot, Kind kind, Does does>
void count(cl_icd_dispatch& table) {
  using Wrapper = Counted<slot, kind, does, std::remove_reference_t<decltype(table.*slot)>>;
  Wrapper::original = table.*slot;
  table.*slot = &Wrapper::call;
}

void patch(cl_icd_dispatch& table) {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  in_front::make_writable(table);
  using D = cl_icd_dispatch;
  count<&D::clCreateContext, contexts, Does::creates>(table);
  count<&D::clCreateContextFromType, contexts, Does::creates>(table);
  count<&D::clRetainContext, contexts, Does::retains>(table);
  count<&D::clReleaseContext, contexts, Does::releases>(table);
  count<&D::clCreateCommandQueue, queues, Does::creates>(table);
  count<&D::clCreateCommandQueueWithProperties, queues, Does::creates>(table);
  count<&D::clRetainCommandQueue, queues, Does::retains>(table);
  count<&D::clReleaseCommandQueue, queues, Does::releases>(table);
  count<&D::clCreateBuffer, memories, Does::creates>(table);
  count<&D::clCreateSubBuffer, memories, Does::creates>(table);
  count<&D::clCreateImage, memories, Does::creates>(table);
  count<&D::clRetainMemObject, memories, Does::retains>(table);
  count<&D::clReleaseMemObject, memories, Does::releases>(table);
  count<&D::clCreateSampler, samplers, Does::creates>(table);
  count<&D::clRetainSampler, samplers, Does::retains>(table);
  count<&D::clReleaseSampler, samplers, Does::releases>(table);
  count<&D::clCreateProgramWithSource, programs, Does::creates>(table);
  count<&D::clCreateProgramWithBinary, programs, Does::creates>(table);
  count<&D::clCreateProgramWithIL, programs, Does::creates>(table);
  count<&D::clLinkProgram, programs, Does::creates>(table);
  count<&D::clRetainProgram, programs, Does::retains>(table);
  count<&D::clReleaseProgram, programs, Does::releases>(table);
  count<&D::clCreateKernel, kernels, Does::creates>(table);
  count<&D::clRetainKernel, kernels, Does::retains>(table);
  count<&D::clReleaseKernel, kernels, Does::releases>(table);
  count<&D::clCreateUserEvent, events, Does::creates>(table);
  count<&D::clEnqueueNDRangeKernel, events, Does::enqueues>(table);
  count<&D::clEnqueueReadBuffer, events, Does::enqueues>(table);
  count<&D::clEnqueueReadBufferRect, events, Does::enqueues>(table);
  count<&D::clEnqueueWriteBuffer, events, Does::enqueues>(table);
  count<&D::clEnqueueWriteBufferRect, events, Does::enqueues>(table);
  count<&D::clEnqueueCopyBuffer, events, Does::enqueues>(table);
  count<&D::clEnqueueCopyBufferRect, events, Does::enqueues>(table);
  count<&D::clEnqueueFillBuffer, events, Does::enqueues>(table);
  count<&D::clEnqueueReadImage, events, Does::enqueues>(table);
  count<&D::clEnqueueWriteImage, events, Does::enqueues>(table);
  count<&D::clEnqueueUnmapMemObject, events, Does::enqueues>(table);
  count<&D::clEnqueueMarkerWithWaitList, events, Does::enqueues>(table);
  count<&D::clEnqueueBarrierWithWaitList, events, Does::enqueues>(table);
  count<&D::clEnqueueMapBuffer, events, Does::maps>(table);
  count<&D::clEnqueueMapImage, events, Does::maps>(table);
  count<&D::clRetainEvent, events, Does::retains>(table);
  count<&D::clReleaseEvent, events, Does::releases>(table);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* ids, cl_uint* count) {
  using Get = cl_int (*)(cl_uint, cl_platform_id*, cl_uint*);
  const cl_int status = in_front::of_pocl<Get>("clIcdGetPlatformIDsKHR")(entries, ids, count);
  if (status == CL_SUCCESS && ids != nullptr) patch(**reinterpret_cast<cl_icd_dispatch**>(ids[0]));
  return status;
}

extern "C" __attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char* name) {
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0)  // some loaders ask for it here
    return reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR);
  return in_front::of_pocl<void*>(name);
}
