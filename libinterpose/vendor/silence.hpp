// SPDX-License-Identifier: Apache-2.0
// Devices that do not answer, although their driver says that they can be used. With one server of
// PoCL-Remote others may end their sessions, and nobody tells the client. Thread-safe.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <vector>

namespace mkmd::vendor {

// The devices in use, before anything waits for them.
void set_in_use(std::vector<cl_device_id> devices);

// The driver has lost another device in use, and a call that has to reach this one has no answer. Waits for
// one, but not for ever.
bool is_silent(cl_device_id device);
// The same of what the queue's context is for, which may be a part of the queue's device.
bool is_silent(cl_command_queue queue);

// Releases a memory object of a device that may be lost: the driver may wait for the device's answer.
void release_patiently(Owned<cl_mem> memory);

// From now on nothing of these drivers is released.
void never_release(const std::vector<const cl_icd_dispatch*>& drivers);

}  // namespace mkmd::vendor
