// SPDX-License-Identifier: Apache-2.0
// What a trace says once it is added up: who was busy, how good the predictions were, what stayed whole and
// why. It also has the rows of bars that every picture of the trace draws. Start with analyse().
#pragma once

#include "tools/inspect/trace_file.hpp"

#include <string>
#include <vector>

namespace mkmd::inspect {

struct WindowTimes {
  double start = 0, end = 0;  // first start and last end of what the window's commands did
  bool complete = false;      // every work-group of every kernel is in the trace
  double measured() const { return end - start; }
};

// A piece that was predicted to take another time than it took.
struct Prediction {
  size_t piece = 0;
  double predicted = 0, measured = 0;
  double ratio() const { return measured / predicted; }
};

// Launches of a kernel that were not split, for one reason.
struct WholeKernel {
  std::string name, why;
  int line = 0;
  uint64_t launches = 0;
  bool native = false;  // straight to the home's queue
  double seconds = 0;   // that its measured launches took; 0: none was measured
};

enum class BarKind { piece, memory_command, transfer };

struct Bar {
  double start = 0, end = 0;
  BarKind kind = BarKind::piece;
  size_t index = 0;  // in the trace's list of that kind
  int colour = 0;    // of pieces: index in Analysis::kernels; of others -1
};

// A device, or a link between two memories.
struct Row {
  std::string label;
  bool is_link = false;
  std::vector<Bar> bars;  // by start
  double busy = 0;        // seconds with at least one bar
};

struct Analysis {
  std::vector<Row> rows;             // devices in order, then links
  std::vector<std::string> kernels;  // that have pieces, by total time, longest first
  std::vector<double> kernel_seconds;
  std::vector<WindowTimes> windows;
  std::vector<double> busy;  // seconds, by device; that of a part with what the whole ran
  double active = 0;         // seconds in which a window's work was under way
  double end = 0;            // of the last bar
  double predicted = 0;      // makespans of the complete windows, added up
  double measured = 0;       // seconds in which complete windows were under way
  double idle_share = 0;     // of devices × active
  double bytes_moved = 0;
  double planning_seconds = 0;
  std::vector<Prediction> predictions;  // by piece
  std::vector<Prediction> worst;        // at most one per kernel and device, worst first; none below 20 µs
  std::vector<WholeKernel> whole;       // most seconds first
};

Analysis analyse(const Trace& trace);

// Seconds the piece was predicted to take between its start and end. They are its share of the kernel's
// time, without the fixed cost of a launch, which comes before.
double predicted_seconds(const Trace& trace, const Piece& piece);

std::string memory_name(const Trace& trace, int memory);

// "1.25 ms", "3.1 MB": three digits that mean something.
std::string time_text(double seconds);
std::string bytes_text(double bytes);
std::string percent_text(double share);

}  // namespace mkmd::inspect
