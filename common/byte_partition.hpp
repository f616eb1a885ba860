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
  uint64_t size() const { return size_; }
  ByteRanges all() const { return {0, size_}; }

  // The bytes whose states are such: is(const State&).
  template <typename Is>
  ByteRanges where(Is&& is) const {
    std::vector<ByteRanges> found;
    for (const Part& part : parts_) {
      if (is(part.state)) found.push_back(part.bytes);
    }
    return ByteRanges::sum(found);
  }
  template <typename Is>
  ByteRanges where(const ByteRanges& among, Is&& is) const {
    std::vector<ByteRanges> found;
    for (const Part& part : parts_) {
      if (is(part.state)) found.push_back(part.bytes.intersection(among));
    }
    return ByteRanges::sum(found);
  }

  // The states that any of the bytes have: visit(State&). What it changes holds for the other bytes of that
  // state as well; parts that become equal stay apart until they are changed.
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
      if (part.bytes.empty()) {
        changed.push_back({std::move(common), std::move(part.state)});
        if (i + 1 < parts_.size()) part = std::move(parts_.back());
        parts_.pop_back();
      } else {
        changed.push_back({std::move(common), part.state});
        ++i;
      }
      change(changed.back().state);
    }
    std::vector<std::vector<ByteRanges>> added(parts_.size());
    for (Part& part : changed) {
      size_t i = 0;
      while (i < parts_.size() && !(parts_[i].state == part.state))
        ++i;
      if (i == parts_.size()) {
        parts_.push_back({{}, std::move(part.state)});
        added.emplace_back();
      }
      added[i].push_back(std::move(part.bytes));
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (added[i].empty()) continue;
      added[i].push_back(std::move(parts_[i].bytes));
      parts_[i].bytes = ByteRanges::sum(added[i]);
    }
  }

private:
  uint64_t size_;
  std::vector<Part> parts_;
};

}  // namespace mkmd
