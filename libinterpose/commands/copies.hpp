// SPDX-License-Identifier: Apache-2.0
// Copies between memories, and to the program's memory, by the thread that calls.
#pragma once

#include "libinterpose/execution/action.hpp"

namespace mkmd {

// Where the bytes of one root buffer are: in a memory object of a lane's device, or at the host.
struct BytesAt {
  const Lane& lane;
  cl_mem memory = nullptr;  // not used where `host` is given
  char* host = nullptr;     // the host may touch the bytes here without a command
  uint64_t base = 0;        // the offset in the root buffer of the byte that `host` points to

  char* at(uint64_t offset) const { return host + (offset - base); }
};

// Done when it returns, for every queue of either device. Offsets are the root buffer's.
cl_int copy_bytes_of(const BytesAt& from, const BytesAt& to, const ByteRanges& ranges);

// The same. If a device is lost from whose memory the bytes come, nothing is overwritten: what is there may
// be needed to compute them again. So they come by way of the host. `begun`: something may be overwritten.
cl_int copy_or_nothing(const BytesAt& from, const BytesAt& to, const ByteRanges& ranges, bool& begun);

}  // namespace mkmd
