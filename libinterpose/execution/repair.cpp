// SPDX-License-Identifier: Apache-2.0
// The part of Progress that repairs failures of helpers. A helper may refuse an action, or the action's event
// ends with an error. Then home repeats it in the same memory, before the action becomes complete. Followers
// that a driver ran behind it have read wrong bytes, and are repeated, too. An action cannot be repeated if
// the bytes that it reads may be overwritten. The program then gets the error.
#include "libinterpose/execution/progress.hpp"

#include "common/log.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace mkmd {

namespace {

using Actions = std::vector<Ref<Action>>;

bool is_with_driver(const Action& action) {
  return action.state == Action::State::submitting || action.state == Action::State::submitted;
}

void visit(const Ref<Action>& action, std::set<const Action*>& seen, Actions& later_first) {
  if (!seen.insert(action.get()).second) return;
  for (const Ref<Action>& after : action->edges.followers) {
    if (is_with_driver(*after)) visit(after, seen, later_first);
  }
  later_first.push_back(action);
}

// The failed actions and their followers in drivers. Each comes after the actions that it follows.
Actions with_followers(const Actions& failures) {
  std::set<const Action*> seen;
  Actions actions;
  for (const Ref<Action>& action : failures)
    visit(action, seen, actions);
  std::reverse(actions.begin(), actions.end());
  return actions;
}

// Whether a repetition reads the bytes that the first execution had to read. A failed action has written some
// of the bytes that it will write again, with the same values. Followers may have written any values within
// their ranges.
bool can_be_repeated(const Actions& actions, const Actions& failures, bool may_compile) {
  std::map<const Memory*, ByteRanges> written;  // null: the program's own memory
  const auto add = [&](const Action& action) {
    for (const BufferUse& use : action.uses)
      written[use.root].unite(use.writes);
  };
  for (const Ref<Action>& action : actions) {
    if (!action->elsewhere.redo) return false;
    if (!may_compile && action->piece.device >= 0) return false;  // home may have no code for it
    if (action->driver.begun) add(*action);
    for (const Ref<Action>& after : action->edges.followers) {
      if (after->driver.spoiled) add(*after);
    }
  }
  std::map<const Memory*, ByteRanges> renewed;
  for (const Ref<Action>& action : actions) {
    const bool failed = std::find(failures.begin(), failures.end(), action) != failures.end();
    for (const BufferUse& use : action->uses) {
      ByteRanges found = failed ? use.reads : use.needed;
      found.subtract(renewed[use.root]);
      if (found.overlaps(written[use.root])) return false;
    }
    for (const BufferUse& use : action->uses) {
      ByteRanges sure = use.writes;
      if (failed) sure.subtract(use.needed);
      renewed[use.root].unite(sure);
    }
  }
  return true;
}

// Followers that are not submitted wait for the action's completion in place of its event.
void hold_back_followers(Action& action) {
  for (const Ref<Action>& after : std::exchange(action.edges.followers, {})) {
    if (after->state != Action::State::waiting && after->state != Action::State::ready) continue;
    const auto chained =
        std::find(after->edges.chained.begin(), after->edges.chained.end(), Ref<Action>(&action));
    if (chained == after->edges.chained.end()) continue;
    after->edges.chained.erase(chained);
    if (std::erase(action.edges.on_submit, after) == 0) {
      ++after->edges.blockers;
      auto& ready = after->lane->ready;
      const auto [first, last] = ready.equal_range(after);
      if (const auto it = std::find(first, last, after); it != last) ready.erase(it);
      after->state = Action::State::waiting;
    }
    action.edges.on_complete.push_back(after);
    action.edges.awaited.store(true);
  }
}

}  // namespace

void Progress::mark_over(Action& action, cl_int status) {
  if (action.complete() || action.driver.over) return;
  if (action.lane == &lanes_.program()) status = CL_SUCCESS;
  action.driver.over = true;
  action.status = status;
  if (action.lane->is_queue()) {
    std::erase(action.lane->under_way, Ref<Action>(&action));
    if (action.is_part()) --action.lane->parts_in_flight;
  }
  if (is_lost(action)) return;
  settle(action);
  if (!failures_.empty() && !gate_.is_halted()) repair_failures();
}

// The action is over. It becomes complete with its predecessors, or has to be repeated.
void Progress::settle(Action& action) {
  if (action.complete() || !action.driver.over) return;
  if (std::any_of(action.edges.chained.begin(), action.edges.chained.end(),
                  [](const Ref<Action>& before) { return !before->complete(); })) {
    for (const Ref<Action>& before : action.edges.chained)
      before->edges.awaited.store(true);
    return;
  }
  if (failed() < 0) return mark_complete(action, failed());
  if (action.status >= 0) return mark_complete(action, CL_SUCCESS);
  const bool of_helper = action.lane != &lanes_.home() && action.lane != &lanes_.repair();
  if (!of_helper || !action.elsewhere.redo) return give_up(action, action.status);
  if (std::find(failures_.begin(), failures_.end(), Ref<Action>(&action)) == failures_.end())
    failures_.emplace_back(&action);
}

void Progress::repair_failures() {
  const Actions actions = with_followers(failures_);
  // Repairs begin when no driver uses the bytes any more. The last action to end calls this again.
  if (std::any_of(actions.begin(), actions.end(), [](const Ref<Action>& a) { return !a->driver.over; }))
    return;
  const Actions failures = std::exchange(failures_, {});
  for (const Ref<Action>& action : failures) {
    const bool was_refused = action->status == CL_OUT_OF_RESOURCES && refusal(*action) < 0;
    if (!was_refused) devices_->note_trouble(*action->lane, "what it was given", action->status);
  }
  if (can_be_repeated(actions, failures, devices_->may_compile())) return start_repairs(actions);
  give_up(*failures.front(), failures.front()->status);
  for (const Ref<Action>& action : actions)
    settle(*action);
}

void Progress::start_repairs(const Actions& actions) {
  Lane& repair = lanes_.repair();
  for (const Ref<Action>& action : actions) {
    hold_back_followers(*action);
    action->loss.repaired_in = action->works_in();
    action->lane = &repair;
    action->state = Action::State::waiting;
    action->driver.over = false;
    action->driver.spoiled = action->driver.begun;
    action->status = CL_SUCCESS;
    action->piece.seconds = 0;
    action->elsewhere.moved = nullptr;
    action->work = action->elsewhere.redo(repair);
  }
  for (const Ref<Action>& action : actions) {
    for (const Ref<Action>& before : std::exchange(action->edges.chained, {})) {
      if (before->complete()) continue;
      before->edges.on_complete.push_back(action);
      ++action->edges.blockers;
    }
    push(action);
  }
}

// The content of the context's buffers is unknown from now on.
void Progress::give_up(Action& action, cl_int status) {
  if (failed() == CL_SUCCESS) {
    log(LogLevel::error, std::string(action.origin.what) + " failed (" + std::to_string(status) +
                             ") and cannot be repeated: all later commands of the context fail, too");
    failed_.store(status, std::memory_order_release);
  }
  mark_complete(action, status);
}

}  // namespace mkmd
