// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/driver_compilers.hpp"

#include "common/log.hpp"
#include "common/process_exiting.hpp"

#include <unistd.h>

namespace mkmd {

bool DriverCompilers::may_be_gone() {
  std::call_once(asked_, [this] { at_first_ = geteuid(); });
  if (process_exiting.load()) return true;
  if (geteuid() == at_first_) return false;
  if (!said_.exchange(true)) {
    log(LogLevel::warning,
        "the process has changed its user: kernels that have not run in pieces before run whole on the "
        "home device");
  }
  return true;
}

}  // namespace mkmd
