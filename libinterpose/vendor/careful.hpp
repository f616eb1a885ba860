// SPDX-License-Identifier: Apache-2.0
// Calls of drivers that are tried again when they fail, and then in another way. Thread-safe.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <optional>

namespace mkmd::vendor {

// Calls until it returns CL_SUCCESS, three times at most. The last status.
template <typename Call>
cl_int try_again(Call call) {
  constexpr int kTries = 3;
  cl_int status = CL_SUCCESS;
  for (int i = 0; i < kTries; ++i) {
    status = call();
    if (status == CL_SUCCESS) break;
  }
  return status;
}

// Everything on the queue is over. An error: nobody knows.
cl_int finish_carefully(cl_command_queue queue);

// What became of a command that was flushed, or is in a queue of a driver that needs none. Null: nobody
// knows, it may still be under way.
std::optional<cl_int> await_event(cl_event event, cl_command_queue queue);

// Its execution status. Null if the driver does not say.
std::optional<cl_int> status_of(cl_event event);

// What became of one that is known to be over.
cl_int end_of(cl_event event);

}  // namespace mkmd::vendor
