// SPDX-License-Identifier: Apache-2.0
// A library that exit_order_vendor unloads before the process ends.
#include <cstdio>

namespace {

struct Global {
  ~Global() { std::puts("part gone"); }
};

const Global global;

}  // namespace
