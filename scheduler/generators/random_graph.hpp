// SPDX-License-Identifier: Apache-2.0
// Random problems: layered graphs on random platforms. They have everything the exchange format can say:
// transfers, divisible and pinned tasks, shared and separate memories, links, residency, impossible
// devices. The same seed gives the same problem everywhere. For property tests and for `mkmd simulate
// --generate random:SEED`.
#pragma once

#include "scheduler/problem.hpp"

#include <cstdint>

namespace mkmd::scheduler {

// A small generator whose numbers do not depend on the standard library (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
  bool chance(double p) { return uniform() < p; }

private:
  uint64_t state_;
};

struct RandomShape {
  int max_devices = 6;
  int max_tasks = 24;
  bool plain = false;        // no transfers, nothing divisible or pinned, no launch times
  bool two_classes = false;  // devices of a class are alike
  bool bandwidth = false;    // tasks move bytes, memories have limits
};

Problem random_problem(uint64_t seed, const RandomShape& shape = {});

}  // namespace mkmd::scheduler
