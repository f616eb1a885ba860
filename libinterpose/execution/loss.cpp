// SPDX-License-Identifier: Apache-2.0
// The part of Progress that stops all work when a device is lost. Actions of the lost device are not waited
// for. Actions under way on other devices end. Then the observer decides which commands are repeated.
#include "libinterpose/execution/progress.hpp"

#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace mkmd {

namespace {

// Each waiting action is in a list of an action that it waits for.
std::vector<Ref<Action>> unfinished(const Lanes& lanes, const std::vector<Ref<Action>>& others) {
  std::vector<Ref<Action>> found;
  std::set<const Action*> seen;
  const auto add = [&](const auto& actions) {
    for (const Ref<Action>& action : actions) {
      if (!action->complete() && seen.insert(action.get()).second) found.push_back(action);
    }
  };
  const auto add_lane = [&](const Lane& lane) {
    add(lane.ready);
    add(lane.under_way);
  };
  for (const auto& lane : lanes.all())
    add_lane(*lane);
  add_lane(lanes.repair());
  add_lane(lanes.program());
  add(others);
  for (size_t i = 0; i < found.size(); ++i) {
    const Ref<Action> action = found[i];
    add(action->edges.on_submit);
    add(action->edges.on_complete);
    add(action->edges.followers);
  }
  return found;
}

}  // namespace

// The action is over. If its device or a memory is lost, it stays incomplete, and no other action starts.
bool Progress::is_lost(Action& action) {
  const auto is_gone = [&] {
    if (!makes_losses_good_ || action.status >= 0 || failed() < 0) return false;
    return devices_->is_lost(action.works_in()) ||
           (action.transfer.bytes > 0 && devices_->is_lost(action.transfer.from_domain));
  };
  if (!action.loss.device_lost && !is_gone()) return false;
  action.loss.device_lost = true;
  action.work = nullptr;
  gate_.halt();
  lost_.emplace_back(&action);
  observer_.lost(action);
  return true;
}

void Progress::abandon_lost() {
  for (const auto& lane : lanes_.all()) {
    if (!lane->is_queue() || !devices_->is_lost(lane->domain)) continue;
    for (const Ref<Action>& action : std::vector<Ref<Action>>(lane->under_way)) {
      if (action->state != Action::State::submitted || action->driver.heard.exchange(true)) continue;
      devices_->forget(*action);
      lane->unposted.fetch_sub(1);
      if (action->origin.of_queue != nullptr) action->origin.of_queue->fetch_sub(1);
      action->driver.begun = true;
      mark_over(*action, CL_OUT_OF_RESOURCES);
    }
  }
}

bool Progress::stop_after_loss() {
  gate_.halt();
  abandon_lost();
  return !is_running();
}

bool Progress::is_running() const {
  return gate_.is_running() || std::any_of(lanes_.all().begin(), lanes_.all().end(), [](const auto& lane) {
           return lane->is_queue() && !lane->under_way.empty();
         });
}

std::vector<Ref<ActionOwner>> Progress::drop_unfinished() {
  lost_.insert(lost_.end(), failures_.begin(), failures_.end());
  failures_.clear();
  const std::vector<Ref<Action>> actions = unfinished(lanes_, lost_);
  lost_.clear();
  const auto is_ours = [this](const Ref<Action>& action) { return action->lane != &lanes_.program(); };
  std::vector<Ref<ActionOwner>> owners;
  for (const Ref<Action>& action : actions) {
    if (!is_ours(action)) {
      std::erase_if(action->edges.on_complete, is_ours);
      continue;
    }
    // It may have written bytes, and its predecessors are lost or were to be repeated.
    if ((action->driver.over || action->driver.spoiled) && !action->loss.device_lost) {
      action->driver.begun = true;
      observer_.lost(*action);
    }
    if (action->origin.owner) owners.push_back(action->origin.owner);
    action->edges.chained.clear();
    action->edges.followers.clear();
    action->edges.on_submit.clear();
    action->edges.on_complete.clear();
    action->status = CL_OUT_OF_RESOURCES;
    action->state = Action::State::complete;
    if (action->driver.calls == 0) graveyard_.let_go_later(*action);
  }
  const auto clear = [](Lane& lane) {
    lane.ready = {};
    lane.to_come.clear();
    lane.under_way.clear();
    lane.parts_in_flight = 0;
  };
  for (const auto& lane : lanes_.all())
    clear(*lane);
  clear(lanes_.repair());
  return owners;
}

}  // namespace mkmd
