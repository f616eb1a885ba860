// SPDX-License-Identifier: Apache-2.0
// What MKMD has learned of the kernels of one source, kept for the program's next run. These are measured
// times per device and shape, outcomes of windows, and what is left of the exploring budget. This file has
// values and their text. LearnedFiles reads and writes files.
#pragma once

#include "common/status.hpp"
#include "libinterpose/timing/profitability.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mkmd::timing {

// Of a kernel on a device. The correction is the logarithm of measured over estimated time.
struct LearnedTime {
  // Averages at first, then follows slowly. One outlier (a preempted core) moves it by at most a factor of
  // two.
  void note(double measured);

  double correction = 0;
  int samples = 0;
};

struct LearnedKernel {
  std::vector<LearnedTime> devices;                     // over all launches
  std::map<uint64_t, std::vector<LearnedTime>> shapes;  // by device
  KernelHistory::Kept history;
  double gain = 0;  // seconds that launches of the last run gain by the code for pieces (KernelModel)
};

struct LearnedSource {
  int runs = 0;       // that have taught this
  double left = 0;    // seconds of the exploring budget
  double saved = 0;   // the same, for making the code for pieces
  double making = 0;  // seconds that this takes; 0: not known
  std::map<std::string, LearnedKernel> kernels;
};

// What the code for pieces is expected to gain in the next run, as in the last one. Seconds.
double gain_of(const LearnedSource& source);

// A program that changes a scalar on every launch must not grow us. Known are so many shapes of each kernel.
inline constexpr size_t kShapesKept = 256;
// Nor must the files fill a disk. Kept are the shapes of each kernel with the most samples, and so many
// kernels of a source.
inline constexpr size_t kShapesToKeep = 64;
inline constexpr size_t kKernelsToKeep = 256;
// Longer ones were not written by us.
inline constexpr uint64_t kMostLearnedBytes = uint64_t{16} << 20;

inline constexpr int kLearnedFormat = 4;  // raise it when what is kept changes meaning

// `of`: what it holds for (LearnedFiles). It is in the text, since names of files are only hashes.
std::string to_text(const LearnedSource& source, const std::string& of);
// An error says what is wrong in one line.
Result<LearnedSource> learned_from(std::string_view text, const std::string& of, size_t devices);

// Every so many runs, devices with rivals are measured again. They may have been measured while the machine
// was busy, and within a run a rival that is clearly slower is not tried again.
inline constexpr int kRunsPerMeasurement = 16;
void forget_rivals(LearnedSource& source, const std::vector<int>& teams);

}  // namespace mkmd::timing
