// SPDX-License-Identifier: Apache-2.0
// The state of the process: its configuration, what its contexts share, the one platform and device the
// program sees. It comes into being with the first OpenCL call, never in a constructor. It is never
// destroyed: programs call OpenCL from global destructors and exit handlers.
#pragma once

#include "common/process_exiting.hpp"
#include "compiler/client.hpp"
#include "libinterpose/capture/session.hpp"
#include "libinterpose/device/device_kind.hpp"
#include "libinterpose/life/beside_thread.hpp"
#include "libinterpose/life/compiler_turns.hpp"
#include "libinterpose/objects/objects.hpp"
#include "libinterpose/setup/configuration.hpp"

namespace mkmd {

class Profiler;
namespace verify {
class Verifier;
}

struct Process {
  Configuration configuration;
  Session* session = nullptr;
  Platform* platform = nullptr;  // null if there is no device
  Device* device = nullptr;
  bool ends_callbacks_before_waits = false;  // home's driver (vendor/callbacks.hpp)
  compiler::Client* compiler = nullptr;      // null where nothing is ever split
  BesideThread* analyses = nullptr;          // of programs, by `compiler`; null likewise
  CompilerTurns home_compiler;               // forks and the exit wait for who is inside a driver
  Profiler* profiler = nullptr;              // null unless kernels are profiled
  verify::Verifier* verifier = nullptr;      // null unless launches are verified
};

// The first call starts everything; thread-safe.
Process& process();
// Whether this thread is inside that first call: a vendor that is being loaded calls an exported function of
// ours.
bool process_starting();

// In a child of fork the drivers' threads do not exist: inherited handles answer CL_OUT_OF_RESOURCES.
extern std::atomic<bool> process_forked;
// Whatever ends the process by way of exit handlers calls this first: drivers can still compile then. In our
// handler they may have lost what they registered after us, for they may register something whenever they
// compile.
void before_exit_handlers();
// Our exit handler is to run before what drivers register for the process's end: it is registered anew where
// they may have registered more.
void register_exit_handler();

}  // namespace mkmd
