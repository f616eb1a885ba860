// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/merging.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mkmd::verify {

namespace {

template <typename Number>
Number merged_number(compiler::Update::Kind kind, Number before, Number after, Number merged) {
  using Kind = compiler::Update::Kind;
  using Signed = std::make_signed_t<Number>;
  const auto a = static_cast<Signed>(merged);
  const auto b = static_cast<Signed>(after);
  switch (kind) {
  case Kind::none:
    break;
  case Kind::add:
    return merged + (after - before);
  case Kind::bit_and:
    return merged & after;
  case Kind::bit_or:
    return merged | after;
  case Kind::bit_xor:
    return merged ^ before ^ after;
  case Kind::smin:
    return static_cast<Number>(std::min(a, b));
  case Kind::smax:
    return static_cast<Number>(std::max(a, b));
  case Kind::umin:
    return std::min(merged, after);
  case Kind::umax:
    return std::max(merged, after);
  }
  return merged;
}

template <typename Number>
void merge_numbers(const compiler::Updated& updated, const unsigned char* before, const unsigned char* after,
                   unsigned char* merged) {
  const auto at = [](const unsigned char* bytes) {
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  };
  for (const ByteRows& rows : updated.bytes) {
    for (uint64_t row = 0; row < rows.count; ++row) {
      const uint64_t end = rows.row(row) + rows.length;
      for (uint64_t i = rows.row(row); i + sizeof(Number) <= end; i += sizeof(Number)) {
        const Number number = merged_number(updated.by.kind, at(before + i), at(after + i), at(merged + i));
        std::memcpy(merged + i, &number, sizeof number);
      }
    }
  }
}

}  // namespace

void merge(const compiler::Updated& updated, const unsigned char* before, const unsigned char* after,
           unsigned char* merged) {
  if (updated.by.bytes == 8) {
    merge_numbers<uint64_t>(updated, before, after, merged);
  } else {
    merge_numbers<uint32_t>(updated, before, after, merged);
  }
}

}  // namespace mkmd::verify
