// SPDX-License-Identifier: Apache-2.0
// Which helper devices give trouble. What they fail at is done at home instead; one that fails again and
// again is left out of later plans, in all contexts of the process.
#pragma once

#include <CL/cl.h>

#include <cstddef>

namespace mkmd {

class Lane;

// Something for this lane has failed: counts against its helper device, if it has one.
void note_trouble(const Lane& lane, const char* what, cl_int status);

bool left_out(int device);  // by index, as in Process::lane_device
bool any_left_out();
bool helpers_left();  // besides home, or besides one part of it

}  // namespace mkmd
