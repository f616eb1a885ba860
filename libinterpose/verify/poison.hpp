// SPDX-License-Identifier: Apache-2.0
// Poison: what fills the bytes that a piece is not described to need. There are two patterns of eight
// bytes, which differ in every byte. What is poison under both was never written. What differs between them
// depends on poison.
#pragma once

#include "common/byte_ranges.hpp"

namespace mkmd::verify {

// `small`: integers of any width are 0 or 1, so that an index read from poison stays near. `mixed`: integers
// are large, floats and doubles ordinary numbers.
enum class Poison { small, mixed };

unsigned char poison_at(Poison poison, uint64_t offset);

// Bytes [lo, hi) of `image`, whose offset 0 has the pattern's first byte.
void fill(Poison poison, unsigned char* image, const ByteRanges& ranges);
void copy(const unsigned char* from, unsigned char* image, const ByteRanges& ranges);

// The bytes among `ranges` that are not poison, that are, or that are not those of `other`. Of very many, all
// from the first to the last.
ByteRanges not_poison(Poison poison, const unsigned char* image, const ByteRanges& ranges);
ByteRanges still_poison(Poison poison, const unsigned char* image, const ByteRanges& ranges);
ByteRanges differing(const unsigned char* image, const unsigned char* other, const ByteRanges& ranges);

}  // namespace mkmd::verify
