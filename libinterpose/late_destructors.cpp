// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/late_destructors.hpp"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <mutex>
#include <vector>

namespace mkmd {

namespace {

struct Registration {
  void (*function)(void*);
  void* argument;
  void* library;  // any address in the library that registered it
};

// Everything here works before our constructors and after our destructors have run.
struct Late {
  std::mutex mutex;
  std::vector<Registration> registrations;
  std::vector<const void*> libraries;  // of vendors: where they are loaded
};

Late& late() {
  static auto* late = new Late;
  return *late;
}

std::atomic<bool> any_loading{false};  // before that, not even a thread's own variables may be within reach
thread_local bool loading = false;
std::atomic<bool> any_vendor{false};
std::atomic<bool> placed{false};

// Where the library that holds the address is loaded; null: none does. Not dladdr, which searches all
// symbols: LLVM registers thousands of destructors.
const void* library_of(const void* address) {
  dl_find_object found{};
  return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_map_start : nullptr;
}

int real_cxa_atexit(void (*function)(void*), void* argument, void* library) {
  using CxaAtexit = int (*)(void (*)(void*), void*, void*);
  static const auto real = reinterpret_cast<CxaAtexit>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  return real(function, argument, library);
}

void run_late(void*) {
  for (;;) {  // a destructor may register another
    std::unique_lock lock(late().mutex);
    if (late().registrations.empty()) return;
    const Registration last = late().registrations.back();
    late().registrations.pop_back();
    lock.unlock();
    last.function(last.argument);
  }
}

// Before whatever the program itself registers, so that it runs after that: a library's constructors run
// before those of the program. (To see the program's first registration does not suffice: a program built for
// a sanitizer calls the sanitizer's __cxa_atexit.)
__attribute__((constructor)) void place() {
  if (!placed.exchange(true)) real_cxa_atexit(run_late, nullptr, nullptr);
}

bool is_vendor(const void* library) {
  if (any_loading.load(std::memory_order_relaxed) && loading) return true;
  if (!any_vendor.load(std::memory_order_acquire) || library == nullptr) return false;
  const void* base = library_of(library);
  std::lock_guard lock(late().mutex);
  return std::find(late().libraries.begin(), late().libraries.end(), base) != late().libraries.end();
}

int cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (is_vendor(library)) {
    std::lock_guard lock(late().mutex);
    late().registrations.push_back({function, argument, library});
    return 0;
  }
  return real_cxa_atexit(function, argument, library);
}

std::vector<const void*> loaded_libraries() {
  std::vector<const void*> bases;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        static_cast<std::vector<const void*>*>(out)->push_back(
            library_of(reinterpret_cast<const void*>(info->dlpi_phdr)));
        return 0;
      },
      &bases);
  std::sort(bases.begin(), bases.end());
  return bases;
}

}  // namespace

VendorLoading::VendorLoading() {
  place();
  before_ = loaded_libraries();
  any_loading.store(true, std::memory_order_relaxed);
  loading = true;
}

VendorLoading::~VendorLoading() {
  loading = false;
  const std::vector<const void*> now = loaded_libraries();
  std::lock_guard lock(late().mutex);
  std::set_difference(now.begin(), now.end(), before_.begin(), before_.end(),
                      std::back_inserter(late().libraries));
  // A library that came and went has no code left to run.
  std::erase_if(late().registrations, [](const Registration& one) {
    return one.library != nullptr && library_of(one.library) == nullptr;
  });
  any_vendor.store(true, std::memory_order_release);
}

}  // namespace mkmd

// With libc's own version, or no library would find it; not as the default, so that nothing that is linked
// with us comes to need it from us.
#ifdef __x86_64__
extern "C" {
__attribute__((visibility("default"))) int mkmd_cxa_atexit(void (*function)(void*), void* argument,
                                                           void* library) {
  return mkmd::cxa_atexit(function, argument, library);
}
}
__asm__(".symver mkmd_cxa_atexit, __cxa_atexit@GLIBC_2.2.5");
#endif
