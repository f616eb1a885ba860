// SPDX-License-Identifier: Apache-2.0
// Devices of a platform file. Real devices execute, and the emulated machine says how long that takes
// (docs/emulation.md).
#pragma once

#include "libinterpose/device/opencl_devices.hpp"

namespace mkmd {

namespace emulation {
class Machine;
}

class EmulatedDevices : public OpenClDevices {
public:
  EmulatedDevices(emulation::Machine& machine, int64_t host_to_home, Trouble& trouble,
                  DriverCompilers& compilers)
      : OpenClDevices(host_to_home, trouble, compilers), machine_(machine) {}

  cl_ulong now() const override;
  cl_int run(Action& action, cl_int refused) override;
  bool has_failed(int device) const override;
  bool is_lost(int domain) const override;
  void look_after(const Lane&) override {}
  void note_again(size_t commands) override;
  // The real device is a CPU whose buffers lie in the process's memory. Mapping a buffer gives its address,
  // which does not change. Our threads copy the bytes. So a copy does not wait for kernels on the driver's
  // workers, as copy engines of a real machine do not.
  char* host_bytes(Storage& storage, const Lane& lane, cl_mem memory) override;

private:
  emulation::Machine& machine_;
};

}  // namespace mkmd
