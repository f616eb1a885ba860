// SPDX-License-Identifier: Apache-2.0
// Numbers that are counted over all contexts of a process. They make a trace unambiguous. What drivers keep
// on disk can be found again by them. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mkmd {

class Numbers {
public:
  uint64_t next_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed); }  // of commands
  uint64_t next_buffer() { return buffer_.fetch_add(1, std::memory_order_relaxed); }      // never 0

private:
  friend class LiveNumber;

  std::atomic<uint64_t> sequence_{0};
  std::atomic<uint64_t> buffer_{1};
  Mutex mutex_;
  std::vector<bool> live_ GUARDED_BY(mutex_);
};

// A number that no other living object has, the lowest there is. So the next run finds what drivers keep on
// disk for the copies of this one.
class LiveNumber {
public:
  explicit LiveNumber(Numbers& numbers);
  ~LiveNumber();
  LiveNumber(const LiveNumber&) = delete;
  LiveNumber& operator=(const LiveNumber&) = delete;

  size_t value() const { return value_; }

private:
  Numbers& numbers_;
  size_t value_;
};

}  // namespace mkmd
