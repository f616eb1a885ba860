// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/incidents.hpp"

#include <algorithm>
#include <limits>

namespace mkmd::emulation {

namespace {

constexpr Nanoseconds kNeverFails = std::numeric_limits<Nanoseconds>::max();

}  // namespace

void Incidents::begin(Nanoseconds first) {
  if (began_ == 0) began_ = first;
}

Nanoseconds Incidents::slowed(int device, Nanoseconds start, double seconds) const {
  double factor = 1;
  auto at = static_cast<double>(start);
  double left = seconds * 1e9;
  for (const EventSpec& e : platform_.events) {
    if (e.device != device || e.kind != EventSpec::Kind::slows) continue;
    const double event = static_cast<double>(began_) + e.at * 1e9;
    if (event > at) {
      if (at + left * factor <= event) break;
      left -= (event - at) / factor;
      at = event;
    }
    factor = e.factor;
  }
  return static_cast<Nanoseconds>(at + left * factor + 0.5);
}

Nanoseconds Incidents::fails_at(int device) const {
  for (const EventSpec& e : platform_.events) {
    if (e.device == device && e.kind == EventSpec::Kind::fails) return began_ + nanoseconds(e.at);
  }
  return kNeverFails;
}

Nanoseconds Incidents::lost_at(int domain) const {
  Nanoseconds last = 0;
  for (size_t d = 0; d < platform_.devices.size(); ++d) {
    if (domains_.of_device[d] == domain) last = std::max(last, fails_at(static_cast<int>(d)));
  }
  return last;
}

// Before the first action there is no origin yet: only what happens at once has happened.
bool Incidents::has_passed(Nanoseconds instant) const {
  return began_ == 0 ? instant == 0 : clock_.now() >= instant;
}

double Incidents::bytes_of(int domain) const {
  for (auto e = platform_.events.rbegin(); e != platform_.events.rend(); ++e) {
    if (e->kind == EventSpec::Kind::has && domains_.of_device[e->device] == domain &&
        has_passed(began_ + nanoseconds(e->at)))
      return e->bytes;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace mkmd::emulation
