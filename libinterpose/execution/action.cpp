// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/action.hpp"

#include "libinterpose/memory/journal.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <utility>

namespace mkmd {

Action::Action(Lane& lane, ActionOwner* owner, Work work) : lane(&lane), work(std::move(work)) {
  origin.owner = Ref<ActionOwner>(owner);
}

Action::~Action() = default;

Action::Held Action::let_go() {
  return {std::exchange(origin.owner, {}),  std::exchange(transfer.memory, {}), std::move(driver.native),
          std::exchange(work, nullptr),     std::exchange(elsewhere, {}),       std::exchange(uses, {}),
          std::exchange(loss.deed, nullptr)};
}

int Action::works_in() const {
  return loss.repaired_in >= 0 ? loss.repaired_in : lane->domain;
}

bool Action::same_owner(const Ordered& other) const {
  return origin.owner && origin.owner == static_cast<const Action&>(other).origin.owner;
}

void Action::wait_for(Ordered& before) {
  auto& other = static_cast<Action&>(before);
  if (other.complete()) times.ready = std::max(times.ready, other.times.ended);
  if (other.complete()) return;
  if (std::find(edges.predecessors.begin(), edges.predecessors.end(), &other) != edges.predecessors.end()) {
    if (edges.begins_when_submitted) unchain(other);
    return;
  }
  edges.predecessors.push_back(&other);
  if (edges.begins_when_submitted || !lane->chains_with(*other.lane)) {
    other.edges.on_complete.emplace_back(this);
    other.edges.awaited.store(true);
    ++edges.blockers;
    return;
  }
  edges.chained.emplace_back(&other);
  other.edges.followers.emplace_back(this);
  if (other.state != State::submitted) {
    other.edges.on_submit.emplace_back(this);
    ++edges.blockers;
  }
}

// It waits for the other one's completion before it is submitted, and not for its event.
void Action::unchain(Action& other) {
  const Ref<Action> self(this);
  if (std::erase(edges.chained, Ref<Action>(&other)) == 0) return;
  std::erase(other.edges.followers, self);
  if (std::erase(other.edges.on_submit, self) == 0) ++edges.blockers;
  other.edges.on_complete.push_back(self);
  other.edges.awaited.store(true);
}

}  // namespace mkmd
