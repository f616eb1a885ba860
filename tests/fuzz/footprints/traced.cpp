// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/footprints/traced.hpp"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <random>
#include <string_view>
#include <sys/mman.h>
#include <utility>

namespace mkmd::fuzz {

Passed passed;

namespace {

constexpr size_t kApart = size_t{1} << 30;  // nothing else lies between buffers
// At odd distances: an offset that is a round number leads from no buffer to another one.
constexpr size_t place_of(size_t index) {
  return kApart * index + kApart / 2 + 4096 * (index * 7919 + 13);
}
constexpr long kMostSteps = 300'000;  // of a launch, in basic blocks

struct Item {
  size_t group[3], local[3];
  Shape shape;
} item;
std::vector<Touched>* now = nullptr;
long steps = 0;
bool in_update = false;
struct {  // a plain write that is about to happen
  Touched* touched = nullptr;
  const unsigned char* from = nullptr;
  size_t begin = 0, end = 0;
} coming;
sigjmp_buf leave;
std::mt19937_64 any;

unsigned char* arena() {
  static unsigned char* const first = [] {
    void* all = mmap(nullptr, kApart * (kMostArguments + 1), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    auto* at = static_cast<unsigned char*>(all);
    for (size_t i = 0; i < kMostArguments; ++i)
      mprotect(at + place_of(i), kBytes, PROT_READ | PROT_WRITE);
    return at;
  }();
  return first;
}

[[noreturn]] void stop(Outcome outcome) {
  siglongjmp(leave, static_cast<int>(outcome));
}

// The stack, what is passed, and constants of the kernel's library.
bool is_private(const unsigned char* at) {
  static const std::pair<const unsigned char*, const unsigned char*> stack = [] {
    pthread_attr_t attributes;
    void* lo = nullptr;
    size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &lo, &size);
    pthread_attr_destroy(&attributes);
    const auto* first = static_cast<const unsigned char*>(lo);
    return std::pair(first, first + size);
  }();
  const auto* own = reinterpret_cast<const unsigned char*>(&passed);
  if ((at >= stack.first && at < stack.second) || (at >= own && at < own + sizeof passed)) return true;
  Dl_info info;
  return dladdr(at, &info) != 0 && std::string_view(info.dli_fname).ends_with(".kernels.so");
}

void note_what_came() {
  if (coming.touched == nullptr) return;
  Touched& touched = *std::exchange(coming.touched, nullptr);
  touched.stored.resize(kBytes);
  for (size_t i = coming.begin; i < coming.end; ++i) {
    const unsigned char byte = coming.from[i];
    if (touched.plain_writes[i] && touched.stored[i] != byte) touched.stored_varies.set(i);
    touched.stored[i] = byte;
    touched.plain_writes.set(i);
  }
}

void touch(const void* address, size_t bytes, bool writes) {
  note_what_came();
  if (bytes == 0) return;
  const auto* at = static_cast<const unsigned char*>(address);
  const unsigned char* first = arena();
  if (at < first || at >= first + kApart * kMostArguments) {
    if (!is_private(at)) stop(Outcome::outside);
    return;
  }
  const size_t index = static_cast<size_t>(at - first) / kApart;
  const unsigned char* begin = buffer(index);
  if (index >= now->size() || at < begin || bytes > kBytes || at - begin > static_cast<long>(kBytes - bytes))
    stop(Outcome::outside);
  Touched& touched = (*now)[index];
  for (size_t i = static_cast<size_t>(at - begin), end = i + bytes; i < end; ++i) {
    (writes ? touched.writes : touched.reads).set(i);
    if (in_update)
      touched.updates.set(i);
    else if (!writes)
      touched.plain_reads.set(i);
  }
  if (writes && !in_update) {
    const auto at_first = static_cast<size_t>(at - begin);
    coming = {&touched, begin, at_first, at_first + bytes};
  }
}

void crashed(int) {
  stop(Outcome::crash);
}

void handle_crashes() {
  static char stack[1 << 16];
  const stack_t other{stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_NODEFER | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL})
    sigaction(signal, &action, nullptr);
}

void run_group(Kernel kernel) {
  const Shape& s = item.shape;
  for (item.local[2] = 0; item.local[2] < s.local[2]; ++item.local[2])
    for (item.local[1] = 0; item.local[1] < s.local[1]; ++item.local[1])
      for (item.local[0] = 0; item.local[0] < s.local[0]; ++item.local[0])
        kernel(passed.addresses.data());
  note_what_came();
}

}  // namespace

unsigned char* buffer(size_t index) {
  return arena() + place_of(index);
}

Outcome run(Kernel kernel, const Shape& shape, size_t buffers, std::vector<std::vector<Touched>>& touched) {
  handle_crashes();
  touched.assign(shape.group_count(), std::vector<Touched>(buffers));
  item.shape = shape;
  steps = kMostSteps;
  in_update = false;
  coming.touched = nullptr;
  any.seed(1);
  if (const int outcome = sigsetjmp(leave, 1); outcome != 0) return static_cast<Outcome>(outcome);
  for (item.group[2] = 0; item.group[2] < shape.groups[2]; ++item.group[2])
    for (item.group[1] = 0; item.group[1] < shape.groups[1]; ++item.group[1])
      for (item.group[0] = 0; item.group[0] < shape.groups[0]; ++item.group[0]) {
        now = &touched[shape.group(item.group[0], item.group[1], item.group[2])];
        run_group(kernel);
      }
  return Outcome::usable;
}

}  // namespace mkmd::fuzz

// What the kernel's code calls.
using namespace mkmd::fuzz;
extern "C" {
void __sanitizer_cov_trace_pc() {
  if (--steps < 0) stop(Outcome::endless);
}
void __asan_init() {}
void __asan_version_mismatch_check_v8() {}
void __asan_handle_no_return() {}
#define ACCESS(bytes)                                                                                        \
  void __asan_load##bytes(const void* at) {                                                                  \
    touch(at, bytes, false);                                                                                 \
  }                                                                                                          \
  void __asan_store##bytes(const void* at) {                                                                 \
    touch(at, bytes, true);                                                                                  \
  }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
#undef ACCESS
void __asan_loadN(const void* at, size_t bytes) {
  touch(at, bytes, false);
}
void __asan_storeN(const void* at, size_t bytes) {
  touch(at, bytes, true);
}
void* __asan_memcpy(void* to, const void* from, size_t bytes) {
  touch(from, bytes, false);
  touch(to, bytes, true);
  return std::memmove(to, from, bytes);
}
void* __asan_memmove(void* to, const void* from, size_t bytes) {
  return __asan_memcpy(to, from, bytes);
}
void* __asan_memset(void* to, int value, size_t bytes) {
  touch(to, bytes, true);
  return std::memset(to, value, bytes);
}
#define OVERFLOW(name)                                                                                       \
  void __ubsan_handle_##name##_overflow() {                                                                  \
    stop(Outcome::overflow);                                                                                 \
  }
OVERFLOW(add)
OVERFLOW(sub)
OVERFLOW(mul)
OVERFLOW(negate)
OVERFLOW(divrem)
#undef OVERFLOW

// functions.cl
void update_begins() {
  in_update = true;
}
void update_ends() {
  in_update = false;
}
long any_number() {
  return static_cast<long>(any() >> (any() % 64));
}

// OpenCL C's, by their mangled names.
#define WORK_ITEM(name, value, beyond)                                                                       \
  size_t name(unsigned d) {                                                                                  \
    return d < 3 ? (value) : (beyond);                                                                       \
  }
WORK_ITEM(_Z12get_local_idj, item.local[d], 0)
WORK_ITEM(_Z12get_group_idj, item.group[d], 0)
WORK_ITEM(_Z14get_local_sizej, item.shape.local[d], 1)
WORK_ITEM(_Z14get_num_groupsj, item.shape.groups[d], 1)
WORK_ITEM(_Z15get_global_sizej, item.shape.groups[d] * item.shape.local[d], 1)
WORK_ITEM(_Z17get_global_offsetj, item.shape.offset[d], 0)
WORK_ITEM(_Z13get_global_idj, item.group[d] * item.shape.local[d] + item.local[d] + item.shape.offset[d], 0)
#undef WORK_ITEM
unsigned _Z12get_work_dimv() {
  return item.shape.dimensions;
}
}
