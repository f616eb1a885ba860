// SPDX-License-Identifier: Apache-2.0
// BytePartition: bytes from 0 on, each of which has a state. Those of equal states are one part, wherever
// they lie: there are as many parts as different states, not as there are ranges.
#pragma once

#include "common/byte_ranges.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace mkmd {

template <typename State>
class BytePartition {
public:
  struct Part {
    ByteRanges bytes;
    State state;
  };

  BytePartition(uint64_t size, State state) : size_(size), parts_{{ByteRanges(0, size), std::move(state)}} {}

  const std::vector<Part>& parts() const { return parts_; }
  ByteRanges all() const { return {0, size_}; }

  // The states that any of the bytes have: visit(State&), which changes nothing that tells states apart.
  template <typename Visit>
  void visit(const ByteRanges& bytes, Visit&& visit) {
    for (Part& part : parts_) {
      if (part.bytes.overlaps(bytes)) visit(part.state);
    }
  }

  // The state of these bytes, and of no others: change(State&).
  template <typename Change>
  void change(const ByteRanges& bytes, Change&& change) {
    std::vector<Part> changed;
    for (size_t i = 0; i < parts_.size();) {
      Part& part = parts_[i];
      ByteRanges common = part.bytes.intersection(bytes);
      if (common.empty()) {
        ++i;
        continue;
      }
      part.bytes.subtract(common);
      changed.push_back({std::move(common), part.state});
      change(changed.back().state);
      if (part.bytes.empty()) {
        part = std::move(parts_.back());
        parts_.pop_back();
      } else {
        ++i;
      }
    }
    for (Part& part : changed)
      add(std::move(part));
  }

private:
  void add(Part&& added) {
    for (Part& part : parts_) {
      if (part.state == added.state) return part.bytes.unite(added.bytes);
    }
    parts_.push_back(std::move(added));
  }

  uint64_t size_;
  std::vector<Part> parts_;
};

}  // namespace mkmd
