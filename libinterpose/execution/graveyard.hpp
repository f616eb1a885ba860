// SPDX-License-Identifier: Apache-2.0
// The Graveyard: what nobody needs any more, to be let go of without the executor's mutex. The last reference
// to an object may be among it. The mutex guards the graveyard; whoever takes its content buries it without.
#pragma once

#include "libinterpose/execution/action.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mkmd {

class Graveyard {
public:
  struct Dead {
    std::vector<Ref<ActionOwner>> owners;  // announce() is due
    std::vector<Action::Held> held;        // by actions that are complete, or dropped
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
