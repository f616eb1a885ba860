// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/kept_plans.hpp"

#include "libinterpose/planning/planner.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::planning {

namespace {

// Of all predicted times of one device together: shares follow how quick devices are compared with each
// other.
constexpr double kMostDrift = 0.02;

struct Drift {
  double before = 0, change = 0;

  void note(double was, double is) {
    if (was >= scheduler::kNever) return;
    before += was;
    change += std::abs(is - was);
  }
};

}  // namespace

std::optional<Plan> KeptPlans::take(const Identity& identity) {
  if (identity.words.empty()) return std::nullopt;
  const auto found = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const Plan& plan) { return plan.identity.words == identity.words; });
  if (found == plans_.end()) return std::nullopt;
  Plan plan = std::move(*found);
  plans_.erase(found);
  plan.kept = true;
  return plan;
}

void KeptPlans::keep(Plan plan) {
  if (!plan.may_keep || plan.identity.words.empty()) return;
  size_t tasks = plan.tasks.size();
  for (const Plan& kept : plans_)
    tasks += kept.tasks.size();
  while (!plans_.empty() && (plans_.size() >= kMost || tasks > kMostTasks)) {
    tasks -= plans_.front().tasks.size();
    plans_.erase(plans_.begin());
  }
  plans_.push_back(std::move(plan));
}

bool still_holds(const Plan& plan, const std::vector<Task>& tasks, const Machine& machine,
                 const BufferOf& buffer_of) {
  if (plan.tasks.size() != tasks.size()) return false;
  std::vector<Drift> devices(machine.device_count() + 1);
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Task& was = plan.tasks[i].task;
    const Task& is = tasks[i];
    if (!is.may_keep) return false;
    if (!is.is_kernel()) continue;
    if (is.kernel.is_retry() || is.kernel.left_alone() != was.kernel.left_alone()) return false;
    if (is.kernel.is_moved() != was.kernel.is_moved()) return false;
    if (is.kernel.understood != was.kernel.understood) return false;
    devices[machine.home].note(was.at_home, is.at_home);
    for (size_t d = 0; was.kernel.understood && d < was.seconds.size(); ++d)
      devices[d].note(was.seconds[d], is.seconds[d]);
  }
  return std::all_of(devices.begin(), devices.end(),
                     [](const Drift& d) { return d.change <= kMostDrift * d.before; }) &&
         (!machine.separate_memories() || places(plan.tasks, machine, buffer_of) == plan.places);
}

}  // namespace mkmd::planning
