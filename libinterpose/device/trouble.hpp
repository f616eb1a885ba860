// SPDX-License-Identifier: Apache-2.0
// Counts failures of helper devices. A device that has failed three times is left out of later plans, in all
// contexts of the process. So is a device that is lost, with the memory that it had.
// Thread-safe.
#pragma once

#include "libinterpose/setup/configuration.hpp"

#include <array>
#include <atomic>

namespace mkmd {

class Lane;

class Trouble {
public:
  explicit Trouble(const Configuration& configuration) : configuration_(configuration) {}

  // An action or call on this lane has failed. Counts for its helper device, if it has one.
  void note(const Lane& lane, const char* what, cl_int status);

  // Asks the driver whether the devices of a memory are there, if they may be lost.
  void look(int domain);
  void look_at_suspects();  // the same for all memories whose devices have failed since the last look
  void lose(int domain, const char* why);  // does nothing where the devices cannot be lost
  bool is_lost(int domain) const { return (lost_.load(std::memory_order_acquire) >> domain & 1u) != 0; }

  bool left_out(int device) const;  // by index, as in Configuration::lane_device
  bool any_left_out() const { return left_out_count_.load(std::memory_order_relaxed) > 0; }
  bool helpers_left() const;  // at least two devices are not left out

private:
  int device_of(const Lane& lane) const;
  bool may_be_lost(int device) const;

  static constexpr size_t kDevices = 64;

  const Configuration& configuration_;
  std::array<std::atomic<int>, kDevices> failures_{};
  std::atomic<int> left_out_count_{0};
  std::atomic<uint32_t> suspects_{0};  // memories, one bit each
  std::atomic<uint32_t> lost_{0};
};

}  // namespace mkmd
