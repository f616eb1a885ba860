// SPDX-License-Identifier: Apache-2.0
// What a policy answers: which device runs which share of which task when, and which bytes move when. Plain
// values; a schedule may cut a task into pieces and move slices of buffers. scheduler/validator.hpp says what
// makes it valid.
//
// Two things happen in the papers' models alone, and so under `mkmd simulate` alone. A task is restarted
// elsewhere, and the run that was given up is kept as aborted. Partial results are merged. The library does
// neither: it executes the entries, each once, in the order of their starts, and pieces write in place.
#pragma once

#include <string>
#include <vector>

namespace mkmd::scheduler {

struct Entry {
  int task = 0, device = 0;
  double start = 0, end = 0;
  double lo = 0, hi = 1;  // the share of the task's work-groups
};

struct Transfer {
  std::string buffer;
  int producer = -1;             // the task whose result moves; several may write a buffer of one name
  int src_mem = 0, dst_mem = 0;  // memory ids
  double start = 0, end = 0;
  double bytes = 0;
  double lo = 0, hi = 1;
};

// A stretch of a device's time in the model: an aborted run of a task, or the merging of its partial results.
struct Occupation {
  int task = 0, device = 0;
  double start = 0, end = 0;
};

struct Schedule {
  std::string algorithm;
  // As in one in-order queue: no two of these happen at a time, and none is to be begun early.
  bool in_order = false;
  std::vector<Entry> entries;
  std::vector<Transfer> transfers;
  std::vector<Occupation> aborted;
  std::vector<Occupation> merges;

  double makespan() const {
    double last = 0;
    for (const Entry& e : entries)
      last = last < e.end ? e.end : last;
    for (const Transfer& t : transfers)
      last = last < t.end ? t.end : last;
    for (const Occupation& m : merges)
      last = last < m.end ? m.end : last;
    return last;
  }
};

}  // namespace mkmd::scheduler
