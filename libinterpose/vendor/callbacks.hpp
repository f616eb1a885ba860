// SPDX-License-Identifier: Apache-2.0
// When drivers call a program back.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::vendor {

// Whether the driver runs callbacks on the thread that ends a command, before it wakes those that wait.
// PoCL before 7.0 and Intel's CPU runtime do. Later versions of PoCL have a thread of their own for
// callbacks.
bool ends_callbacks_before_waits(cl_device_id device);

}  // namespace mkmd::vendor
