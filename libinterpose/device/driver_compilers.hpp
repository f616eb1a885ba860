// SPDX-License-Identifier: Apache-2.0
// Whether drivers may still be able to compile. They are taken to have lost their compilers once the process
// exits, or has changed its user: PoCL ends a process that cannot write to its cache. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <sys/types.h>

namespace mkmd {

class DriverCompilers {
public:
  // `registered`: called when drivers may have registered more handlers for the end of the process, as
  // compilers do when they are first used. Null: nobody wants to know.
  explicit DriverCompilers(void (*registered)() = nullptr) : registered_(registered) {}

  // From now on code that drivers have run may only be repeated. The user counts as of the first call.
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
