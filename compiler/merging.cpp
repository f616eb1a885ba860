// SPDX-License-Identifier: Apache-2.0
#include "compiler/merging.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace mkmd::compiler {

namespace {

using Kind = Update::Kind;

template <typename Number>
Number identity_of(Kind kind) {
  using Limits = std::numeric_limits<Number>;
  using SignedLimits = std::numeric_limits<std::make_signed_t<Number>>;
  switch (kind) {
  case Kind::none:
  case Kind::add:
  case Kind::bit_or:
  case Kind::bit_xor:
  case Kind::umax:
  case Kind::store:
  case Kind::store_uniform:
    return 0;
  case Kind::bit_and:
  case Kind::umin:
    return Limits::max();
  case Kind::smin:
    return static_cast<Number>(SignedLimits::max());
  case Kind::smax:
    return static_cast<Number>(SignedLimits::min());
  }
  return 0;
}

template <typename Number>
Number merged_number(Kind kind, Number before, Number after, Number merged) {
  using Signed = std::make_signed_t<Number>;
  const auto a = static_cast<Signed>(merged);
  const auto b = static_cast<Signed>(after);
  switch (kind) {
  case Kind::none:
  case Kind::store:
  case Kind::store_uniform:
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
Number number_at(const unsigned char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// `before`: null where it was the identity.
template <typename Number>
void merge_numbers(Kind kind, const unsigned char* before, const unsigned char* after, unsigned char* merged,
                   uint64_t bytes) {
  const Number identity = identity_of<Number>(kind);
  for (uint64_t i = 0; i + sizeof(Number) <= bytes; i += sizeof(Number)) {
    const Number was = before != nullptr ? number_at<Number>(before + i) : identity;
    const Number number =
        merged_number(kind, was, number_at<Number>(after + i), number_at<Number>(merged + i));
    std::memcpy(merged + i, &number, sizeof number);
  }
}

// What is as it was has not been stored, or was the same number before. What has changed is taken as the
// device made it.
void merge_stored(const Update& update, const unsigned char* before, const unsigned char* after,
                  unsigned char* merged, uint64_t bytes) {
  const std::vector<unsigned char> unstored = identity(update);
  const size_t width = update.bytes;
  for (uint64_t i = 0; i + width <= bytes; i += width) {
    const unsigned char* const was = before != nullptr ? before + i : unstored.data();
    if (std::memcmp(after + i, was, width) != 0) std::memcpy(merged + i, after + i, width);
  }
}

void merge_bytes(const Update& update, const unsigned char* before, const unsigned char* after,
                 unsigned char* merged, uint64_t bytes) {
  if (update.kind == Kind::store) {
    merge_stored(update, before, after, merged, bytes);
  } else if (update.bytes == 8) {
    merge_numbers<uint64_t>(update.kind, before, after, merged, bytes);
  } else {
    merge_numbers<uint32_t>(update.kind, before, after, merged, bytes);
  }
}

}  // namespace

std::vector<unsigned char> identity(const Update& update) {
  const uint64_t number = update.kind == Kind::store ? ~update.value
                          : update.bytes == 8        ? identity_of<uint64_t>(update.kind)
                                                     : identity_of<uint32_t>(update.kind);  // little-endian
  std::vector<unsigned char> bytes(update.bytes);
  std::memcpy(bytes.data(), &number, bytes.size());
  return bytes;
}

void merge(const Updated& updated, const unsigned char* before, const unsigned char* after,
           unsigned char* merged) {
  updated.bytes.each_range([&](const ByteRange& r) {
    merge_bytes(updated.by, before + r.lo, after + r.lo, merged + r.lo, r.hi - r.lo);
  });
}

void merge(const Update& update, const unsigned char* after, unsigned char* merged, uint64_t bytes) {
  merge_bytes(update, nullptr, after, merged, bytes);
}

bool has_whole_numbers(const Updated& updated) {
  const uint64_t width = updated.by.bytes;
  return std::ranges::all_of(updated.bytes, [width](const ByteRows& rows) {
    return rows.lo % width == 0 && rows.length % width == 0 && (rows.count == 1 || rows.pitch % width == 0);
  });
}

}  // namespace mkmd::compiler
