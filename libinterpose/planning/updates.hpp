// SPDX-License-Identifier: Apache-2.0
// Pieces of one launch that update the same numbers. Those in home's memory do so together. A piece in
// another memory updates a copy of its own, which begins with the identity. The copy is merged into home's
// bytes when the piece is over (docs/soundness.md#merging).
#pragma once

#include "libinterpose/planning/plan.hpp"

namespace mkmd::planning {

// Bytes that work-groups read and write by more than updates.
ByteRanges in_place(const BufferUse& use);

// Such pieces may run at the same time, as far as the devices go.
bool may_update_together(const Piece& a, const Piece& b, const Machine& machine);

// Leaves a launch whose halves update the same bytes to the devices that may have pieces of it, and finds out
// what merging costs there. False: no two may, and `not_split` says why.
bool choose_updaters(PlannedTask& of, std::array<BufferUses, 2> halves, const Machine& machine,
                     const BufferOf& buffer_of);

// What pieces in other memories than home's update becomes theirs apart, if pieces update the same bytes.
// The pieces have been found safe. False: it cannot.
bool set_apart(PlannedTask& of, const Machine& machine, const BufferOf& buffer_of);
// The piece runs at home after all.
void join(Piece& piece);

}  // namespace mkmd::planning
