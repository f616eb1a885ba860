// SPDX-License-Identifier: Apache-2.0
#include "scheduler/timeline.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

// The first stretch that ends after `time`. Most searches are near the end: look there first.
template <typename Stretches>
auto first_after(Stretches& busy, double time) {
  if (busy.empty() || busy.back().end <= time) return busy.end();
  return std::upper_bound(busy.begin(), busy.end(), time,
                          [](double t, const Timeline::Busy& b) { return t < b.end; });
}

}  // namespace

double Timeline::first_fit(double ready, double length) const {
  for (auto b = first_after(busy_, ready); b != busy_.end(); ++b) {
    // A start must not lie inside a stretch even when the length is 0. ready + length is what the caller will
    // reserve: comparing the sum, not the difference, keeps neighbours from overlapping by a rounding error.
    if (ready <= b->start && ready + length <= b->start) return ready;
    ready = b->end;
  }
  return ready;
}

void Timeline::reserve(double start, double end) {
  if (end <= start) return;
  auto after = first_after(busy_, start);
  const bool joins_before = after != busy_.begin() && std::prev(after)->end == start;
  const bool joins_after = after != busy_.end() && after->start == end;
  if (joins_before && joins_after) {
    std::prev(after)->end = after->end;
    busy_.erase(after);
  } else if (joins_before) {
    std::prev(after)->end = end;
  } else if (joins_after) {
    after->start = start;
  } else {
    busy_.insert(after, {start, end});
  }
}

void Timeline::release(double start, double end) {
  if (end <= start) return;
  auto b = first_after(busy_, start);
  const Busy whole = *b;
  if (whole.start == start && whole.end == end) {
    busy_.erase(b);
  } else if (whole.start == start) {
    b->start = end;
  } else if (whole.end == end) {
    b->end = start;
  } else {
    b->end = start;
    busy_.insert(b + 1, {end, whole.end});
  }
}

double first_fit(const Timeline& a, const Timeline& b, double ready, double length) {
  for (;;) {
    const double in_a = a.first_fit(ready, length);
    ready = b.first_fit(in_a, length);
    if (ready == in_a) return ready;
  }
}

}  // namespace mkmd::scheduler
