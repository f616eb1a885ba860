// SPDX-License-Identifier: Apache-2.0
// The one hash function, XXH3. It is not cryptographic: where two contents must not be taken for one although
// somebody wants them to be, compare the contents.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mkmd {

// 128 bits. Stays what it is: files and the store of samples are named by it.
using Hash = std::array<uint64_t, 2>;
// Another seed gives a hash that has nothing to do with it.
Hash hash_of(std::string_view bytes, uint64_t seed = 0);
std::string hex(const Hash& hash);

uint64_t short_hash_of(std::string_view bytes);
// Of what `hash` is of, and of the value after it.
uint64_t mix(uint64_t hash, uint64_t value);

}  // namespace mkmd
