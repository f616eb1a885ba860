// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/action.hpp"

#include "libinterpose/emulation/demand.hpp"
#include "libinterpose/memory/journal.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <utility>

namespace mkmd {

Action::Action(Lane& lane, ActionOwner* owner, Work work)
    : lane(&lane), owner(owner), work(std::move(work)) {}

Action::~Action() = default;

Action::Held Action::let_go() {
  return {std::exchange(owner, {}),           std::exchange(memory, {}),     std::move(native),
          std::exchange(work, nullptr),       std::exchange(moved, nullptr), std::exchange(redo, nullptr),
          std::exchange(seconds_on, nullptr), std::exchange(uses, {}),       std::exchange(deed, nullptr)};
}

int Action::works_in() const {
  return repaired_in >= 0 ? repaired_in : lane->domain;
}

cl_int Action::missing_bytes() const {
  const bool missing = !moved_ranges.empty() || inherited < 0 || device_lost;
  return missing && status < 0 ? status : CL_SUCCESS;
}

void Action::inherit_from(const Action& other) {
  if (&other != only_before_) inherited = std::min(inherited, other.missing_bytes());
}

void Action::come_after(Action& other) {
  only_before_ = &other;
  add_predecessor(other);
}

void Action::wait_for(Ordered& other) {
  auto& before = static_cast<Action&>(other);
  if (only_before_ == &before) only_before_ = nullptr;
  add_predecessor(before);
}

bool Action::same_owner(const Ordered& other) const {
  return owner && owner == static_cast<const Action&>(other).owner;
}

void Action::add_predecessor(Action& other) {
  if (other.complete()) {
    ready_at = std::max(ready_at, other.ended);
    inherit_from(other);
  }
  if (other.complete() ||
      std::find(predecessors_.begin(), predecessors_.end(), &other) != predecessors_.end()) {
    return;
  }
  predecessors_.push_back(&other);
  if (!lane->chains_with(*other.lane)) {
    other.on_complete.emplace_back(this);
    other.awaited.store(true);
    ++blockers;
    return;
  }
  chained.emplace_back(&other);
  other.followers.emplace_back(this);
  if (other.state != State::submitted) {
    other.on_submit.emplace_back(this);
    ++blockers;
  }
}

}  // namespace mkmd
