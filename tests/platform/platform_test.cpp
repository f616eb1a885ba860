// SPDX-License-Identifier: Apache-2.0
#include "platform/platform.hpp"

#include "common/json.hpp"
#include "platform/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mkmd::platform {
namespace {

Result<Platform> read(const std::string& text) {
  return from_json(*parse_json(text));
}

std::string problem(const std::string& text) {
  const auto read_one = read(text);
  return read_one ? "" : read_one.status().message();
}

TEST(DeviceClass, HasOneNameInAnyLetters) {
  for (const DeviceClass one : {DeviceClass::cpu, DeviceClass::gpu, DeviceClass::accelerator})
    EXPECT_EQ(device_class_named(to_string(one)), one);
  EXPECT_EQ(device_class_named("accelerator"), DeviceClass::accelerator);
  EXPECT_EQ(device_class_named("Gpu"), DeviceClass::gpu);
  for (const char* none : {"", "CP", "CPUS", "FPGA"})
    EXPECT_EQ(device_class_named(none), std::nullopt) << none;
}

constexpr const char* kMachine = R"({"devices": [
  {"name": "c", "class": "cpu", "mem": 0, "launch": 1e-5, "rates": {"operations": 1e9, "bytes": 2e9}},
  {"name": "x", "class": "accelerator", "mem": 1, "model": "X1", "mem_bw": 5,
   "rates": {"operations": 4e9, "bytes": 8e9, "bytes_tiles": 6e9}}],
  "bw": 1e9, "lat": 1e-6, "links": [{"src": 0, "dst": 1, "bw": 3e9}],
  "memories": [{"mem": 1, "bw_one": 7, "bw_all": 9}]})";

TEST(PlatformJson, ReadsEveryPart) {
  const auto p = read(kMachine);
  ASSERT_TRUE(p) << p.status().message();
  EXPECT_EQ(p->devices[0].device_class, DeviceClass::cpu);
  EXPECT_EQ(p->devices[0].rates.bytes_rows, 2e9) << "as bytes";
  EXPECT_EQ(p->devices[1].device_class, DeviceClass::accelerator);
  EXPECT_EQ(p->devices[1].model, "X1");
  EXPECT_EQ(p->devices[1].rates.bytes_tiles, 6e9);
  EXPECT_EQ(p->link(0, 1).bw, 3e9);
  EXPECT_EQ(p->link(0, 1).lat, 1e-6) << "as of the platform";
  EXPECT_EQ(p->link(1, 0).bw, 1e9);
  EXPECT_EQ(p->bw_all(1), 9);
  EXPECT_EQ(p->bw_all(0), 0) << "no common limit";
}

TEST(PlatformJson, WritesWhatItReads) {
  const auto once = read(kMachine);
  ASSERT_TRUE(once);
  const std::string written = to_json(*once).dump();
  const auto again = read(written);
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(to_json(*again).dump(), written);
  EXPECT_EQ(again->devices[1].rates.bytes_tiles, 6e9);
  EXPECT_EQ(again->devices[1].model, "X1");
  EXPECT_EQ(again->memories[0].bw_one, 7);
}

TEST(PlatformJson, ProblemsNameThePlace) {
  const std::string device = R"({"name": "c", "class": "CPU", "mem": 0)";
  const struct {
    std::string text, said;
  } kCases[] = {
      {"[]", "platform: must be an object"},
      {R"({"devices": []})", "platform.devices: there must be at least one device"},
      {R"({"devices": [{"name": "c", "class": "FPGA", "mem": 0}]})",
       "platform.devices[0].class: is \"FPGA\", not CPU, GPU or ACCELERATOR"},
      {R"({"devices": [)" + device + R"(, "rates": 3}]})", "platform.devices[0].rates: must be an object"},
      {R"({"devices": [)" + device + R"(, "rates": {"bytes": -1}}]})",
       "platform.devices[0].rates.bytes: must be 0 or more"},
      {R"({"devices": [)" + device + R"(}], "launch": [1, 2]})",
       "platform.launch: must have one time per device"},
      {R"({"devices": [)" + device + R"(}], "memories": [{"mem": 2}]})",
       "platform.memories[0].mem: no device has memory 2"},
  };
  for (const auto& c : kCases)
    EXPECT_EQ(problem(c.text), c.said) << c.text;
}

TEST(Platform, ALimitIsSetOnceForEachMemory) {
  Platform p = *read(kMachine);
  p.set_bw_all(1, 4);
  p.set_bw_all(0, 3);
  EXPECT_EQ(p.bw_all(1), 4);
  EXPECT_EQ(p.bw_all(0), 3);
  EXPECT_EQ(p.memories.size(), 2u);
  EXPECT_EQ(p.memories[0].bw_one, 7) << "stays";
  EXPECT_TRUE(check(p).ok());
}

}  // namespace
}  // namespace mkmd::platform
