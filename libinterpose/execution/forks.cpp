// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/forks.hpp"

#include "libinterpose/objects/objects.hpp"

#include <chrono>

namespace mkmd {

void close(Executor& executor) {
  {
    const Lock lock(executor.mutex());
    executor.gate().close();
  }
  wait_until_left(executor);
}

void wait_until_left(Executor& executor) {
  constexpr std::chrono::seconds kLongest{2};
  Lock lock(executor.mutex());
  executor.gate().wait_until_left(lock, kLongest);
}

void open(Executor& executor) {
  const Lock lock(executor.mutex());
  executor.gate().open();
  executor.pump();
}

}  // namespace mkmd
