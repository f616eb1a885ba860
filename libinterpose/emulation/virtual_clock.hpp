// SPDX-License-Identifier: Apache-2.0
// The clock of an emulated run: nanoseconds that pass `scale` times slower than the host's, and not at all
// while it is stopped. It is stopped while a driver compiles, which is no part of what is emulated.
// Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>

namespace mkmd::emulation {

using Nanoseconds = uint64_t;

inline Nanoseconds nanoseconds(double seconds) {
  return seconds <= 0 ? 0 : static_cast<Nanoseconds>(seconds * 1e9 + 0.5);
}

class VirtualClock {
public:
  explicit VirtualClock(double scale);

  Nanoseconds now() const;
  // Returns once now() has reached what `deadline` says; it is asked again whenever changed() was called.
  void sleep_until(const std::function<Nanoseconds()>& deadline);
  void sleep_until(Nanoseconds deadline);
  void changed();

  double scale() const { return scale_; }

  void stop();  // until as many calls of resume()
  void resume();
  class Stop {  // the clock stands while one of these lives
  public:
    explicit Stop(VirtualClock& clock) : clock_(clock) { clock_.stop(); }
    ~Stop() { clock_.resume(); }
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

  private:
    VirtualClock& clock_;
  };

private:
  using Host = std::chrono::steady_clock;
  Nanoseconds at(Host::time_point) const REQUIRES(mutex_);
  Host::time_point host_time(Nanoseconds) const REQUIRES(mutex_);

  const double scale_;
  const Host::time_point begin_;
  mutable Mutex mutex_;
  std::condition_variable changes_;
  int stops_ GUARDED_BY(mutex_) = 0;
  uint64_t generation_ GUARDED_BY(mutex_) = 0;
  Host::time_point stopped_at_ GUARDED_BY(mutex_);
  Host::duration stood_ GUARDED_BY(mutex_){};  // in all
};

}  // namespace mkmd::emulation
