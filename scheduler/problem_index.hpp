// SPDX-License-Identifier: Apache-2.0
// ProblemIndex: the tables that every policy, bound and check derives from a Problem. It says who feeds
// whom, and has a topological order, memories numbered from 0, transfer times, and the *items*. An item is
// what one task produces under one buffer name. It is what transfers move and what pieces need in their
// memory.
#pragma once

#include "scheduler/problem.hpp"

#include <span>

namespace mkmd::scheduler {

struct Item {
  int producer = 0;
  double bytes = 0;  // 0: only an order, nothing moves
  const std::string* buffer = nullptr;
};

struct Input {  // an edge seen from its consumer
  int src = 0;
  int item = 0;
  bool row = false;
  double bytes = 0;
};

struct Output {  // an edge seen from its producer
  int dst = 0;
  int item = 0;
  bool row = false;
  double bytes = 0;
};

// A range of an item that is in a memory from some time on.
struct Slice {
  int mem = 0;
  double lo = 0, hi = 1;
  double at = 0;
};

// Of the platform alone.
class PlatformIndex {
public:
  int device_count() const { return static_cast<int>(memory_of_.size()); }
  int memory_count() const { return static_cast<int>(memory_ids_.size()); }

  int memory_of(int device) const { return memory_of_[device]; }
  int memory_id(int memory) const { return memory_ids_[memory]; }
  int memory_index(int id) const;  // -1 when no device has it

  double launch(int device) const { return launch_[device]; }
  double latency(int src, int dst) const { return lat_[static_cast<size_t>(src) * memory_count() + dst]; }
  double per_byte(int src, int dst) const {
    return per_byte_[static_cast<size_t>(src) * memory_count() + dst];
  }
  double transfer_time(int src, int dst, double bytes) const {
    return latency(src, dst) + bytes * per_byte(src, dst);
  }

protected:
  explicit PlatformIndex(const Platform& platform);

private:
  std::vector<int> memory_ids_, memory_of_;
  std::vector<double> launch_, lat_, per_byte_;
};

// Of the graph alone.
class GraphIndex {
public:
  const Task& task(int t) const { return graph_->tasks[t]; }
  int task_count() const { return static_cast<int>(graph_->tasks.size()); }
  int item_count() const { return static_cast<int>(items_.size()); }

  std::span<const Input> inputs(int t) const { return range(inputs_, input_begin_, t); }
  std::span<const Output> outputs(int t) const { return range(outputs_, output_begin_, t); }
  std::span<const int> produced(int t) const { return range(produced_, produced_begin_, t); }
  std::span<const int> order() const { return order_; }  // topological, lowest index first
  const Item& item(int i) const { return items_[i]; }

protected:
  explicit GraphIndex(const TaskGraph& graph) : graph_(&graph) { index_items(); }
  Status index_order();

  template <typename T>
  static std::span<const T> range(const std::vector<T>& all, const std::vector<int>& begin, int i) {
    return std::span<const T>(all).subspan(begin[i], begin[i + 1] - begin[i]);
  }

private:
  void index_items();

  const TaskGraph* graph_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<int> input_begin_, output_begin_, produced_, produced_begin_, order_;
  std::vector<Item> items_;
};

class ProblemIndex : public PlatformIndex, public GraphIndex {
public:
  // The problem must outlive its index.
  static Result<ProblemIndex> make(const Problem& problem);

  const Problem& problem() const { return *problem_; }

  // Seconds of the whole task, alone; kNever where it may not run (pinned elsewhere or impossible).
  double time(int t, int d) const { return times_[static_cast<size_t>(t) * device_count() + d]; }
  bool eligible(int t, int d) const { return time(t, d) != kNever; }
  double duration(int t, int d, double share) const {
    const double whole = time(t, d);
    return whole == 0 ? 0 : share * whole + launch(d);
  }

  // What several devices share of a memory, in bytes/s; 0: nothing they could feel.
  bool shares_bandwidth() const { return !shared_.empty(); }
  double shared_bandwidth(int mem) const { return shared_.empty() ? 0 : shared_[mem]; }
  double bandwidth_limit(int t, int d) const {
    return shared_.empty() || task(t).bytes == 0 ? 0 : shared_[memory_of(d)];
  }
  // How many times as long a piece of the task takes on the device while pieces of the task also run on
  // `others`. Together those in its memory get bw_all. `others` may name the device itself, and any device
  // twice.
  double slowdown(int t, int d, std::span<const int> others) const;
  // Whether a piece on the device would get bandwidth that pieces on the others leave unused.
  bool gains_bandwidth(int t, int d, std::span<const int> others) const;
  double mean_time(int t) const { return mean_times_[t]; }  // over the devices that may run it

  std::span<const Slice> resident(int item) const;  // memories are indices here

  // Whether t is a source: it has no inputs and takes no time wherever it may run.
  bool is_source(int t) const;

  // `share` moved to the nearest cut the task allows, within [0, 1].
  double snap(int t, double share) const;

private:
  explicit ProblemIndex(const Problem& problem)
      : PlatformIndex(problem.platform), GraphIndex(problem.graph), problem_(&problem) {}
  std::vector<double> share_memories();
  void index_times(const std::vector<double>& alone);
  void index_resident();
  double demand(int t, int mem, std::span<const int> devices, int also) const;

  const Problem* problem_;
  std::vector<double> times_, mean_times_;
  std::vector<double> shared_;  // by memory: bw_all where several devices share it, else 0; often empty
  std::vector<Slice> resident_slices_;
  std::vector<int> resident_begin_;
};

}  // namespace mkmd::scheduler
