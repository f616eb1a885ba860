// SPDX-License-Identifier: Apache-2.0
// What devices of the fake driver are measured to reach.
#include "libinterpose/timing/calibration.hpp"
#include "tests/libinterpose/fakes/fake_driver.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace mkmd {
namespace {

class Calibrated : public testing::Test {
protected:
  Calibrated() {
    for (const char* name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME"})
      unsetenv(name);
    virtual_time::reset();
    driver_.compiler.builds_all = true;
    for (const char* kernel : {"compute", "stream"})
      driver_.kernels[kernel] = [](const std::vector<fake::Argument>&, size_t) {};
    for (size_t d = 0; d < 2; ++d) {
      vendor::Device device{};
      device.platform = driver_.platform();
      device.id = driver_.device(d);
      device.name = device.device_name = driver_[d].name;
      device.synchronous = true;
      devices_.push_back(device);
    }
  }

  static constexpr double kOperations = 256;  // of a work-item
  static void expect_near(double is, double expected) { EXPECT_NEAR(is, expected, 0.1 * expected); }

  fake::Driver driver_{2};
  std::vector<vendor::Device> devices_;
};

// A simulator and a quick driver both run kernels in the thread that waits.
TEST_F(Calibrated, TellsASlowDeviceFromAQuickOneInLittleTime) {
  driver_[0].per_item = 1;  // nanoseconds
  driver_[1].per_item = 1e5;
  const cl_ulong began = virtual_time::now();
  const Calibration found = calibrate(devices_, {0, 1});
  EXPECT_LT(virtual_time::now() - began, 2'000'000'000);
  expect_near(found.devices[0].operations_per_second, kOperations * 1e9);
  expect_near(found.devices[1].operations_per_second, kOperations * 1e4);
  expect_near(found.devices[0].bytes_per_second, 8e9);
  expect_near(found.devices[1].bytes_per_second, 8e4);
}

TEST_F(Calibrated, TimesADriversBuilds) {
  driver_.compiler.takes = 300'000'000;
  EXPECT_NEAR(calibrate(devices_, {0, 1}).devices[1].build_seconds, 0.3, 1e-3);
}

class KeptCalibration : public Calibrated {
protected:
  KeptCalibration() {
    char name[] = "/tmp/mkmd-calibration-XXXXXX";
    folder_ = mkdtemp(name);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~KeptCalibration() override {
    unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }

  // As another run of a program, during which the first device takes so many nanoseconds for a work-item.
  double operations_per_second(double per_item) {
    driver_[0].per_item = per_item;
    driver_[1].per_item = 1;
    const cl_ulong began = virtual_time::now();
    const Calibration found = calibrate(devices_, {0, 1});
    took_ = virtual_time::now() - began;
    return found.devices[0].operations_per_second;
  }

  std::string folder_;
  cl_ulong took_ = 0;
};

TEST_F(KeptCalibration, WhatABusyMachineMeasuredIsPutRight) {
  expect_near(operations_per_second(100), kOperations * 1e7);
  expect_near(operations_per_second(1), kOperations * 1e9);
  expect_near(operations_per_second(100), kOperations * 1e9);
  EXPECT_GT(took_, 0u) << "nothing had confirmed the second run yet";
  expect_near(operations_per_second(100), kOperations * 1e9);
  EXPECT_EQ(took_, 0u) << "it is settled";
}

// The driver keeps what it has built: a later run would measure nothing.
TEST_F(KeptCalibration, ABuildIsMeasuredOnce) {
  for (const cl_ulong takes : {300'000'000UL, 3'000'000UL, 3'000'000UL}) {
    driver_.compiler.takes = takes;
    operations_per_second(1);
  }
  EXPECT_EQ(took_, 0u) << "it is settled";
  EXPECT_NEAR(calibrate(devices_, {0, 1}).devices[0].build_seconds, 0.3, 1e-3);
}

TEST_F(KeptCalibration, TwoRunsThatAgreeAreEnough) {
  expect_near(operations_per_second(1), kOperations * 1e9);
  expect_near(operations_per_second(0.6), kOperations * 1e9);  // the first counts: learned times are of it
  EXPECT_GT(took_, 0u);
  expect_near(operations_per_second(0.1), kOperations * 1e9);
  EXPECT_EQ(took_, 0u);
}

TEST_F(KeptCalibration, ADeviceThatCannotBeMeasuredAgainKeepsItsRates) {
  expect_near(operations_per_second(1000), kOperations * 1e6);
  driver_.compiler.builds_all = false;
  expect_near(operations_per_second(1000), kOperations * 1e6);
}

}  // namespace
}  // namespace mkmd
