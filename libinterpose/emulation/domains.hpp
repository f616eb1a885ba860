// SPDX-License-Identifier: Apache-2.0
// The memory domains of an emulated machine: its devices' memories, numbered as they first come in the file.
#pragma once

#include "libinterpose/emulation/platform_file.hpp"

#include <vector>

namespace mkmd::emulation {

struct Domains {
  explicit Domains(const PlatformFile& platform);
  int count() const { return static_cast<int>(memory.size()); }

  std::vector<int> of_device;
  std::vector<int> memory;  // the file's number, by domain
};

}  // namespace mkmd::emulation
