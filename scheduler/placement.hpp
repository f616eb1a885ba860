// SPDX-License-Identifier: Apache-2.0
// Placement: a schedule under construction. place() puts a piece on a device. It moves the input slices
// that are missing in the device's memory: first fit on exclusive full-duplex ports, from whichever memory
// delivers first. It inserts the piece into the device's first idle stretch. mark() and rollback() take
// everything back, so a policy tries what it wants to compare and keeps the best. Shared by all static
// policies.
#pragma once

#include "scheduler/problem_index.hpp"
#include "scheduler/schedule.hpp"
#include "scheduler/timeline.hpp"

#include <string_view>

namespace mkmd::scheduler {

struct Share {  // a part of a task on a device
  int device = 0;
  double lo = 0, hi = 1;
};

class Placement {
public:
  explicit Placement(const ProblemIndex& index);

  // Which inputs a piece brings. `needed` takes only its slice of row inputs. `whole` takes whole buffers,
  // as a system must that does not know what a work-group reads.
  enum class Inputs { needed, whole };

  struct Piece {
    int task = 0, device = 0;
    double lo = 0, hi = 1;
    double start = 0, end = 0;
  };

  // Places [lo, hi) of `task`; its predecessors must be placed. Returns what was placed. `slow`: the piece
  // takes so many times its own time, because other pieces of the task use the same memory meanwhile
  // (ProblemIndex::slowdown). In any case it keeps to the bandwidth that pieces placed before leave of that
  // memory.
  Piece place(int task, int device, double lo = 0, double hi = 1, Inputs inputs = Inputs::needed,
              double not_before = 0, double slow = 1);

  // The same as the next command of an in-order queue. All commands before have ended at `now`. Its
  // transfers follow one after the other from then on, then the piece.
  Piece place_in_order(int task, int device, double now);

  // Places the shares with whole inputs. What ran outside the memory of `home` is moved there and merged on
  // `home`. So consumers see the task's results in that one memory only. Returns when the task is done.
  double place_merged(int task, int home, std::span<const Share> shares);

  // Moves a range of an item, all of it produced, to the device; returns when it is there.
  double bring_item(int item, int device, double lo, double hi, double not_before) {
    return acquire(item, lo, hi, index_->memory_of(device), not_before);
  }

  // Moves the inputs of a piece to its device without placing it; returns when they are all there.
  double bring_inputs(int task, int device, double lo, double hi, Inputs inputs = Inputs::needed,
                      double not_before = 0);

  // The results of [lo, hi) of the task are in the device's memory from then on.
  void publish_results(int task, int device, double lo, double hi, double at);

  // When all of `task` placed so far is done.
  double finish(int task) const { return finish_[task]; }
  double makespan() const;
  const Timeline& device(int d) const { return lanes_[d]; }
  Timeline& device(int d) { return lanes_[d]; }

  // Seconds that moving the row inputs of the whole task to the device would keep its in-port busy. A piece
  // adds its share of them to its start.
  double missing_row_time(int task, int device) const;

  struct Mark {
    size_t undo = 0, pieces = 0, moves = 0, merges = 0;
  };
  Mark mark() const { return {undo_.size(), pieces_.size(), moves_.size(), merges_.size()}; }
  void rollback(const Mark& mark);

  std::span<const Piece> pieces() const { return pieces_; }
  Schedule schedule(std::string_view algorithm) const;

private:
  struct Move {
    int item = 0, src = 0, dst = 0;
    double start = 0, end = 0, lo = 0, hi = 1;
  };
  struct Undo {
    enum What { lane, slice, finish } what = lane;
    int index = 0;
    double a = 0, b = 0;  // lane: start, end; finish: the value before
  };

  void reserve(int lane, double start, double end);
  void publish(int item, const Slice& slice);
  void finish_at(int task, double time);
  Timeline::Busy fit(int task, int device, double share, double ready, double slow) const;
  double acquire(int item, double lo, double hi, int mem, double not_before);
  // The slice elsewhere that would deliver all of [lo, hi) of an item to `mem` first, if it had all of it.
  // Among equals it is the one that has more of it. `Source` also says when the transfer of what it has
  // begins.
  struct Source {
    const Slice* slice;
    double begins;
  };
  Source source_of(int item, double lo, double hi, int mem, double not_before) const;
  double move(int item, int src, int dst, double lo, double hi, double ready);
  int out_port(int mem) const { return index_->device_count() + 2 * mem; }
  int in_port(int mem) const { return index_->device_count() + 2 * mem + 1; }

  const ProblemIndex* index_;
  std::vector<Timeline> lanes_;             // devices, then out- and in-port of every memory
  std::vector<std::vector<Slice>> slices_;  // by item
  std::vector<double> finish_;
  std::vector<Piece> pieces_;
  std::vector<Move> moves_;
  std::vector<Piece> merges_;
  std::vector<Undo> undo_;
};

}  // namespace mkmd::scheduler
