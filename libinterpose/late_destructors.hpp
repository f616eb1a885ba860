// SPDX-License-Identifier: Apache-2.0
// Programs call OpenCL from exit handlers and global destructors, some of which were registered before the
// first OpenCL call loaded a vendor and therefore run after that vendor's own destructors. A vendor without
// its compiler still runs kernels it has compiled (bare programs rely on that), but our sub-kernels, launched
// with other shapes, may not be among them: PoCL then aborts. So what vendor libraries register with
// __cxa_atexit is put off until the program's handlers have run.
#pragma once

#include <vector>

namespace mkmd {

// While it lives, this thread loads vendors: what their libraries register, now and later, runs late.
class VendorLoading {
public:
  VendorLoading();
  ~VendorLoading();
  VendorLoading(const VendorLoading&) = delete;
  VendorLoading& operator=(const VendorLoading&) = delete;

private:
  std::vector<const void*> before_;  // the libraries that are no vendor's, sorted
};

}  // namespace mkmd
