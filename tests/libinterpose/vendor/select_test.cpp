// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/vendor.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <sched.h>

using namespace mkmd::vendor;
using testing::AllOf;
using testing::HasSubstr;

namespace {

bool has_pocl() {
  for (const Platform& platform : find_platforms()) {
    if (short_name(platform) == "pocl" && !devices_of(platform.id).empty()) return true;
  }
  return false;
}

std::string problem(const std::string& specification) {
  return select_devices(specification).status().message();
}

class SelectTest : public testing::Test {
protected:
  void SetUp() override {
    if (!has_pocl()) GTEST_SKIP() << "needs PoCL";
  }
};

TEST_F(SelectTest, EverythingIfNothingIsSaid) {
  const auto devices = select_devices("");
  ASSERT_TRUE(devices) << devices.status().message();
  EXPECT_FALSE(devices->empty());
}

TEST_F(SelectTest, MistakesNameTheBadPartAndWhatThereIs) {
  EXPECT_THAT(problem("nosuch"),
              AllOf(HasSubstr("\"nosuch\""), HasSubstr("available:"), HasSubstr("pocl (1 device)")));
  EXPECT_THAT(problem("pocl:7"), AllOf(HasSubstr("no device 7"), HasSubstr("available:")));
  EXPECT_THAT(problem("pocl/4096"), AllOf(HasSubstr("4096 parts"), HasSubstr("compute units")));
  EXPECT_THAT(problem("pocl,pocl"), HasSubstr("named twice"));
  EXPECT_THAT(problem("pocl,pocl/2"), HasSubstr("named twice"));
}

TEST_F(SelectTest, EqualPartsAreSubDevicesOfOneParent) {
  const auto whole = select_devices("pocl:0");
  ASSERT_TRUE(whole) << whole.status().message();
  if (device_value<cl_uint>(whole->front().id, CL_DEVICE_MAX_COMPUTE_UNITS) < 2)
    GTEST_SKIP() << "needs two cores";
  const auto parts = select_devices("pocl/2");
  ASSERT_TRUE(parts) << parts.status().message();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_THAT(problem("pocl/2,pocl/2"), HasSubstr("named twice"));
  EXPECT_THAT(problem("pocl/2,pocl"), HasSubstr("named twice"));
  for (const Device& device : *parts) {
    EXPECT_EQ(device.parent, whole->front().id);
    EXPECT_FALSE(device.synchronous);
  }
  EXPECT_EQ((*parts)[1].name, "pocl/2#1");
  release((*parts)[0].id);
  release((*parts)[1].id);
}

TEST_F(SelectTest, OldPoclRunsAKernelOnTwoQueuesAtATime) {
  constexpr const char* kOld[] = {" PoCL 1.", " PoCL 3.", " PoCL 4.", " PoCL 5."};
  const auto devices = select_devices("pocl");
  ASSERT_TRUE(devices) << devices.status().message();
  const cl_platform_id platform = devices->front().platform;
  const std::string version = platform_string(platform, CL_PLATFORM_VERSION);
  const bool old = std::any_of(std::begin(kOld), std::end(kOld),
                               [&](const char* name) { return version.find(name) != std::string::npos; });
  EXPECT_EQ(queues_of_a_program(platform).has_value(), old) << version;
  EXPECT_EQ(queues_of_a_program(platform).value_or(2), 2u);
}

TEST_F(SelectTest, OclgrindIsFoundThoughNobodyListsIt) {
  if (!std::filesystem::exists("/usr/lib/oclgrind/liboclgrind-rt-icd.so")) GTEST_SKIP() << "needs Oclgrind";
  const auto devices = select_devices("oclgrind");
  ASSERT_TRUE(devices) << devices.status().message();
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_TRUE(devices->front().synchronous);
}

TEST_F(SelectTest, VendorsThatDoNotLoadAreLeftOut) {
  setenv("OCL_ICD_VENDORS", "/nowhere/libnothing.so:/etc/OpenCL/vendors", 1);
  EXPECT_FALSE(find_platforms().empty());
  setenv("OCL_ICD_VENDORS", "/nowhere", 1);
  EXPECT_TRUE(find_platforms().empty());
  EXPECT_THAT(problem("pocl"), HasSubstr("no OpenCL platform is installed"));
  unsetenv("OCL_ICD_VENDORS");
}

}  // namespace
