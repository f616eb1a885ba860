// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/command_buffer.hpp"

namespace mkmd::api {
void* command_buffer_function(const char*) {
  return nullptr;
}
}  // namespace mkmd::api
