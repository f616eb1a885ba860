// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/life/roomy_stack.hpp"

#include "common/inside_call.hpp"
#include "common/signals_blocked.hpp"

#include <pthread.h>

#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>

namespace mkmd {

namespace {

struct Stack {
  uintptr_t lowest = 0, end = 0;  // both 0: not known
};

// Nothing here has a destructor: those of a thread's objects may have run when the program calls.
Stack stack_of_this_thread() {
  constinit thread_local Stack known;
  constinit thread_local bool asked = false;
  if (asked) return known;
  asked = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return known;
  void* address = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
    known.lowest = reinterpret_cast<uintptr_t>(address);
    known.end = known.lowest + size;
  }
  pthread_attr_destroy(&attributes);
  return known;
}

}  // namespace

bool has_room_on_stack() {
  constexpr uintptr_t kRoom = uintptr_t{256} << 10;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const Stack stack = stack_of_this_thread();
  return here < stack.end && here >= stack.lowest + kRoom;
}

void call_with_room(const std::function<void()>& call) {
  if (has_room_on_stack()) return call();
  std::exception_ptr thrown;
  const auto call_there = [&] {
    const InsideCall inside;
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  std::thread thread;
  try {
    const SignalsBlocked blocked;
    thread = std::thread(call_there);
  } catch (const std::system_error&) {
    return call();
  }
  thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace mkmd
