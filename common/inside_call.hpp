// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mkmd {

// How many calls of ours this thread is inside of. A signal's handler that interrupts one finds its locks
// taken.
inline constinit thread_local int calls_under_way = 0;

class InsideCall {
public:
  InsideCall() { ++calls_under_way; }
  ~InsideCall() { --calls_under_way; }
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;
};

}  // namespace mkmd
