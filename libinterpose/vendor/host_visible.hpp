// SPDX-License-Identifier: Apache-2.0
// Buffers in whose bytes the host may read and write by itself, without a command. A command for it would
// wait behind the kernels that its device works at, even where the device's memory is the host's.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::vendor {

struct HostVisible {
  Owned<cl_mem> buffer;
  char* bytes = nullptr;  // as long as the buffer lives
};

// A buffer over memory of ours (CL_MEM_USE_HOST_PTR). The specification lets a device keep a copy of such
// memory (OpenCL 3.0, clause 5.2.1). CPUs of the host do not. Each driver is asked once, by commands, whether
// it sees what the host writes, and the host what it writes. `initial`: as many bytes, copied; may be null.
// Empty where a device of the context is no CPU of the host, or its driver keeps copies, or refuses.
// Thread-safe.
HostVisible make_host_visible(cl_context context, cl_mem_flags flags, size_t size, const void* initial);

// Whether the devices of a context work in memory of ours, as above. Where several drivers' do, buffers of
// theirs over one place are the same bytes. Thread-safe.
bool works_in_host_bytes(cl_context context);

// A buffer over bytes that outlive it.
Owned<cl_mem> make_over(cl_context context, char* bytes, size_t size);

// The flags that say where bytes lie. make_host_visible() has its own in their place.
inline constexpr cl_mem_flags kPlaceFlags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

}  // namespace mkmd::vendor
