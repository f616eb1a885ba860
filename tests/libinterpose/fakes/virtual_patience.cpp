// SPDX-License-Identifier: Apache-2.0
// Calls that may not return, without threads: the fake driver says which would not have.
#include "libinterpose/vendor/patience.hpp"
#include "tests/libinterpose/fakes/fake_driver.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

namespace mkmd::vendor {

bool is_late(const void* object) {
  return fake::Driver::current != nullptr && fake::Driver::current->late.count(object) > 0;
}

bool returns_in_time(const void* object, std::function<void()> call) {
  constexpr cl_ulong kPatience = 5'000'000'000;
  if (is_late(object)) return false;
  fake::Driver* const driver = fake::Driver::current;
  if (driver == nullptr) return call(), true;
  driver->makes_call_in_time = true;
  driver->has_not_returned = false;
  call();
  driver->makes_call_in_time = false;
  if (!driver->has_not_returned) return true;
  driver->late.insert(object);
  const cl_ulong until = virtual_time::now() + kPatience;
  while (driver->advance(until)) {
  }
  virtual_time::advance_to(until);
  return false;
}

}  // namespace mkmd::vendor
