// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mkmd {

// Whether drivers may be without compilers from now on; see at_exit.cpp. The user counts as of the first
// call.
bool may_only_repeat();

}  // namespace mkmd
