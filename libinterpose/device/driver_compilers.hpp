// SPDX-License-Identifier: Apache-2.0
// Whether drivers can still compile. They count as unable once the process exits or has changed its user:
// PoCL ends a process that cannot write to its cache. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <sys/types.h>

namespace mkmd {

class DriverCompilers {
public:
  // `registered`: called when drivers may have registered more handlers for the end of the process, as
  // compilers do when they are first used. May be null.
  explicit DriverCompilers(void (*registered)() = nullptr) : registered_(registered) {}

  // From now on, drivers only get code that they have run. Remembers the process's user at the first call.
  bool may_be_gone();
  void note_compiled() const {
    if (registered_ != nullptr) registered_();
  }

private:
  void (*const registered_)();
  std::once_flag asked_;
  uid_t at_first_ = 0;
  std::atomic<bool> said_{false};
};

}  // namespace mkmd
