// SPDX-License-Identifier: Apache-2.0
// Hardware: what is true of a process's devices beside what their drivers do. It says how time passes for
// them, what their memories can hold, and whether their drivers' own times count. This class is real
// hardware, which keeps its own time, and whose drivers say what they cannot do. Thread-safe.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>

namespace mkmd {

class Hardware {
public:
  Hardware() = default;
  virtual ~Hardware() = default;
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;

  // Time.
  virtual double time_scale() const { return 1; }  // the host's nanoseconds per nanosecond of the devices
  // A command that goes straight to home's driver takes the time that it takes on home.
  virtual bool times_native_commands() const { return true; }
  virtual void note_native_command() {}  // one goes there, and no kernels are profiled
  // How long the planner looks at a window's commands before it plans those that it has seen (Rule 17).
  virtual double seconds_to_look() const { return 1e-3; }
  // The devices' time stands still while one of these lives: what happens is no part of what they do.
  class Standstill {
  public:
    explicit Standstill(Hardware& hardware) : hardware_(hardware) { hardware_.stop_time(); }
    ~Standstill() { hardware_.resume_time(); }
    Standstill(const Standstill&) = delete;
    Standstill& operator=(const Standstill&) = delete;

  private:
    Hardware& hardware_;
  };

  // Work of the calling thread for the devices, from begin_host_work() on. It takes time of theirs.
  struct HostWork {
    uint64_t began = 0;      // by the devices' clock
    uint64_t used_core = 0;  // nanoseconds, by the thread, until then
  };
  virtual HostWork begin_host_work() const { return {}; }
  virtual void owe(const HostWork&) {}  // paid with the next pay()
  // The instant of the devices' clock at which the work, and all that was owed, is done. 0: it is done.
  virtual uint64_t pay(const HostWork&) { return 0; }
  virtual void wait_until(uint64_t) {}  // that instant

  // Memories, by domain. Memory for a buffer of so many bytes: false if there is no room.
  virtual bool allocate(int, uint64_t) { return true; }
  virtual void release(int, uint64_t) {}
  virtual bool has_room(int, uint64_t) const { return true; }
  // Its memories are apart, also where their drivers would share bytes.
  virtual bool has_own_memories() const { return false; }
  // What images and shared virtual memory hold is not known to it.
  virtual bool has_only_buffers() const { return false; }
  // Each memory sends one transfer at a time, and takes one.
  virtual bool has_exclusive_ports() const { return false; }

  // At the process's end: for its summary, and what the user has to know.
  virtual void add_to_summary(nlohmann::json&) const {}
  virtual void report() const {}

private:
  virtual void stop_time() {}
  virtual void resume_time() {}
};

}  // namespace mkmd
