// SPDX-License-Identifier: Apache-2.0
// StandIn: bytes of one buffer that belong into the memory of a device which would not take them. The host
// keeps them instead. Who needs them in that memory finds them here. Thread-safe.
#pragma once

#include "common/byte_ranges.hpp"
#include "common/thread_annotations.hpp"

#include <atomic>
#include <map>
#include <vector>

namespace mkmd {

class StandIn {
public:
  explicit StandIn(uint64_t size) : size_(size) {}

  ByteRanges held(int domain, const ByteRanges& among) const;
  bool holds(int domain, const ByteRanges& among) const {
    return used_.load() && !held(domain, among).empty();
  }
  void keep(int domain, ByteRange range, const unsigned char* bytes);
  // What it holds of the range, to where the range's first byte lies at `to`.
  void give(int domain, ByteRange range, unsigned char* to) const;
  void drop(int domain, const ByteRanges& ranges);  // the device has taken later ones

private:
  struct Kept {
    ByteRanges held;
    std::vector<unsigned char> bytes;
  };
  const uint64_t size_;
  std::atomic<bool> used_{false};
  mutable Mutex mutex_;
  std::map<int, Kept> kept_ GUARDED_BY(mutex_);  // by domain
};

}  // namespace mkmd
