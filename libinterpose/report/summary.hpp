// SPDX-License-Identifier: Apache-2.0
// What a process did, in numbers: work-groups and busy seconds per device, bytes moved between memories,
// kernels split and whole. It also says whether that was quicker than the best single device. Written as
// JSON at exit if MKMD_SUMMARY names a file. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/report/balance.hpp"
#include "libinterpose/setup/configuration.hpp"
#include "libinterpose/setup/hardware.hpp"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mkmd {

class Summary {
public:
  // MKMD_SUMMARY is relative to the folder that the process is in now.
  explicit Summary(const Configuration& configuration);

  void add_piece(int device, uint64_t groups, double seconds);
  void add_kernel(bool split) { (split ? split_ : whole_).fetch_add(1, std::memory_order_relaxed); }
  void add_window(const Balance::Outcome& window);
  void note_exploring(double seconds) { exploring_.store(seconds, std::memory_order_relaxed); }  // so far
  void add_known(size_t kernels) { known_.fetch_add(kernels, std::memory_order_relaxed); }  // by earlier runs
  void add_bytes_moved(uint64_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  void write(const Hardware& hardware) const;  // at exit
  // At exit: one line for each device that the user named and that had next to no work, with the reason.
  void say_unused(const std::function<bool(int device)>& left_out) const;

private:
  nlohmann::json best_single() const;
  nlohmann::json exploring() const;
  std::string why_unused(size_t device) const;

  struct Device {
    std::atomic<uint64_t> groups{0};
    std::atomic<uint64_t> nanoseconds{0};
  };

  const Configuration& configuration_;
  const std::string file_;                   // empty: none is written
  const std::unique_ptr<Device[]> devices_;  // by lane
  std::atomic<uint64_t> split_{0};
  std::atomic<uint64_t> whole_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<double> exploring_{0};
  std::atomic<uint64_t> known_{0};
  mutable Mutex mutex_;
  Balance balance_ GUARDED_BY(mutex_);
};

}  // namespace mkmd
