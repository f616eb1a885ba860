// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/pci.hpp"

#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::vendor {

namespace {

// cl_nv_device_attribute_query and cl_amd_device_attribute_query; not every version of the headers has them.
constexpr cl_device_info kNvBus = 0x4008, kNvSlot = 0x4009, kNvDomain = 0x400A;
constexpr cl_device_info kAmdTopology = 0x4037;
struct AmdTopology {
  cl_uint type;  // 1: the rest is an address
  cl_uchar unused[17];
  cl_uchar bus, device, function;
};
static_assert(sizeof(AmdTopology) == 24);

std::optional<PciAddress> asked_of(cl_device_id device) {
  constexpr cl_uint kNone = ~cl_uint{0};
  if (has_extension(device, "cl_khr_pci_bus_info")) {
    const cl_device_pci_bus_info_khr all{kNone, kNone, kNone, kNone};
    const auto at = device_value(device, CL_DEVICE_PCI_BUS_INFO_KHR, all);
    if (at.pci_bus != kNone) return PciAddress{at.pci_domain, at.pci_bus, at.pci_device, at.pci_function};
  }
  if (has_extension(device, "cl_nv_device_attribute_query")) {
    const auto bus = device_value(device, kNvBus, kNone);
    const auto slot = device_value(device, kNvSlot, kNone);
    if (bus != kNone && slot != kNone)
      return PciAddress{device_value(device, kNvDomain, cl_uint{0}), bus, slot >> 3, slot & 7};
  }
  if (has_extension(device, "cl_amd_device_attribute_query")) {
    const auto at = device_value(device, kAmdTopology, AmdTopology{});
    if (at.type == 1) return PciAddress{0, at.bus, at.device, at.function};
  }
  return {};
}

}  // namespace

// Software devices of some drivers say that they are at the address of all zeros, where the host's bridge is.
std::optional<PciAddress> pci_address(cl_device_id device) {
  const std::optional<PciAddress> address = asked_of(device);
  return address != PciAddress{} ? address : std::nullopt;
}

std::optional<size_t> earlier_driver(const std::vector<HardwarePlace>& devices, size_t device) {
  const HardwarePlace& of = devices[device];
  if (!of.address) return {};
  for (size_t d = 0; d < device; ++d) {
    if (devices[d].address == of.address && devices[d].platform != of.platform) return d;
  }
  return {};
}

}  // namespace mkmd::vendor
