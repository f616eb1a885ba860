// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/stand_in.hpp"

#include <cstring>

namespace mkmd {

ByteRanges StandIn::held(int domain, const ByteRanges& among) const {
  const Lock lock(mutex_);
  const auto kept = kept_.find(domain);
  return kept == kept_.end() ? ByteRanges() : kept->second.held.intersection(among);
}

void StandIn::keep(int domain, ByteRange range, const unsigned char* bytes) {
  const Lock lock(mutex_);
  Kept& kept = kept_[domain];
  kept.bytes.resize(size_);
  std::memcpy(kept.bytes.data() + range.lo, bytes, range.hi - range.lo);
  kept.held.unite({range.lo, range.hi});
  used_.store(true);
}

void StandIn::give(int domain, ByteRange range, unsigned char* to) const {
  const Lock lock(mutex_);
  const auto kept = kept_.find(domain);
  if (kept == kept_.end()) return;
  kept->second.held.intersection({range.lo, range.hi}).each_range([&](const ByteRange& r) {
    std::memcpy(to + (r.lo - range.lo), kept->second.bytes.data() + r.lo, r.hi - r.lo);
  });
}

void StandIn::drop(int domain, const ByteRanges& ranges) {
  if (!used_.load()) return;
  const Lock lock(mutex_);
  if (const auto kept = kept_.find(domain); kept != kept_.end()) kept->second.held.subtract(ranges);
}

}  // namespace mkmd
