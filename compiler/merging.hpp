// SPDX-License-Identifier: Apache-2.0
// Pieces that update the same numbers, each in a copy of its own: what they make together.
#pragma once

#include "compiler/footprint.hpp"

namespace mkmd::compiler {

// The number that such updates of any other one leave as it is, as bytes. A copy that begins with it holds
// afterwards what the updates of its piece do to any number. Of a store it is the number that differs in each
// bit: where a copy still holds it, nothing was stored.
std::vector<unsigned char> identity(const Update& update);

// Does to `merged` what a piece has done to `before`, when that became `after`. `updated` holds whole
// numbers. The same for one update and so many bytes, of a copy that began with identity().
void merge(const Updated& updated, const unsigned char* before, const unsigned char* after,
           unsigned char* merged);
void merge(const Update& update, const unsigned char* after, unsigned char* merged, uint64_t bytes);

// No number lies in the set by a part.
bool has_whole_numbers(const Updated& updated);

}  // namespace mkmd::compiler
