// SPDX-License-Identifier: Apache-2.0
// Which action a thread's lane carries out next, and how much of it. Where ports are exclusive,
// transfers out of one memory share its port. Everywhere those into one memory share a lane. Who comes first
// is the plan's to say, but what is ready never waits for what is late.
#pragma once

#include "libinterpose/execution/lanes.hpp"

namespace mkmd {

// Whether the lane has anything it may start now: of the plan's order, what comes before `until`. With the
// executor's mutex held, like the next.
bool may_start(const Lane& lane, const Lanes& lanes, double until);

// Takes that off the lane: the first of its actions in the order of the plan whose port is free. A long
// transfer that comes before one the plan wants earlier is taken in slices, so that it does not keep that one
// waiting for long: then what is returned is the beginning of the transfer, which comes back when that is
// complete.
Ref<Action> take_next(Lane& lane, const Lanes& lanes, double until);

// Whether the action, which may be none that moves bytes, keeps others from the ports of two memories.
bool takes_ports(const Action& action, const Lanes& lanes);

}  // namespace mkmd
