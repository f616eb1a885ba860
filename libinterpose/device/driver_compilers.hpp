// SPDX-License-Identifier: Apache-2.0
// Whether drivers may still be able to compile. They are taken to have lost their compilers once the process
// exits, or has changed its user: PoCL ends a process that cannot write to its cache. Thread-safe.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <sys/types.h>

namespace mkmd {

class DriverCompilers {
public:
  // From now on code that drivers have run may only be repeated. The user counts as of the first call.
  bool may_be_gone();

  // Whether a driver's compiler has been used. It may register handlers for the end of the process at first.
  bool has_compiled(const cl_icd_dispatch& driver);
  void note_compiled(const cl_icd_dispatch& driver);

private:
  std::once_flag asked_;
  uid_t at_first_ = 0;
  std::atomic<bool> said_{false};
  std::mutex mutex_;
  std::set<const cl_icd_dispatch*> compiled_;  // guarded by `mutex_`
};

}  // namespace mkmd
