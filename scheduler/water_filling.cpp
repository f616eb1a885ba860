// SPDX-License-Identifier: Apache-2.0
#include "scheduler/water_filling.hpp"

#include <algorithm>

namespace mkmd::scheduler {

std::vector<double> water_fill(std::span<const FillSlot> slots) {
  std::vector<double> share(slots.size(), 0.0);
  // An event is the start of a slot, or the moment when a slot is full. The work done by time T grows
  // linearly between two neighbouring events. Walk the events until it reaches the whole task.
  struct Event {
    double time;
    double rate;
  };
  std::vector<Event> events;
  events.reserve(2 * slots.size());
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].limit <= slots[s].start) continue;
    if (slots[s].seconds <= 0) {  // free here: nothing is earlier than the earliest of these
      share[s] = 1;
      return share;
    }
    events.push_back({slots[s].start, 1 / slots[s].seconds});
    if (slots[s].limit != kNever) events.push_back({slots[s].limit, -1 / slots[s].seconds});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  double done = 0, rate = 0, now = 0, end = kNever;
  for (const Event& e : events) {
    if (rate > 0 && done + rate * (e.time - now) >= 1) break;
    done += rate * (e.time - now);
    now = e.time;
    rate += e.rate;
    if (rate < 1e-300) rate = 0;
  }
  if (rate > 0) end = now + (1 - done) / rate;
  if (end == kNever) return {};
  double sum = 0;
  for (size_t s = 0; s < slots.size(); ++s) {
    share[s] = std::max(0.0, (std::min(end, slots[s].limit) - slots[s].start) / slots[s].seconds);
    sum += share[s];
  }
  for (double& x : share)
    x /= sum;
  return share;
}

}  // namespace mkmd::scheduler
