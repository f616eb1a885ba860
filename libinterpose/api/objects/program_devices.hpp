// SPDX-License-Identifier: Apache-2.0
// Device lists of programs. The vendor's context may hold helpers that the program does not know. So an
// empty list, which means "all devices", never reaches the vendor. Lists from the vendor are cut down to
// the devices that the program knows.
#pragma once

#include "libinterpose/objects/objects.hpp"

#include <vector>

namespace mkmd::api {

// The vendor's devices for a list as given to clBuildProgram and the like; none given means all of `context`.
cl_int native_devices(const Context& context, cl_uint count, const cl_device_id* devices,
                      std::vector<cl_device_id>& natives);

// The program's devices, and for each its place in the vendor's list of the same program's devices. That list
// may name the device a sub-device is part of instead (PoCL), and devices that are none of the program's.
struct ProgramDevices {
  std::vector<cl_device_id> handles;
  std::vector<cl_device_id> natives;
  std::vector<size_t> places;
  size_t vendor_count = 0;
};
cl_int read_devices(const Program& program, ProgramDevices& devices);

}  // namespace mkmd::api
