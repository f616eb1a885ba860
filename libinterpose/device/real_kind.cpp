// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/real_kind.hpp"

#include "libinterpose/device/opencl_devices.hpp"

namespace mkmd {

Calibration RealKind::calibrate(const Configuration& configuration) {
  std::vector<vendor::Device> devices;
  for (size_t lane = 0; lane < configuration.lane_count(); ++lane)
    devices.push_back(configuration.lane_device(lane));
  return mkmd::calibrate(devices, configuration.domain);
}

double RealKind::cache_bytes(const Configuration& configuration) const {
  return static_cast<double>(
      vendor::device_value<cl_ulong>(configuration.home.id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
}

std::unique_ptr<Devices> RealKind::make_devices(int64_t host_to_home, Trouble& trouble,
                                                DriverCompilers& compilers) {
  return std::make_unique<OpenClDevices>(host_to_home, trouble, compilers, threads_.get());
}

DeviceKind& real_devices() {
  static RealKind devices;
  return devices;
}

}  // namespace mkmd
