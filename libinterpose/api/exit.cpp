// SPDX-License-Identifier: Apache-2.0
// exit(), on whichever thread: a driver that compiles beside the program must be done before its own exit
// handlers run. They come before ours if the driver registered them later, as compilers do.
#include "libinterpose/process.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) void exit(int status) noexcept {
  using Exit = void (*)(int);
  mkmd::before_exit_handlers();
  if (const auto real = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "exit")); real != nullptr) real(status);
  _exit(status);
}
