// SPDX-License-Identifier: Apache-2.0
// How actions start and become complete.
#include "libinterpose/execution/executor.hpp"

#include "libinterpose/memory/storage.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr int kPartsDeep = 2;  // parts of long pieces a device is given at a time: refilling takes a moment

}  // namespace

Lane& Executor::add(std::unique_ptr<Lane> lane) {
  lanes_.push_back(std::move(lane));
  if (!lanes_.back()->transfers()) {
    compute_.push_back(lanes_.back().get());
    fed_.push_back(lanes_.back().get());
  }
  return *lanes_.back();
}

void Executor::set_program(std::unique_ptr<Lane> lane) {
  program_ = std::move(lane);
  fed_.push_back(program_.get());
}

void Executor::push(Ref<Action> action) {
  Lane& lane = *action->lane;
  if (action->blockers > 0) {
    if (lane.transfers()) lane.to_come.push_back(action.get());
    return;
  }
  std::erase(lane.to_come, action.get());
  action->state = Action::State::ready;
  lanes_have_more_ |= lane.kind == Lane::Kind::threaded;
  lane.ready.insert(std::move(action));
}

void Executor::hold_from(double order) {
  emitted_ = order;
  lanes_have_more_ = true;
}

void Executor::wake_lanes() {
  if (!std::exchange(lanes_have_more_, false)) return;
  lanes_cv_.notify_all();
  if (lacks_threads()) wake_waiters();  // who does the lanes' work
}

void Executor::unblock(Action& action) {
  if (--action.blockers == 0 && action.state == Action::State::waiting) push(Ref<Action>(&action));
}

int Executor::busy_lanes(int domain, const Lane* besides) const {
  return static_cast<int>(std::count_if(compute_.begin(), compute_.end(), [&](const Lane* lane) {
    return lane->domain == domain && (lane == besides || !lane->under_way.empty());
  }));
}

void Executor::resume() {
  halted_ = false;
  lanes_cv_.notify_all();
}

void Executor::drop_waiting() {
  for (const auto& lane : lanes_) {
    for (const Ref<Action>& action : lane->ready)
      graveyard_.held.push_back(action->let_go());
    lane->ready = {};
    lane->to_come.clear();
  }
}

void Executor::take_part(Lane& busy, Lane& idle) {
  const Ref<Action> part = *busy.ready.begin();
  busy.ready.erase(busy.ready.begin());
  part->lane = &idle;
  part->piece.device = idle.device;
  part->work = part->moved(idle);
  idle.ready.insert(part);
}

// Moves a part that another lane has not started to an idle one, if it is finished earlier there.
bool Executor::take_part() {
  for (Lane* idle : compute_) {
    if (idle->kind != Lane::Kind::asynchronous || !idle->under_way.empty() || !idle->ready.empty()) continue;
    if (idle == home_ && configuration_.home_excludes_others) continue;
    for (Lane* busy : compute_) {
      if (busy->ready.empty() || busy->parts_in_flight < kPartsDeep) continue;
      const Action& part = **busy->ready.begin();
      if (part.order >= emitted_ || !part.moved || busy->native_context != idle->native_context) continue;
      // `busy` still has half of what it started before it, at least, and then the part itself.
      if (part.seconds_on(*idle) >= 2 * part.piece.seconds) continue;
      take_part(*busy, *idle);
      return true;
    }
  }
  return false;
}

// Of those that may start something, the one whose first action comes first.
Lane* Executor::next_lane() const {
  if (!failures_.empty()) return nullptr;
  Lane* next = nullptr;
  for (Lane* lane : fed_) {
    if (lane->kind != Lane::Kind::asynchronous || lane->ready.empty()) continue;
    const Action& first = **lane->ready.begin();
    if (first.order >= emitted_) continue;
    if (first.is_part() && lane->parts_in_flight >= kPartsDeep) continue;
    if (next == nullptr || first.order < (*next->ready.begin())->order) next = lane;
  }
  return next;
}

bool Executor::flush_lanes() {
  bool flushed = false;
  for (Lane* lane : fed_) {
    if (!std::exchange(lane->to_flush, false)) continue;
    const Unlocked unlocked(mutex_);
    devices_->flush(*lane);
    flushed = true;
  }
  return flushed;
}

void Executor::start_first(Lane& lane) {
  const Ref<Action> action = *lane.ready.begin();
  lane.ready.erase(lane.ready.begin());
  lane.under_way.push_back(action);
  if (action->is_part()) ++lane.parts_in_flight;
  action->state = Action::State::submitting;
  const cl_int refused = refusal(*action);
  std::vector<Ref<Action>> used{action};  // whose events the device is called with
  for (const Ref<Action>& before : action->chained) {
    action->inherit_from(*before);
    if (!before->complete()) used.push_back(before);
  }
  for (const Ref<Action>& one : used)
    ++one->calls;
  Devices::Submission submission{refused};
  {
    const Unlocked unlocked(mutex_);
    action->started = devices_->now();
    if (refused >= 0) submission = devices_->submit(*action, std::span(used).subspan(1), *this);
    if (!submission.under_way) tell_owner(*action);
  }
  lane.to_flush = true;
  mark_submitted(*action, submission);
  for (const Ref<Action>& one : used)
    end_call(*one);
}

void Executor::end_call(Action& action) {
  if (--action.calls == 0 && action.complete()) graveyard_.held.push_back(action.let_go());
}

void Executor::pump() {
  wake_lanes();
  if (pumping_) return;  // the thread that pumps sees what we pushed before it stops
  pumping_ = true;
  for (bool more = true; more;) {
    wake_lanes();
    if (Lane* const next = next_lane()) {
      start_first(*next);
    } else if (failures_.empty() && take_part()) {
      continue;
    } else if (repair_ && may_start(*repair_, lanes_, emitted_)) {
      run_threaded(*repair_);
    } else {
      more = flush_lanes();  // more may have become ready meanwhile
    }
  }
  pumping_ = false;
}

// What keeps an action from being started: an error after which nothing is right any more, or bytes that its
// device would not take.
cl_int Executor::refusal(const Action& action) const {
  if (failed() < 0) return failed();
  if (action.lane->domain == 0) return CL_SUCCESS;
  const bool elsewhere = std::any_of(action.uses.begin(), action.uses.end(), [&](const BufferUse& use) {
    return use.root->storage->stand_in.holds(action.lane->domain, use.needed);
  });
  return elsewhere ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void Executor::mark_submitted(Action& action, Devices::Submission submission) {
  // Whoever comes after it has no event to give to the device: it waits for the end.
  if (!submission.under_way) return mark_over(action, submission.status);
  // Its end may have been quicker.
  if (action.state == Action::State::submitting) action.state = Action::State::submitted;
  for (const Ref<Action>& after : std::exchange(action.on_submit, {}))
    unblock(*after);
}

// In the end the action holds nothing any more, however long it is kept itself.
void Executor::mark_complete(Action& action, cl_int status) {
  if (action.complete()) return;
  note_complete(action, status);
  if (action.calls == 0) graveyard_.held.push_back(action.let_go());
}

void Executor::note_complete(Action& action, cl_int status) {
  action.state = Action::State::complete;
  action.status = status;
  action.chained.clear();
  for (const Ref<Action>& after : std::exchange(action.on_submit, {}))
    unblock(*after);
  for (const Ref<Action>& after : std::exchange(action.on_complete, {})) {
    after->ready_at = std::max(after->ready_at, action.ended);
    after->inherit_from(action);
    unblock(*after);
  }
  for (const BufferUse& use : action.uses) {
    if (action.lane->domain != 0) use.root->storage->stand_in.drop(action.lane->domain, use.writes);
  }
  const std::vector<Ref<Action>> followers = std::exchange(action.followers, {});
  observer_.completed(action);
  // What came after it, and is over, too, has waited for this.
  for (const Ref<Action>& after : followers) {
    if (after->over) settle(*after);
  }
}

void Executor::bury(Dead dead) {
  for (const Ref<ActionOwner>& owner : dead.owners)
    owner->announce();
}

}  // namespace mkmd
