// SPDX-License-Identifier: Apache-2.0
// The platform file of an emulated run (docs/emulation.md): a machine that is not there, and how its time is
// kept. Plain values; seconds, bytes, operations. Nothing outside this folder reads the rates: the scheduler
// and the time model learn them from what runs.
#pragma once

#include "common/status.hpp"
#include "platform/platform.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mkmd::emulation {

// What bounds a kernel whose arithmetic does not (see kernel_time.hpp for how a launch gets one).
enum class Bound { bytes, bytes_rows, bytes_tiles };

struct EventSpec {
  enum class Kind { slows, fails, has };
  double at = 0;  // virtual seconds since the first emulated action
  int device = 0;
  Kind kind = Kind::slows;
  double factor = 1;  // slows: what remains takes so many times as long
  double bytes = 0;   // has: nothing is allocated in its memory from then on that would not fit
};

struct KernelSpec {     // by name, for who wants to overrule the rule of kernel_time.hpp
  std::string pattern;  // as of fnmatch(3)
  int exponent = -1;    // of the size scale; -1: by the rule
  std::string rate;     // operations, bytes, bytes_rows or bytes_tiles; empty: by the rule
};

// The program runs at 1/factor of the full size; times are those of the full one.
struct SizeScale {
  double full = 0;  // elements along a side, of the full size; 0: no scale
  double factor = 1;
  double side() const { return full / factor; }
  bool on() const { return full > 0 && factor != 1; }
};

// The first device is home: its memory is the program's.
struct PlatformFile : platform::Platform {
  std::string file;
  double time_scale = 1;  // real seconds per virtual second
  double jitter = 0.05;   // times vary evenly by so much up and down
  uint64_t seed = 1;
  SizeScale size_scale;
  std::vector<KernelSpec> kernels;
  std::vector<EventSpec> events;  // by time

  // What a device's kernel times are known by: its model, and a mark that differs if any of what they depend
  // on does. Two files may call quite different devices "gpu".
  std::string kind(int device) const;
  bool can_fail() const;  // some device does, at some time
};

// Errors are one sentence that names the file, the key and what is accepted.
Result<PlatformFile> read_platform(const std::string& file);
Result<PlatformFile> parse_platform(const std::string& text, const std::string& file);

}  // namespace mkmd::emulation
