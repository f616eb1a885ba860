// SPDX-License-Identifier: Apache-2.0
// The state of the process: settings, the real devices, the one platform and device the program sees. It
// comes into being with the first OpenCL call, never in a constructor, and is never destroyed: programs call
// OpenCL from global destructors and exit handlers.
#pragma once

#include "common/process_exiting.hpp"
#include "common/settings.hpp"
#include "compiler/client.hpp"
#include "libinterpose/objects/objects.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

namespace mkmd {

namespace emulation {
class Machine;
}

struct Process {
  Settings settings;
  std::vector<vendor::Device> devices;  // those that share the work. Empty: no OpenCL on this machine
  // What the virtual device is (Rule 1): the first device, or the whole of which that is a sub-device. A
  // whole excludes its parts in time and runs what cannot be split as fast as without us (Rule 14).
  vendor::Device home;
  std::vector<int> domain;  // memory domain of each device; devices of one domain share buffers. Home's is 0
  int domain_count = 0;
  Platform* platform = nullptr;  // null if there is no device
  Device* device = nullptr;
  emulation::Machine* machine = nullptr;  // null unless devices are emulated
  compiler::Client* compiler = nullptr;   // null where nothing is ever split
  // Counted over all contexts, so that a trace is unambiguous.
  std::atomic<uint64_t> next_sequence{0};  // of captured commands
  std::atomic<uint64_t> next_buffer{1};    // of buffers that were planned for
  std::mutex numbers_mutex;
  std::vector<bool> numbers;  // those that live (LiveNumber)

  bool splits() const { return devices.size() > 1; }
  // Home has a lane of its own, behind those of the devices, unless it is one of them.
  bool home_is_whole() const { return home.id != devices.front().id; }
  // And the devices are its parts, all of them, and do not play devices with memories of their own.
  bool home_is_sum() const {
    return domain_count == 1 &&
           std::all_of(devices.begin(), devices.end(), [&](const auto& d) { return d.parent == home.id; });
  }
  int home_index() const { return home_is_whole() ? static_cast<int>(devices.size()) : 0; }
  size_t lane_count() const { return devices.size() + (home_is_whole() ? 1 : 0); }
  const vendor::Device& lane_device(size_t lane) const {
    return lane < devices.size() ? devices[lane] : home;
  }
  int lane_domain(size_t lane) const { return lane < devices.size() ? domain[lane] : 0; }
};

// The first call starts everything; thread-safe.
Process& process();
// Whether this thread is inside that first call: a vendor that is being loaded calls an exported function of
// ours.
bool process_starting();

// In a child of fork the drivers' threads do not exist: inherited handles answer CL_OUT_OF_RESOURCES.
extern std::atomic<bool> process_forked;
// Set once exit handlers run: our threads make no more driver calls, later work is done on the caller's
// thread.

// Our exit handler is to run before what drivers register for the process's end: it is registered anew where
// they may have registered more.
void register_exit_handler();

// Runs `call` soon on a thread of ours, outside every lock: the program's own callbacks. In order. After exit
// has begun it runs at once, on the caller's thread.
void run_callback(std::function<void()> call);

}  // namespace mkmd
