// SPDX-License-Identifier: Apache-2.0
// A Record notes everything a planner is given and what it decides, so that it can decide again elsewhere
// (replay.hpp). The JSON is the `planned` of docs/trace.md.
#pragma once

#include "libinterpose/planning/cuts.hpp"
#include "libinterpose/planning/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <deque>
#include <set>

namespace mkmd::planning {

nlohmann::json to_json(const ByteRanges& ranges);  // blocks: [lo, length] or [lo, length, pitch, count]
nlohmann::json to_json(const Plan& plan);          // what was decided of each task

class Record {
public:
  // All must outlive it.
  Record(const Machine& machine, const BufferOf& buffer_of, const CutMemory& cuts, Purpose purpose);
  Record(const Record&) = delete;

  // What the planner is to be given instead.
  const Machine& machine() const { return machine_; }
  const BufferOf& buffer_of() const { return watched_; }
  Task watch(Task task);

  nlohmann::json finish(const Plan& plan, bool complete) const;

private:
  struct Answer {
    compiler::GroupBox box;
    size_t most_blocks;
    BufferUses uses;
  };
  struct WatchedTask {
    Task task;
    std::vector<Answer> answers;
  };
  struct WatchedBuffer final : Residency {
    Buffer buffer;
    mutable std::map<int, ByteRanges> valid_in;
    mutable std::vector<std::pair<ByteRanges, bool>> suited;
    mutable std::set<int> of_home;  // domains other than home's, among those asked for

    ByteRanges valid(int domain) const override;
    bool suits(const ByteRanges& ranges) const override;
    bool is_home(int domain) const override;
  };
  struct Copy {
    int from, to;
    double bytes, seconds;
  };

  Buffer watch(Memory* root);
  nlohmann::json to_json(const WatchedTask& watched) const;
  nlohmann::json to_json(const BufferUses& uses) const;

  const BufferOf& buffer_of_;
  const CutMemory& cuts_;
  const Purpose purpose_;
  Machine machine_;
  const BufferOf watched_;
  CutMemory cuts_before_;
  std::set<uint64_t> kernels_;
  std::deque<WatchedTask> tasks_;
  std::map<Memory*, WatchedBuffer> buffers_;
  std::vector<Copy> copies_;
};

}  // namespace mkmd::planning
