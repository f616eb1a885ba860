// SPDX-License-Identifier: Apache-2.0
// The host's time, for tests of one thread: it stands until somebody waits, and then goes on to what the wait
// is for. A program that links virtual_time.cpp has no other clock.
#pragma once

#include <CL/cl.h>

#include <functional>

namespace mkmd::virtual_time {

cl_ulong now();  // nanoseconds
void reset();    // to where it begins
void advance_to(cl_ulong instant);

// Lets what ends next end, by that instant; false: nothing does. Called while somebody waits.
extern std::function<bool(cl_ulong until)> let_pass;

}  // namespace mkmd::virtual_time
