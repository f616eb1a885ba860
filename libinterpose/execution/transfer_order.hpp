// SPDX-License-Identifier: Apache-2.0
// Which action a threaded lane carries out next, and how much of it. Transfers into one memory share a lane.
// Where ports are exclusive, transfers out of one memory share its port. The plan orders them, but a ready
// transfer does not wait for a late one.
#pragma once

#include "libinterpose/execution/lanes.hpp"

namespace mkmd {

// Whether the lane has an action that it may start now, and whose order is before `until`. The executor's
// mutex is held, as in the next function.
bool may_start(const Lane& lane, const Lanes& lanes, double until);

// Takes the first action of the plan's order whose ports are free. A long transfer that overtakes an earlier
// one is taken in slices, so that the earlier one waits for one slice at most. The function then returns the
// first slice. The rest of the transfer becomes ready when the slice is complete.
Ref<Action> take_next(Lane& lane, const Lanes& lanes, double until);

// Whether the action is a transfer that keeps others from the ports of two memories.
bool takes_ports(const Action& action, const Lanes& lanes);

}  // namespace mkmd
