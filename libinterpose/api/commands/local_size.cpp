// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/local_size.hpp"

#include <algorithm>
#include <array>

namespace mkmd::api {

namespace {

constexpr uint64_t kPreferredItems = 256;  // enough to vectorise over, small enough to leave many groups
constexpr uint64_t kUsefulItems = 8;

uint64_t largest_divisor(uint64_t n, uint64_t limit) {
  for (uint64_t d = std::min(n, limit); d > 1; --d) {
    if (n % d == 0) return d;
  }
  return 1;
}

size_t largest_group(const Kernel& kernel) {
  size_t size = 0;
  const cl_kernel native = kernel.native.get();
  const cl_device_id device = kernel.program->context->devices.front()->home;
  vendor::table(native).clGetKernelWorkGroupInfo(native, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size,
                                                 &size, nullptr);
  return size;
}

}  // namespace

bool choose_local_size(const Queue& queue, const Kernel& kernel, compiler::Launch& launch) {
  // Of a kernel that names its size, some drivers refuse a launch that does not.
  if (kernel.info()->reqd_work_group_size[0] != 0) return false;
  if (const auto ask = kernel.program->context->devices.front()->suggested_local_size; ask != nullptr) {
    std::array<size_t, 3> offset{}, global{}, local{};
    std::ranges::copy(launch.offset, offset.begin());
    std::ranges::copy(launch.global, global.begin());
    if (ask(queue.native.get(), kernel.native.get(), launch.work_dim, offset.data(), global.data(),
            local.data()) != CL_SUCCESS)
      return false;
    std::copy_n(local.begin(), launch.work_dim, launch.local.begin());
    return true;
  }
  // The vendor's choice might show in the result.
  if (kernel.info()->uses_local_shape) return false;
  uint64_t left = std::min<uint64_t>(kPreferredItems, largest_group(kernel));
  uint64_t items = 1;
  for (unsigned d = 0; d < launch.work_dim; ++d) {
    launch.local[d] = largest_divisor(launch.global[d], left);
    left /= launch.local[d];
    items *= launch.local[d];
  }
  const uint64_t total = launch.global[0] * launch.global[1] * launch.global[2];
  return items >= std::min(kUsefulItems, total);  // a prime range would become groups of one item
}

bool local_size_is_valid(const Kernel& kernel, const compiler::Launch& launch) {
  uint64_t items = 1;
  const auto& required = kernel.info()->reqd_work_group_size;
  for (int d = 0; d < 3; ++d) {
    if (launch.local[d] == 0 || launch.global[d] % launch.local[d] != 0) return false;
    if (required[0] != 0 && launch.local[d] != required[d]) return false;
    items *= launch.local[d];
  }
  return items <= largest_group(kernel);
}

}  // namespace mkmd::api
