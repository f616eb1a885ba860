// SPDX-License-Identifier: Apache-2.0
// Devices carry out the actions of an Executor. Three kinds exist: real ones (device/opencl_devices),
// emulated ones (device/emulated_devices), and those of tests, whose time is virtual. The executor does not
// know which kind it has. The executor's mutex may be held during calls of now(), note_trouble(),
// has_failed(), is_lost(), forget(), note_again() and may_compile(). It is not held during calls of others.
#pragma once

#include "libinterpose/execution/action.hpp"

#include <optional>
#include <span>

namespace mkmd {

class Storage;

class Devices {
public:
  // Is told of submitted actions, from any thread, also before submit() returns.
  class Listener {
  public:
    virtual void under_way(Action& action) = 0;  // before it may end
    // Called once for each action, by the thread that sets its `heard` first. An error status is below 0.
    virtual void ended(Action& action, cl_int status) = 0;

  protected:
    ~Listener() = default;
  };
  struct Submission {
    cl_int status = CL_SUCCESS;  // below 0: the device has refused the action
    bool under_way = false;      // the listener will be told of its end; else the action is over
  };

  virtual ~Devices() = default;

  // Nanoseconds of the clock of the actions' times.
  virtual cl_ulong now() const = 0;

  // Gives an action of a lane that is a queue to its device. It starts when the actions in `before` are over.
  // If one of them is known to have failed, the submission fails.
  virtual Submission submit(Action& action, std::span<const Ref<Action>> before, Listener& listener) = 0;
  // Carries out a threaded lane's action, sets its times, and returns its status. If `refused` is below 0,
  // the action is not carried out, and `refused` is its status.
  virtual cl_int run(Action& action, cl_int refused) = 0;
  // The address at which the host may use the bytes of `memory` in the lane's domain without a command. Null:
  // there is none.
  virtual char* host_bytes(Storage&, const Lane&, cl_mem) { return nullptr; }
  // Lets the device begin with the actions that it was given.
  virtual void flush(Lane& lane) = 0;

  // The execution status of an action under way. Null: the device does not say.
  virtual std::optional<cl_int> status(const Action& action) = 0;
  // The final status of an action. Sets its times. The listener was told `told` at `heard`, in nanoseconds of
  // the host's clock.
  virtual cl_int end(Action& action, cl_int told, cl_ulong heard) = 0;

  // Whether nothing should be planned on the device, by index, any more.
  virtual bool has_failed(int device) const = 0;
  // Whether a memory, by domain, is lost with its devices.
  virtual bool is_lost(int domain) const = 0;
  // Finds out whether the lane's device is still there. Called when no action has ended for a while.
  virtual void look_after(const Lane& lane) = 0;
  // The listener is not to be told of the action's end any more.
  virtual void forget(Action& action) = 0;
  // After a loss, so many commands are repeated.
  virtual void note_again(size_t commands) = 0;

  // An action or a call on the lane's device has failed.
  virtual void note_trouble(const Lane& lane, const char* what, cl_int status) = 0;
  // Whether home may be given code that it has not run yet.
  virtual bool may_compile() const = 0;

  // Waits until what the lane's device was given is over. The device may compute with this thread meanwhile.
  virtual void help(const Lane&) {}
};

}  // namespace mkmd
