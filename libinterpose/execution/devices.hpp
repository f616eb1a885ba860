// SPDX-License-Identifier: Apache-2.0
// Devices: what carries out the actions of an Executor. Three kinds exist: real ones (device/opencl_devices),
// emulated ones (device/emulated_devices), and those of tests, whose time is virtual. The executor asks none
// of them which it is. No function is called with the executor's mutex held, but for now(),
// note_trouble(), has_failed(), is_lost(), forget() and note_again().
#pragma once

#include "libinterpose/execution/action.hpp"

#include <optional>
#include <span>

namespace mkmd {

class Storage;

class Devices {
public:
  // Hears of what submit() has begun. From any thread, also before submit() returns.
  class Listener {
  public:
    virtual void under_way(Action& action) = 0;  // before it may end
    // Once for each action: only by who was first to set `heard`. `status` below 0: it has failed.
    virtual void ended(Action& action, cl_int status) = 0;

  protected:
    ~Listener() = default;
  };
  struct Submission {
    cl_int status = CL_SUCCESS;  // below 0: the device has refused it
    bool under_way = false;      // its end will be heard of; else it is over
  };

  virtual ~Devices() = default;

  // Nanoseconds of the clock that actions' times are on.
  virtual cl_ulong now() const = 0;

  // Gives an asynchronous lane's action to its device, to start when `before` are over. If one of them is
  // known to have failed, the submission fails.
  virtual Submission submit(Action& action, std::span<const Ref<Action>> before, Listener& listener) = 0;
  // Carries out a threaded lane's action, sets its times, and returns its outcome. `refused` below 0: the
  // executor wants this outcome, without work.
  virtual cl_int run(Action& action, cl_int refused) = 0;
  // Where the host may touch the bytes that lie in the lane's domain as `memory`, without a command. Null: it
  // may not.
  virtual char* host_bytes(Storage&, const Lane&, cl_mem) { return nullptr; }
  // Devices may wait for this before they begin with what they were given.
  virtual void flush(Lane& lane) = 0;

  // The execution status of an action under way. Null: the device does not say.
  virtual std::optional<cl_int> status(const Action& action) = 0;
  // The status with which an action has ended, of which a listener was told `told` at `heard` (nanoseconds of
  // the host's clock). Sets its times.
  virtual cl_int end(Action& action, cl_int told, cl_ulong heard) = 0;

  // Whether the device, by index, is gone for good: nothing should be planned on it any more.
  virtual bool has_failed(int device) const = 0;
  // Whether a memory, by domain, is gone with its devices.
  virtual bool is_lost(int domain) const = 0;
  // Finds out whether what the lane works with is still there. Asked now and then where there is no news.
  virtual void look_after(const Lane& lane) = 0;
  // Nobody wants to hear of the action's end any more.
  virtual void forget(Action& action) = 0;
  // After a loss: so many commands are done again.
  virtual void note_again(size_t commands) = 0;

  // Something given to the lane's device has failed.
  virtual void note_trouble(const Lane& lane, const char* what, cl_int status) = 0;
  // Whether home may be given code that it has not run yet.
  virtual bool may_compile() const = 0;
};

}  // namespace mkmd
