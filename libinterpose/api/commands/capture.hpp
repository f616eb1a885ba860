// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libinterpose/api/commands/enqueue.hpp"

#include <optional>

namespace mkmd::api {

// Gives a checked command to the context's runtime and makes the program's event. If `blocking`, waits for
// it. Nothing: the command is the vendor's after all.
std::optional<cl_int> capture(Ref<Command> command, cl_command_type type, WaitList wait_list, cl_event* event,
                              bool blocking);

}  // namespace mkmd::api
