// SPDX-License-Identifier: Apache-2.0
#include "common/hash.hpp"

#include <cinttypes>
#include <cstdio>

// Compiled in: the library that is loaded into programs needs no other one, and shows them no symbols of it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mkmd {

Hash hash_of(std::string_view bytes, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

std::string hex(const Hash& hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
  return text;
}

uint64_t short_hash_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t mix(uint64_t hash, uint64_t value) {
  return XXH3_64bits_withSeed(&value, sizeof value, hash);
}

}  // namespace mkmd
