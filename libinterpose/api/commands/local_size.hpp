// SPDX-License-Identifier: Apache-2.0
// Work-group sizes of captured launches. Where the program gave none, the size is chosen once for the whole
// range, for all pieces (Rule 12). Otherwise it is checked that the home would accept the program's.
#pragma once

#include "compiler/footprint.hpp"
#include "libinterpose/objects/objects.hpp"

namespace mkmd::api {

// Fills launch.local for a launch that has none; false if the range is left to the vendor. What the driver
// would take is taken where it says so. Elsewhere the size is ours, if it cannot show in the results.
bool choose_local_size(const Queue& queue, const Kernel& kernel, compiler::Launch& launch);

bool local_size_is_valid(const Kernel& kernel, const compiler::Launch& launch);

}  // namespace mkmd::api
