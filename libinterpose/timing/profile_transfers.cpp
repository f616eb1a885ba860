// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/profile_transfers.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr size_t kLargest = size_t{32} << 20;
constexpr size_t kSmallest = 4096;
constexpr int kRepeats = 5;  // the best counts

}  // namespace

models::Work work_of_copy(double bytes) {
  models::Work work;
  work.items = work.operations = work.bytes = work.footprint = bytes;
  return work;
}

void profile_transfers(cl_command_queue queue,
                       const std::function<void(const char* name, const models::Sample&)>& record) {
  const auto& table = vendor::table(queue);
  cl_context context = nullptr;
  if (table.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr) != CL_SUCCESS)
    return;
  cl_int error = CL_SUCCESS;
  const vendor::Owned<cl_mem> buffer(
      table.clCreateBuffer(context, CL_MEM_READ_WRITE, kLargest, nullptr, &error));
  if (!buffer) return;
  std::vector<unsigned char> host(kLargest, 1);
  for (const bool in : {true, false}) {
    const auto copy = [&](size_t bytes) {
      const cl_int status = in ? table.clEnqueueWriteBuffer(queue, buffer.get(), CL_FALSE, 0, bytes,
                                                            host.data(), 0, nullptr, nullptr)
                               : table.clEnqueueReadBuffer(queue, buffer.get(), CL_FALSE, 0, bytes,
                                                           host.data(), 0, nullptr, nullptr);
      const cl_int finished = table.clFinish(queue);
      return status != CL_SUCCESS ? status : finished;
    };
    if (copy(kLargest) != CL_SUCCESS) return;  // touches every page
    // Two sizes per doubling, odd ones among them.
    for (size_t step = kSmallest; step <= kLargest; step *= 2) {
      for (const size_t bytes : {step * 3 / 4, step}) {
        models::Sample sample;
        for (int i = 0; i < kRepeats; ++i) {
          const cl_ulong began = host_nanoseconds();
          if (copy(bytes) != CL_SUCCESS) return;
          const double seconds = static_cast<double>(host_nanoseconds() - began) * 1e-9;
          if (i == 0 || seconds < sample.seconds) sample.seconds = seconds;
        }
        sample.work = work_of_copy(static_cast<double>(bytes));
        sample.input = bytes;
        record(in ? kCopyIn : kCopyOut, sample);
      }
    }
  }
}

}  // namespace mkmd
