// SPDX-License-Identifier: Apache-2.0
// Transfers in profiling mode: copies of many sizes between the host and each device's memory, both ways.
// Their samples and models are kept as those of kernels, under the names below. A model is a·D^b + c or a
// line, whichever predicts other sizes better.
#pragma once

#include "models/model.hpp"

#include <functional>
#include <string>

#include <CL/cl.h>

namespace mkmd {

// No kernel can be called so.
inline constexpr const char* kCopyIn = "copy to the device";
inline constexpr const char* kCopyOut = "copy from the device";

// A copy of so many bytes, as a model sees it.
models::Work work_of_copy(double bytes);

// `queue` is of the device whose copies are measured; `record` gets every sample. What cannot be measured is
// left out.
void profile_transfers(cl_command_queue queue,
                       const std::function<void(const char* name, const models::Sample&)>& record);

}  // namespace mkmd
