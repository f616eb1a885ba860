// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/progress.hpp"

#include "libinterpose/memory/storage.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <utility>

namespace mkmd {

void Progress::push(Ref<Action> action) {
  Lane& lane = *action->lane;
  if (action->edges.blockers > 0) {
    if (lane.transfers()) lane.to_come.push_back(action.get());
    return;
  }
  std::erase(lane.to_come, action.get());
  action->state = Action::State::ready;
  if (lane.kind == Lane::Kind::threaded) gate_.note_more();
  lane.ready.insert(std::move(action));
}

void Progress::unblock(Action& action) {
  if (--action.edges.blockers == 0 && action.state == Action::State::waiting) push(Ref<Action>(&action));
}

cl_int Progress::refusal(const Action& action) const {
  if (failed() < 0) return failed();
  if (action.lane->domain == 0) return CL_SUCCESS;
  const bool elsewhere = std::any_of(action.uses.begin(), action.uses.end(), [&](const BufferUse& use) {
    return use.root->storage->stand_in.holds(action.lane->domain, use.needed);
  });
  return elsewhere ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void Progress::end_call(Action& action) {
  if (--action.driver.calls == 0 && action.complete()) graveyard_.let_go_later(action);
}

void Progress::mark_submitted(Action& action, Devices::Submission submission) {
  // It has no event. Its successors wait for its end on the host.
  if (!submission.under_way) return mark_over(action, submission.status);
  // It may have ended before this.
  if (action.state == Action::State::submitting) action.state = Action::State::submitted;
  for (const Ref<Action>& after : std::exchange(action.edges.on_submit, {}))
    unblock(*after);
  if (makes_losses_good_ && devices_->is_lost(action.lane->domain)) abandon_lost();
}

// Afterwards the action holds no objects, however long it is kept itself.
void Progress::mark_complete(Action& action, cl_int status) {
  if (action.complete()) return;
  note_complete(action, status);
  if (action.driver.calls == 0) graveyard_.let_go_later(action);
}

void Progress::note_complete(Action& action, cl_int status) {
  action.state = Action::State::complete;
  action.status = status;
  action.edges.chained.clear();
  for (const Ref<Action>& after : std::exchange(action.edges.on_submit, {}))
    unblock(*after);
  for (const Ref<Action>& after : std::exchange(action.edges.on_complete, {})) {
    after->times.ready = std::max(after->times.ready, action.times.ended);
    unblock(*after);
  }
  for (const BufferUse& use : action.uses) {
    if (action.lane->domain != 0) use.root->storage->stand_in.drop(action.lane->domain, use.writes);
  }
  const std::vector<Ref<Action>> followers = std::exchange(action.edges.followers, {});
  observer_.completed(action);
  // Followers that are over were waiting for this completion.
  for (const Ref<Action>& after : followers) {
    if (after->driver.over) settle(*after);
  }
}

}  // namespace mkmd
