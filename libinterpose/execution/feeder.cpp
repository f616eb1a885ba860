// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/feeder.hpp"

#include "common/process_exiting.hpp"
#include "libinterpose/execution/transfer_order.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace mkmd {

namespace {

constexpr int kPartsDeep = 2;  // parts of long pieces in a driver at a time: it has the next one at once

void move_first(Lane& busy, Lane& idle) {
  const Ref<Action> part = *busy.ready.begin();
  busy.ready.erase(busy.ready.begin());
  part->lane = &idle;
  part->piece.device = idle.device;
  part->work = part->elsewhere.moved(idle);
  idle.ready.insert(part);
}

}  // namespace

bool Feeder::lacks_threads() const {
  return process_exiting.load() || !configuration_.has_threads;
}

void Feeder::wake_lanes() {
  const bool has_work = std::ranges::any_of(lanes_.all(), [](const auto& lane) {
    return lane->is_queue() ? lane->due == Lane::Due::help : !lane->ready.empty();
  });
  const bool woken = has_work && progress_.gate().wake_for_more();
  if (woken && lacks_threads()) posts_.wake_waiters();  // they do the lanes' work
}

// Moves a part that a busy lane has not started to an idle lane, if the part ends earlier there.
bool Feeder::take_part() {
  for (Lane* idle : lanes_.compute()) {
    if (!idle->is_queue() || !idle->under_way.empty() || !idle->ready.empty()) continue;
    if (idle == &lanes_.home() && configuration_.home_excludes_others) continue;
    for (Lane* busy : lanes_.compute()) {
      if (busy->ready.empty() || busy->parts_in_flight < kPartsDeep) continue;
      const Action& part = **busy->ready.begin();
      if (part.order >= progress_.gate().until() || !part.elsewhere.moved) continue;
      if (busy->native_context != idle->native_context) continue;
      // `busy` has at least half of the part before it to run, and then the part itself.
      if (part.elsewhere.seconds_on(*idle) >= 2 * part.piece.seconds) continue;
      move_first(*busy, *idle);
      return true;
    }
  }
  return false;
}

// Of the lanes that may start an action, the one whose first action is earliest in the plan.
Lane* Feeder::next_lane() {
  if (progress_.is_failing() || progress_.gate().is_halted()) return nullptr;
  Lane* next = nullptr;
  for (Lane* lane : lanes_.fed()) {
    if (!lane->is_queue() || lane->ready.empty()) continue;
    const Action& first = **lane->ready.begin();
    if (first.order >= progress_.gate().until()) continue;
    if (first.is_part() && lane->parts_in_flight >= kPartsDeep) continue;
    if (next == nullptr || first.order < (*next->ready.begin())->order) next = lane;
  }
  return next;
}

bool Feeder::flush_lanes() {
  bool flushed = false;
  for (Lane* lane : lanes_.fed()) {
    if (lane->due != Lane::Due::flush) continue;
    lane->due = lane->kind == Lane::Kind::helped ? Lane::Due::help : Lane::Due::nothing;
    if (lane->due == Lane::Due::help) progress_.gate().note_more();
    const Unlocked unlocked(progress_.mutex());
    progress_.devices().flush(*lane);
    flushed = true;
  }
  return flushed;
}

void Feeder::start_first(Lane& lane) {
  const Ref<Action> action = *lane.ready.begin();
  lane.ready.erase(lane.ready.begin());
  lane.under_way.push_back(action);
  if (action->is_part()) ++lane.parts_in_flight;
  action->state = Action::State::submitting;
  const cl_int refused = progress_.refusal(*action);
  std::vector<Ref<Action>> used{action};  // the device is called with their events
  for (const Ref<Action>& before : action->edges.chained) {
    if (!before->complete()) used.push_back(before);
  }
  for (const Ref<Action>& one : used)
    ++one->driver.calls;
  Devices::Submission submission{refused};
  {
    const Unlocked unlocked(progress_.mutex());
    Devices& devices = progress_.devices();
    action->times.started = devices.now();
    if (refused >= 0) submission = devices.submit(*action, std::span(used).subspan(1), posts_);
    if (!submission.under_way) tell_owner(*action);
  }
  lane.due = Lane::Due::flush;
  progress_.mark_submitted(*action, submission);
  for (const Ref<Action>& one : used)
    progress_.end_call(*one);
}

void Feeder::pump() {
  wake_lanes();
  if (pumping_) return;  // the pumping thread will see our actions before it stops
  Gate& gate = progress_.gate();
  if (gate.is_closed()) return;  // who opens it pumps
  pumping_ = true;
  gate.enter();
  Lane& repair = lanes_.repair();
  for (bool more = true; more && !gate.is_closed();) {
    wake_lanes();
    if (Lane* const next = next_lane()) {
      start_first(*next);
    } else if (!progress_.is_failing() && !gate.is_halted() && take_part()) {
      continue;
    } else if (!gate.is_halted() && may_start(repair, lanes_, gate.until())) {
      run_threaded(repair);
    } else {
      more = flush_lanes();  // actions may have become ready meanwhile
    }
  }
  gate.leave();
  pumping_ = false;
  if (gate.is_halted() && !progress_.is_running() && gate.take_halt()) observer_.halted();
}

void Feeder::run_threaded(Lane& lane) {
  Gate& gate = progress_.gate();
  const bool is_homes = lane.native_context == lanes_.home().native_context;  // a fork does not wait for home
  while (!gate.is_halted() && !gate.is_closed() && may_start(lane, lanes_, gate.until())) {
    const Ref<Action> action = take_next(lane, lanes_, gate.until());
    lane.under_way.push_back(action);
    if (takes_ports(*action, lanes_)) lane.sending = action;
    gate.begin_run();
    if (!is_homes) gate.enter();
    action->state = Action::State::submitting;
    const cl_int refused = progress_.refusal(*action);
    cl_int status = CL_SUCCESS;
    {
      const Unlocked unlocked(progress_.mutex());
      status = progress_.devices().run(*action, refused);
      tell_owner(*action);
    }
    std::erase(lane.under_way, action);
    if (!is_homes) gate.leave();
    gate.end_run();
    if (std::exchange(lane.sending, {})) gate.wake();  // its ports are free
    progress_.mark_over(*action, status);
    pump();
  }
}

void Feeder::help(Lane& lane) {
  Gate& gate = progress_.gate();
  lane.due = Lane::Due::nothing;
  gate.enter();
  {
    const Unlocked unlocked(progress_.mutex());
    progress_.devices().help(lane);
  }
  gate.leave();
}

void Feeder::run_threaded() {
  for (const auto& lane : lanes_.all()) {
    if (lane->kind == Lane::Kind::threaded) run_threaded(*lane);
  }
  pump();
  for (const auto& lane : lanes_.all()) {
    if (lane->due == Lane::Due::help) help(*lane);
  }
}

}  // namespace mkmd
