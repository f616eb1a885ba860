// SPDX-License-Identifier: Apache-2.0
// What pieces in a memory other than home's update in copies of their own, and how that comes into home's
// bytes. Nothing here takes the runtime's lock.
#pragma once

#include "libinterpose/commands/careful.hpp"

#include <atomic>
#include <memory>

namespace mkmd {

// The copies that the pieces of one command have in one memory: bytes of the buffers there, which are valid
// at home alone meanwhile.
struct UpdatesApart {
  struct Buffer {
    Memory* root = nullptr;
    std::vector<compiler::Updated> updates = {};
    cl_mem there = nullptr, at_home = nullptr;
  };
  std::vector<Buffer> buffers;
  std::atomic<bool> spoiled{false};  // a failed action has: they must not be merged

  BufferUses uses(bool reads) const;
};

// Copies begin with the numbers that updates leave as they are.
Action::Work begin_updates(Lane& lane, const UpdatesApart& apart);
// In place of what has failed there. `more`: what else it was to do; may be null.
Action::Work spoil_updates(std::shared_ptr<UpdatesApart> apart, Action::Work more);
// By the host. It fails before it has changed any of home's bytes, if the copies are not what they should be.
Action::Work merge_updates(Devices& devices, const Lane& there, const Lane& home,
                           std::shared_ptr<const UpdatesApart> apart);
// In place of a merge that has failed so, for the lane of repairs: home does all these work-groups again.
// They find what they read in the other memory. What they have changed there in place, and the numbers that
// they update, they find at home.
struct DoneThere {
  struct Inputs {
    BufferUses uses;     // what is needed
    RemoteMemory where;  // by use
  };
  std::vector<compiler::GroupBox> boxes;
  Inputs reads, kept;
};
Action::Work updates_from_afar(Lane& lane, const KernelCommand& command, DoneThere done,
                               std::shared_ptr<const UpdatesApart> apart, const Lane& home);

}  // namespace mkmd
