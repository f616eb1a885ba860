// SPDX-License-Identifier: Apache-2.0
// The epoch of a context: a time between two instants at which no action was unfinished. Bytes of memory
// objects order actions. The epoch adds order by the entry, by the program's own memory, and where a plan
// wants it. Not thread-safe: the executor's mutex guards it.
#pragma once

#include "libinterpose/capture/domains.hpp"
#include "libinterpose/capture/losses.hpp"
#include "libinterpose/memory/storage.hpp"

namespace mkmd {

class Epoch {
public:
  // `losses`: null where no device can fail.
  Epoch(const Domains& domains, const Losses* losses)
      : domains_(domains), losses_(losses), host_memory_(UINT64_MAX, 1, 0, SIZE_MAX) {}

  void begin(Ref<Action> entry);  // of an epoch behind native commands; it is not pushed yet
  void end();                     // no action is unfinished
  void drop_waiting();            // actions that are not under way are forgotten

  // Actions are about to use its storage.
  void join(Memory& root);
  // The action comes after what orders it. If it is `one_at_a_time`, later ones come after it.
  void order(const Ref<Action>& action, bool one_at_a_time);
  // Places in the order for so many actions; the first of them.
  double take_places(size_t count);

  RegionMap& host_memory() { return host_memory_; }
  const Ref<Action>& entry() const { return entry_; }  // may be null
  bool waits_for_entry() const { return entry_ && !entry_->complete(); }

private:
  void forget_actions();  // known actions order new ones no more

  const Domains& domains_;
  const Losses* const losses_;
  uint64_t number_ = 1;  // what storages know of actions of earlier ones is void
  RegionMap host_memory_;
  // Orders the captured epoch after the native commands before it.
  Ref<Action> entry_;
  // The last action of this epoch's plans that want one action after the other.
  Ref<Action> last_in_order_;
  double next_place_ = 0;
};

}  // namespace mkmd
