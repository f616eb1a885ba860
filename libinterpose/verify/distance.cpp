// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/distance.hpp"

#include <algorithm>
#include <cstring>

namespace mkmd::verify {

namespace {

// Bytes of the floating-point numbers an argument of this type points to; 0: it does not.
size_t float_bytes(const std::string& type) {
  if (type.find('*') == std::string::npos) return 0;
  for (const auto& [name, bytes] : {std::pair{"double", 8}, {"float", 4}, {"half", 2}}) {
    if (type.find(name) != std::string::npos) return static_cast<size_t>(bytes);
  }
  return 0;
}

// A number's place among all of its width, in order.
struct Place {
  int64_t place = 0;
  bool is_nan = false;
};

Place place_of(const unsigned char* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  const uint64_t sign = uint64_t{1} << (8 * size - 1);
  const uint64_t infinity = size == 8 ? 0x7ff0000000000000u : size == 4 ? 0x7f800000u : 0x7c00u;
  const auto magnitude = static_cast<int64_t>(word & ~sign);
  return {(word & sign) != 0 ? -magnitude : magnitude, (word & ~sign) > infinity};
}

}  // namespace

bool has_floats(const compiler::KernelInfo& info) {
  return std::ranges::any_of(info.arguments, [](const compiler::Argument& a) {
    return a.type.find("float") != std::string::npos || a.type.find("double") != std::string::npos ||
           a.type.find("half") != std::string::npos;
  });
}

void Distance::take(const Distance& other) {
  ulps = std::max(ulps, other.ulps);
  nans = std::max(nans, other.nans);
  bytes = std::max(bytes, other.bytes);
}

Distance distance_between(const Images& a, const Images& b, const DescribedLaunch& launch) {
  Distance distance;
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const Scratch::Buffer& buffer = launch.buffers[i];
    ByteRanges left = differing(a[i].data(), b[i].data(), {0, a[i].size()});
    for (size_t n = 0; n < launch.arguments.size() && !left.empty(); ++n) {
      const KernelArgument& argument = launch.arguments[n];
      const Ref<Memory>& memory = argument.memory;
      if (argument.kind != KernelArgument::Kind::memory || !memory || memory->root() != buffer.root) continue;
      const size_t bytes = float_bytes(launch.info.arguments[n].type);
      if (bytes == 0) continue;
      const uint64_t begin = memory->origin + buffer.shift;
      for (uint64_t at = begin; at + bytes <= begin + memory->size; at += bytes) {
        const Place x = place_of(a[i].data() + at, bytes);
        const Place y = place_of(b[i].data() + at, bytes);
        if (x.is_nan || y.is_nan) {
          distance.nans += x.is_nan != y.is_nan ? 1 : 0;
          continue;
        }
        const uint64_t apart = x.place < y.place
                                   ? static_cast<uint64_t>(y.place) - static_cast<uint64_t>(x.place)
                                   : static_cast<uint64_t>(x.place) - static_cast<uint64_t>(y.place);
        distance.ulps = std::max(distance.ulps, apart);
      }
      left.subtract({begin, begin + memory->size});
    }
    distance.bytes += left.total();
  }
  return distance;
}

}  // namespace mkmd::verify
