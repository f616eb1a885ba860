// SPDX-License-Identifier: Apache-2.0
#include "scheduler/shared_speed.hpp"

#include <algorithm>

namespace mkmd::scheduler {

SharedSpeed::SharedSpeed(const ProblemIndex& index, std::vector<SpeedChange> changes)
    : index_(&index), changes_(std::move(changes)), pieces_(index.device_count()) {
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const SpeedChange& a, const SpeedChange& b) { return a.time < b.time; });
}

double SharedSpeed::end_alone(int device, double from, double seconds) const {
  double speed = 1, now = from;
  for (const SpeedChange& c : changes_) {
    if (c.device != device) continue;
    if (c.time > from) {
      const double possible = (c.time - now) * speed;
      if (possible >= seconds) break;
      seconds -= possible;
      now = c.time;
    }
    speed = c.speed;
  }
  return speed > 0 ? now + seconds / speed : kNever;
}

void SharedSpeed::begin(int device, double start, double seconds, double bytes) {
  pieces_[device] = {start, seconds, seconds > 0 ? bytes / seconds : 0, true};
}

void SharedSpeed::stop(int device) {
  pieces_[device].working = false;
}

double SharedSpeed::speed_at(int device, double time) const {
  double speed = 1;
  for (const SpeedChange& c : changes_)
    if (c.device == device && c.time <= time) speed = c.speed;
  return speed;
}

std::vector<double> SharedSpeed::rates() const {
  std::vector<double> demand(index_->memory_count()), rate(pieces_.size());
  for (size_t d = 0; d < pieces_.size(); ++d) {
    const Piece& p = pieces_[d];
    if (!p.working || p.start > now_) continue;
    rate[d] = speed_at(static_cast<int>(d), now_);
    demand[index_->memory_of(static_cast<int>(d))] += p.demand * rate[d];
  }
  for (size_t d = 0; d < pieces_.size(); ++d) {
    const int m = index_->memory_of(static_cast<int>(d));
    const double limit = index_->shared_bandwidth(m);
    if (limit > 0 && pieces_[d].demand > 0 && demand[m] > limit) rate[d] *= limit / demand[m];
  }
  return rate;
}

double SharedSpeed::next_change() const {
  double next = kNever;
  for (const Piece& p : pieces_)
    if (p.working && p.start > now_) next = std::min(next, p.start);
  for (const SpeedChange& c : changes_)
    if (c.time > now_) next = std::min(next, c.time);
  return next;
}

void SharedSpeed::advance(double to) {
  while (index_->shares_bandwidth() && now_ < to) {
    const std::vector<double> rate = rates();
    const double next = std::min(to, next_change());
    for (size_t d = 0; d < pieces_.size(); ++d)
      pieces_[d].left = std::max(0.0, pieces_[d].left - (next - now_) * rate[d]);
    now_ = next;
  }
}

void SharedSpeed::ends(std::vector<double>& end) const {
  SharedSpeed later(*this);
  for (size_t d = 0; d < pieces_.size(); ++d)
    end[d] = kNever;
  for (;;) {
    const std::vector<double> rate = later.rates();
    double first = kNever;
    for (size_t d = 0; d < pieces_.size(); ++d) {
      const Piece& p = later.pieces_[d];
      if (!p.working || p.start > later.now_) continue;
      if (p.left <= 0) end[d] = later.now_;
      if (rate[d] > 0 && p.left > 0) end[d] = later.now_ + p.left / rate[d];
      first = std::min(first, end[d]);
    }
    const double change = later.next_change();
    if (first == kNever && change == kNever) return;
    if (first <= change) return;  // what ends later depends on what begins then
    for (size_t d = 0; d < pieces_.size(); ++d)
      end[d] = kNever;
    later.advance(change);
  }
}

}  // namespace mkmd::scheduler
