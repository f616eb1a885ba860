// SPDX-License-Identifier: Apache-2.0
// A fork comes between close() and open(). A child has none of its parent's other threads. A driver may wait
// for them, when the child exits, if they were in the driver.
#pragma once

#include "libinterpose/execution/executor.hpp"

namespace mkmd {

// The executor's threads call no driver from now on. Waits for those that are in one.
void close(Executor& executor);
// Waits again, at most two seconds: work that kept a thread in a driver is over now.
void wait_until_left(Executor& executor);
void open(Executor& executor);  // once for each close()

}  // namespace mkmd
