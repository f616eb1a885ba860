// SPDX-License-Identifier: Apache-2.0
// Two handles of platforms or drivers that tests never call: their addresses differ, and that is all.
#pragma once

namespace mkmd::vendor {

inline const int one = 0, other = 0;

}  // namespace mkmd::vendor
