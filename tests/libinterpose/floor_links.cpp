// SPDX-License-Identifier: Apache-2.0
// That this links is the test: a floor of libinterpose with what it may use. Every object begins with the
// table of api's functions (cl_khr_icd), so that table alone stands in here for a floor above.
#include <CL/cl_icd.h>

#ifndef MKMD_HAS_API
namespace mkmd {
extern const cl_icd_dispatch dispatch_table;
const cl_icd_dispatch dispatch_table{};
}  // namespace mkmd
#endif

int main() {
  return 0;
}
