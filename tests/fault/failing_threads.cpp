// SPDX-License-Identifier: Apache-2.0
// Preloaded: the system has no more threads for C++ code, from its $FAILING_THREADS-th std::thread on,
// counted from 1. The drivers' own threads begin in C code. A line is appended to $FAILING_COUNT for each
// refusal.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*), void* argument) {
  static std::atomic<int> made{0};
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  Dl_info where{};
  const char* first = std::getenv("FAILING_THREADS");
  const bool counts = first != nullptr && dladdr(reinterpret_cast<void*>(begin), &where) != 0 &&
                      std::strstr(where.dli_fname, "libstdc++") != nullptr;
  if (!counts || ++made < std::atoi(first)) return create(thread, attributes, begin, argument);
  if (const char* path = std::getenv("FAILING_COUNT")) {
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    (void)!write(file, "pthread_create\n", 15);
    close(file);
  }
  return EAGAIN;
}
