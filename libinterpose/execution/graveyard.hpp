// SPDX-License-Identifier: Apache-2.0
// The Graveyard keeps objects that are no longer needed until they can be released without the executor's
// mutex. A reference in it may be an object's last. The mutex guards the graveyard. A thread takes the
// content with the mutex held, and buries it without.
#pragma once

#include "libinterpose/execution/action.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mkmd {

class Graveyard {
public:
  struct Dead {
    std::vector<Ref<ActionOwner>> owners;  // their announce() is due
    std::vector<Action::Held> held;        // by complete or dropped actions
    std::vector<std::shared_ptr<void>> others;
  };

  void announce_later(ActionOwner& owner) { dead_.owners.emplace_back(&owner); }
  void let_go_later(std::shared_ptr<void> what) { dead_.others.push_back(std::move(what)); }
  void let_go_later(Action& action) { dead_.held.push_back(action.let_go()); }
  Dead take() { return std::exchange(dead_, {}); }

  // Without the mutex.
  static void bury(Dead dead) {
    for (const Ref<ActionOwner>& owner : dead.owners)
      owner->announce();
  }

private:
  Dead dead_;
};

}  // namespace mkmd
