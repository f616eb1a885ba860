// SPDX-License-Identifier: Apache-2.0
// h-ratio, d-rank, ad-part, hratio-part and dmdar. Ready tasks in a central queue are dispatched by
// priority to the device that would finish them first. Devices have queues of their own, and inputs travel
// while tasks wait there. The first three are from "Task Mapping in Heterogeneous Embedded Systems for Fast
// Completion Time", the fourth from its journal extension. dmdar is StarPU's scheduler as those papers
// describe it.
#pragma once

#include "scheduler/online_policy.hpp"

#include <deque>

namespace mkmd::scheduler {

enum class MappingOrder {
  heterogeneity,  // largest ratio of the slowest to the fastest time first
  structure,      // largest mean time plus heaviest successor first (one level deep, as printed)
  arrival,        // in the order they became ready
};

struct MappingParameters {
  std::string_view name = "h-ratio";
  MappingOrder order = MappingOrder::heterogeneity;
  int threshold = -1;      // dispatch while fewer tasks are on devices; -1: twice the devices; 0: no limit
  bool power_law = false;  // transfers predicted as a D^b + c instead of the slowest predecessor's
  double a = 0, b = 1, c = 0;  // a = 0: seconds per byte and latency of the platform
  double part_above = 0;       // seconds: divisible tasks predicted to take longer are partitioned; 0: never
  int blocks = 4;              // into how many pieces
  bool data_first = false;     // a free device takes what has its data, not what came first
};

class MappingQueue : public OnlinePolicy {
public:
  explicit MappingQueue(const MappingParameters& parameters) : parameters_(parameters) {}

  std::string_view name() const override { return parameters_.name; }
  void begin(const OnlineState& state) override;
  void ready(int task, const OnlineState& state) override;
  void lost(const OnlinePiece& piece, int device, const OnlineState& state) override;
  size_t pick(int device, const OnlineState& state) override;
  std::optional<Work> next(const OnlineState& state) override;

private:
  struct Waiting {
    int task = 0;
    double lo = 0, hi = 1;
  };
  void push(const Waiting& waiting);
  void partition(const OnlineState& state);
  double transfer_time(const Waiting& w, int device, const OnlineState& state) const;

  const MappingParameters parameters_;
  std::vector<double> priority_;
  std::deque<Waiting> queue_;  // highest priority first
  int threshold_ = 0;
  double per_byte_ = 0, latency_ = 0;
};

// max over devices of time / time on the device: how much a task gains from its favourite device.
double heterogeneity_ratio(const ProblemIndex& index, int task);

// Mean time, plus the heaviest successor's mean time with the mean time to reach it.
double structure_rank(const ProblemIndex& index, int task);

}  // namespace mkmd::scheduler
