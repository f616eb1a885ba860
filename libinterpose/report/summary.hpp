// SPDX-License-Identifier: Apache-2.0
// What a process did, in numbers: work-groups and busy seconds per device, bytes moved between memories,
// kernels split and whole. Written as JSON at exit if MKMD_SUMMARY names a file. Thread-safe.
#pragma once

#include "libinterpose/setup/configuration.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace mkmd {

class Summary {
public:
  explicit Summary(const Configuration& configuration)
      : configuration_(configuration), devices_(new Device[configuration.lane_count()]) {}

  void add_piece(int device, uint64_t groups, double seconds);
  void add_kernel(bool split) { (split ? split_ : whole_).fetch_add(1, std::memory_order_relaxed); }
  void add_bytes_moved(uint64_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  void write() const;  // at exit

private:
  struct Device {
    std::atomic<uint64_t> groups{0};
    std::atomic<uint64_t> nanoseconds{0};
  };

  const Configuration& configuration_;
  const std::unique_ptr<Device[]> devices_;  // by lane
  std::atomic<uint64_t> split_{0};
  std::atomic<uint64_t> whole_{0};
  std::atomic<uint64_t> bytes_{0};
};

}  // namespace mkmd
