// SPDX-License-Identifier: Apache-2.0
// cl_khr_command_buffer: recorded commands, which always run at home.
#pragma once

namespace mkmd::api {

// The function of this name if the extension has it and the home's platform serves it, or null.
void* command_buffer_function(const char* name);

}  // namespace mkmd::api
