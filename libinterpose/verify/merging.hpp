// SPDX-License-Identifier: Apache-2.0
// Pieces that update the same numbers, each on copies of its own: what they make together.
#pragma once

#include "compiler/footprint.hpp"

namespace mkmd::verify {

// Does to `merged` what a piece has done to `before`, when that became `after`. `updated` holds whole
// numbers.
void merge(const compiler::Updated& updated, const unsigned char* before, const unsigned char* after,
           unsigned char* merged);

}  // namespace mkmd::verify
