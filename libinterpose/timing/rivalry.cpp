// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/rivalry.hpp"

#include "libinterpose/timing/profitability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mkmd::timing {

namespace {

// Of a launch that the devices for which `takes_part` share.
template <typename TakesPart>
double seconds_shared(const std::vector<double>& seconds, const TakesPart& takes_part) {
  double launches_per_second = 0;
  for (size_t d = 0; d < seconds.size(); ++d) {
    if (takes_part(d)) launches_per_second += 1 / seconds[d];
  }
  return 1 / launches_per_second;
}

}  // namespace

double seconds_together(const std::vector<double>& seconds, const std::vector<int>& teams) {
  const int count = teams.empty() ? 0 : *std::ranges::max_element(teams);
  double least = std::numeric_limits<double>::infinity();
  for (int team = std::min(count, 1); team <= count; ++team) {
    const auto works = [&](size_t d) { return teams.empty() || teams[d] == 0 || teams[d] == team; };
    least = std::min(least, seconds_shared(seconds, works));
  }
  return least;
}

Rivalry::Rivalry(std::vector<int> teams, RegretBudget& budget) : teams_(std::move(teams)), budget_(budget) {
  for (const int team : teams_)
    team_count_ = std::max(team_count_, team);
  saved_.assign(team_count_ + 1, 0.0);
  current_ = team_count_ > 0 ? 1 : 0;
}

// Devices of a team share a launch.
double Rivalry::seconds_of(const Kernel& kernel, int team) const {
  return seconds_shared(kernel.seconds, [&](size_t d) { return teams_[d] == team; });
}

bool Rivalry::may_move(const Kernel& kernel) const {
  return kernel.experience.first_has_run || !std::isfinite(seconds_of(kernel, 1));  // or it never will
}

bool Rivalry::knows(const Kernel& kernel) const {
  for (size_t d = 0; d < teams_.size(); ++d) {
    if (teams_[d] > 1 && kernel.experience.samples[d] > 0) return true;
  }
  return false;
}

int Rivalry::choose(const std::vector<Kernel>& kernels, const CopySeconds& copy_seconds) {
  std::vector<double> seconds(team_count_ + 1, 0.0);
  for (const Kernel& kernel : kernels) {
    const double here = seconds_of(kernel, current_);
    for (int team = 1; team <= team_count_; ++team) {
      const double there = seconds_of(kernel, team);
      seconds[team] += std::isfinite(there) ? there : here;  // what it may not run stays
    }
  }
  int best = current_;
  double most = 0;
  for (int team = 1; team <= team_count_; ++team) {
    if (team == current_) continue;
    saved_[team] = std::max(0.0, saved_[team] + seconds[current_] - seconds[team]);
    if (seconds[team] > kLimits.worth_moving * seconds[current_]) continue;
    // Waiting until the savings pay for the move costs at most twice what a prophet would pay.
    if (const double gain = saved_[team] - copy_seconds(team); gain > most) {
      most = gain;
      best = team;
    }
  }
  if (best != current_) saved_.assign(saved_.size(), 0.0);
  return current_ = best;
}

std::optional<Rivalry::Sample> Rivalry::sample(const Kernel& kernel, const CopySeconds& copy_seconds,
                                               double now) {
  const double here = seconds_of(kernel, current_);
  for (size_t d = 0; d < teams_.size(); ++d) {
    if (teams_[d] == 0 || teams_[d] == current_ || !std::isfinite(kernel.seconds[d])) continue;
    const int samples = kernel.experience.samples[d];
    // The first one includes what a driver does once.
    const bool decided = samples > 0 && (kernel.seconds[d] > kLimits.clearly_slower * here ||
                                         samples >= kLimits.samples_of_rival);
    if (decided) continue;
    const double data = copy_seconds(teams_[d]);
    const double left = budget_.left(now) - data;
    if (left <= 0) continue;
    const double wanted = std::max(kLimits.shortest_sample, left / kLimits.caution);
    const double share = std::min(0.5, wanted / kernel.seconds[d]);
    Sample sample{static_cast<int>(d), share, share * kernel.seconds[d] + data};
    if (sample.seconds > budget_.left(now)) continue;
    budget_.spend(sample.seconds);
    return sample;
  }
  return std::nullopt;
}

}  // namespace mkmd::timing
