// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/objects/shared_virtual.hpp"

#include "common/thread_annotations.hpp"

#include <functional>
#include <map>

namespace mkmd {

namespace {

// Never destroyed, as everything that belongs to the process.
struct Ranges {
  Mutex mutex;
  std::map<const char*, size_t, std::greater<>>
      bytes GUARDED_BY(mutex);  // by their beginnings, the last one first
};

Ranges& ranges() {
  static auto* state = new Ranges;
  return *state;
}

}  // namespace

void remember_shared_virtual(const void* begin, size_t bytes) {
  Ranges& state = ranges();
  const Lock lock(state.mutex);
  state.bytes[static_cast<const char*>(begin)] = bytes;
}

void forget_shared_virtual(const void* begin) {
  Ranges& state = ranges();
  const Lock lock(state.mutex);
  state.bytes.erase(static_cast<const char*>(begin));
}

bool is_shared_virtual(const void* pointer) {
  Ranges& state = ranges();
  const Lock lock(state.mutex);
  const auto* at = static_cast<const char*>(pointer);
  const auto range = state.bytes.lower_bound(at);  // the last one that does not begin behind it
  return range != state.bytes.end() && static_cast<size_t>(at - range->first) < range->second;
}

}  // namespace mkmd
