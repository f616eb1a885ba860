// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

namespace mkmd {

// While it lives, floating-point arithmetic of this thread raises no signal. A program that has asked for
// signals (feenableexcept) means its own arithmetic. Later, the program finds its exceptions as they were.
class Untrapped {
public:
  Untrapped() : trapped_(fegetexcept() != 0) {
    if (trapped_) feholdexcept(&programs_);
  }
  ~Untrapped() {
    if (trapped_) fesetenv(&programs_);
  }
  Untrapped(const Untrapped&) = delete;
  Untrapped& operator=(const Untrapped&) = delete;

private:
  const bool trapped_;
  fenv_t programs_;
};

}  // namespace mkmd
