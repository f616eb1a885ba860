// SPDX-License-Identifier: Apache-2.0
// cl_intel_unified_shared_memory passes through, as shared virtual memory does: the memory is the home's, and
// kernels that use it run whole there. SYCL programs need it.
#pragma once

namespace mkmd::api {

// A function of the extension that the home has, or null.
void* usm_function(const char* name);

}  // namespace mkmd::api
