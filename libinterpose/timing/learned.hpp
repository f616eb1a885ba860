// SPDX-License-Identifier: Apache-2.0
// What a program has taught of the kernels of one source, kept for its next run: measured times per device
// and shape, what came of splitting, and what is left to be spent on exploring. Values and their text; who
// reads and writes files is LearnedFiles.
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
  double correction = 0;
  int samples = 0;
};

struct LearnedKernel {
  std::vector<LearnedTime> devices;                     // over all launches
  std::map<uint64_t, std::vector<LearnedTime>> shapes;  // by device
  KernelHistory::Kept outcomes;
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

// A program that changes a scalar on every launch must not fill a disk: of each kernel, the shapes with the
// most samples; and so many kernels of a source.
inline constexpr size_t kShapesToKeep = 64;
inline constexpr size_t kKernelsToKeep = 256;
// Longer ones were not written by us.
inline constexpr uint64_t kMostLearnedBytes = uint64_t{16} << 20;

inline constexpr int kLearnedFormat = 2;  // raise it when what is kept changes meaning

// `of`: what it holds for (LearnedFiles). It is in the text, since names of files are only hashes.
std::string to_text(const LearnedSource& source, const std::string& of);
// An error says what is wrong in one line.
Result<LearnedSource> learned_from(std::string_view text, const std::string& of, size_t devices);

// Every so many runs, what is known of devices with rivals is measured again: they may have been measured at
// a bad moment, and what is clearly slower is never tried again in the same run.
inline constexpr int kRunsPerMeasurement = 16;
void forget_rivals(LearnedSource& source, const std::vector<int>& teams);

}  // namespace mkmd::timing
