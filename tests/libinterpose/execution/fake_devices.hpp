// SPDX-License-Identifier: Apache-2.0
// Devices of tests. Their time is virtual, and nothing is executed. They do what a test tells them: take so
// long, refuse an action, fail at it, or never end it. They may also say late or never that it is over. One
// thread, no driver, no clock. FakeDevices has more than 15 fields: most are what a test tells them.
#pragma once

#include "libinterpose/execution/devices.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mkmd {

class FakeDevices : public Devices {
public:
  static constexpr cl_ulong kTakes = 1'000'000;  // nanoseconds, where a test says nothing else
  static constexpr cl_ulong kForEver = UINT64_MAX;

  // What happens to an action, by its pointer. All of it happens once: what is done again succeeds.
  struct Script {
    cl_ulong takes = kTakes;
    cl_int refused = CL_SUCCESS;  // by submit()
    cl_int fails = CL_SUCCESS;    // its end
    bool silent = false;          // nobody is told of its end
    bool late = false;            // nobody is before tell_late()
    bool lost = false;            // of a threaded lane: its device is gone
    bool begun = false;           // though it was under way
  };
  std::map<const Action*, Script> scripts;
  std::vector<std::string> troubles;
  int flushes = 0;
  std::function<void(const Lane&)> on_help;  // called by threads of the executor
  bool compiles = true;
  uint32_t gone = 0;  // memories whose devices are not there any more, by domain, one bit each

  struct Done {
    const Action* action;
    const Lane* lane;
    cl_ulong started, ended;
    cl_int status;
  };
  std::vector<Done> done;  // also what failed; in the order of their ends

  cl_ulong now() const override { return now_; }
  void wait(cl_ulong nanoseconds) { now_ += nanoseconds; }

  Submission submit(Action& action, std::span<const Ref<Action>> before, Listener& listener) override {
    for (const Ref<Action>& one : before) {
      const auto ended = ends_.find(one.get());
      if (ended != ends_.end() && ended->second < 0) return {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
    }
    if (find_out(*action.lane)) return {CL_DEVICE_NOT_AVAILABLE};
    if (const cl_int refused = std::exchange(scripts[&action].refused, CL_SUCCESS); refused < 0)
      return {refused};
    const Action::Outcome outcome = action.work({});
    if (outcome.status < 0) return {outcome.status};
    action.driver.begun = true;
    ends_.erase(&action);
    under_way_.push_back({Ref<Action>(&action), {before.begin(), before.end()}, &listener, action.lane});
    listener.under_way(action);
    return {CL_SUCCESS, true};
  }

  cl_int run(Action& action, cl_int refused) override {
    Script& script = scripts[&action];
    action.times.started = now_;
    if (refused >= 0 && find_out(*action.lane)) return CL_DEVICE_NOT_AVAILABLE;
    if (script.lost) {
      action.times.ended = now_;
      action.loss.device_lost = true;
      action.driver.begun = script.begun;
      return CL_OUT_OF_RESOURCES;
    }
    // Another threaded lane is that of repairs.
    const bool scripted = action.lane->transfers();
    cl_int status = refused;
    if (status >= 0 && scripted) status = std::exchange(script.refused, CL_SUCCESS);
    if (status >= 0) status = action.work({}).status;
    if (status >= 0) {
      now_ += script.takes;
      action.driver.begun = true;
      if (scripted) status = std::exchange(script.fails, CL_SUCCESS);
    }
    action.times.ended = now_;
    done.push_back({&action, action.lane, action.times.started, action.times.ended, status});
    return status;
  }

  void flush(Lane&) override { ++flushes; }
  void help(const Lane& lane) override {
    if (on_help) on_help(lane);
  }

  std::optional<cl_int> status(const Action& action) override {
    const auto ended = ends_.find(&action);
    return ended != ends_.end() ? ended->second : CL_QUEUED;
  }

  cl_int end(Action& action, cl_int told, cl_ulong) override {
    const auto times = times_.find(&action);
    if (times != times_.end()) {
      action.times.started = times->second.first;
      action.times.ended = times->second.second;
    } else {
      action.times.ended = now_;
    }
    return told;
  }

  void note_trouble(const Lane&, const char* what, cl_int) override { troubles.emplace_back(what); }
  bool may_compile() const override { return compiles; }
  bool has_failed(int) const override { return false; }
  bool is_lost(int domain) const override { return (lost_ >> domain & 1u) != 0; }
  void look_after(const Lane& lane) override { find_out(lane); }
  void forget(Action&) override {}
  void note_again(size_t) override {}

  // Time goes on until the next action ends, and somebody is told. False: nothing can end any more.
  bool advance() {
    const UnderWay* next = nullptr;
    cl_ulong earliest = 0;
    for (const UnderWay& one : under_way_) {
      const auto ends = end_of(one);
      if (ends && (next == nullptr || *ends < earliest)) {
        next = &one;
        earliest = *ends;
      }
    }
    if (next == nullptr) return false;
    const UnderWay one = *next;
    const cl_ulong started = *start_of(one);
    std::erase_if(under_way_, [&](const UnderWay& other) { return other.action == one.action; });
    Action& action = *one.action;
    Script& script = scripts[&action];
    now_ = std::max(now_, earliest);
    free_[one.lane] = earliest;
    const cl_int status = std::exchange(script.fails, CL_SUCCESS);
    ends_[&action] = status;
    times_[&action] = {started, earliest};
    done.push_back({&action, action.lane, started, earliest, status});
    if (script.late)
      late_.push_back({one.action, one.listener, status});
    else if (!script.silent)
      tell({one.action, one.listener, status});
    return true;
  }
  void tell_late() {
    for (const End& end : std::exchange(late_, {}))
      tell(end);
  }
  size_t under_way() const { return under_way_.size(); }

private:
  bool find_out(const Lane& lane) {
    lost_ |= gone & (1u << lane.domain);
    return is_lost(lane.domain);
  }

  struct End {
    Ref<Action> action;
    Listener* listener;
    cl_int status;
  };
  static void tell(const End& end) {
    if (!end.action->driver.heard.exchange(true)) end.listener->ended(*end.action, end.status);
  }

  struct UnderWay {
    Ref<Action> action;
    std::vector<Ref<Action>> before;
    Listener* listener;
    const Lane* lane;  // where it was submitted: it may be done again elsewhere
  };

  // It waits for what has failed, or for what never starts.
  bool never_starts(const UnderWay& one) const {
    return std::any_of(one.before.begin(), one.before.end(), [&](const Ref<Action>& before) {
      const auto ended = ends_.find(before.get());
      if (ended != ends_.end()) return ended->second < 0;
      return std::any_of(under_way_.begin(), under_way_.end(), [&](const UnderWay& other) {
        return other.action == before && never_starts(other);
      });
    });
  }

  // Null: something that it comes after is under way still, or has failed: as with PoCL, it then never
  // starts.
  std::optional<cl_ulong> start_of(const UnderWay& one) const {
    for (const UnderWay& other : under_way_) {
      if (other.action == one.action) break;
      // Each lane is an in-order queue, which goes on behind what will never start.
      if (other.lane == one.lane && !never_starts(other)) return std::nullopt;
    }
    const auto free = free_.find(one.lane);
    cl_ulong start = std::max(free != free_.end() ? free->second : 0, one.action->times.started);
    for (const Ref<Action>& before : one.before) {
      const auto ended = ends_.find(before.get());
      if (ended == ends_.end() || ended->second < 0) return std::nullopt;
      start = std::max(start, times_.at(before.get()).second);
    }
    return start;
  }
  std::optional<cl_ulong> end_of(const UnderWay& one) const {
    if ((gone >> one.lane->domain & 1u) != 0) return std::nullopt;
    const auto start = start_of(one);
    const auto script = scripts.find(one.action.get());
    const cl_ulong takes = script != scripts.end() ? script->second.takes : kTakes;
    if (takes == kForEver) return std::nullopt;
    return start ? std::optional(*start + takes) : std::nullopt;
  }

  cl_ulong now_ = 1;
  uint32_t lost_ = 0;  // those in `gone` of which somebody knows
  std::vector<UnderWay> under_way_;
  std::vector<End> late_;
  std::map<const Lane*, cl_ulong> free_;
  std::map<const Action*, cl_int> ends_;
  std::map<const Action*, std::pair<cl_ulong, cl_ulong>> times_;
};

}  // namespace mkmd
