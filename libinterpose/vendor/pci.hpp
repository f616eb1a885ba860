// SPDX-License-Identifier: Apache-2.0
// Which devices of several drivers are one piece of hardware. Two drivers for one GPU (rusticl and its
// vendor's) show it as two devices, between which there is nothing to share.
#pragma once

#include <CL/cl.h>
#include <optional>
#include <vector>

namespace mkmd::vendor {

struct PciAddress {
  cl_uint domain = 0, bus = 0, device = 0, function = 0;
  bool operator==(const PciAddress&) const = default;
};

// By cl_khr_pci_bus_info, or else by the queries of NVIDIA's and AMD's drivers. Nothing: it does not say.
std::optional<PciAddress> pci_address(cl_device_id device);

struct HardwarePlace {
  const void* platform = nullptr;
  std::optional<PciAddress> address;
};

// The index of an earlier device, of another platform, that is the same hardware. Devices of one platform are
// never: parts of a GPU, such as its tiles, have one address.
std::optional<size_t> earlier_driver(const std::vector<HardwarePlace>& devices, size_t device);

}  // namespace mkmd::vendor
