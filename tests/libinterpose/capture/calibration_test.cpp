// SPDX-License-Identifier: Apache-2.0
// What devices of the fake driver are measured to reach.
#include "libinterpose/timing/calibration.hpp"
#include "tests/libinterpose/fakes/fake_driver.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace mkmd {
namespace {

// A simulator and a quick driver both run kernels in the thread that waits.
TEST(Calibration, TellsASlowDeviceFromAQuickOneInLittleTime) {
  for (const char* name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME"})
    unsetenv(name);
  virtual_time::reset();
  fake::Driver driver(2);
  driver.compiler.builds_all = true;
  for (const char* kernel : {"compute", "stream"})
    driver.kernels[kernel] = [](const std::vector<fake::Argument>&, size_t) {};
  driver[0].per_item = 1;  // nanoseconds
  driver[1].per_item = 1e5;
  std::vector<vendor::Device> devices;
  for (size_t d = 0; d < 2; ++d) {
    vendor::Device device{};
    device.platform = driver.platform();
    device.id = driver.device(d);
    device.name = device.device_name = driver[d].name;
    device.synchronous = true;
    devices.push_back(device);
  }
  const cl_ulong began = virtual_time::now();
  const Calibration found = calibrate(devices, {0, 1});
  EXPECT_LT(virtual_time::now() - began, 2'000'000'000);
  constexpr double kOperations = 256;  // of a work-item
  EXPECT_NEAR(found.devices[0].operations_per_second, kOperations * 1e9, 0.1 * kOperations * 1e9);
  EXPECT_NEAR(found.devices[1].operations_per_second, kOperations * 1e4, 0.1 * kOperations * 1e4);
  EXPECT_NEAR(found.devices[0].bytes_per_second, 8e9, 0.1 * 8e9);
  EXPECT_NEAR(found.devices[1].bytes_per_second, 8e4, 0.1 * 8e4);
}

}  // namespace
}  // namespace mkmd
