// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace mkmd {

// The process has begun to exit, as far as we are concerned: our threads are parked, and who waits does their
// work.
inline std::atomic<bool> process_exiting{false};

}  // namespace mkmd
