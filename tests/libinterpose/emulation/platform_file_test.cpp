// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/platform_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mkmd::emulation {
namespace {

using testing::HasSubstr;

constexpr const char* kDevices = R"("devices": [
  {"name": "c", "class": "CPU", "mem": 0, "launch": 1e-5, "rates": {"operations": 1e9, "bytes": 2e9}},
  {"name": "g", "class": "GPU", "mem": 1, "rates": {"operations": 4e9, "bytes": 8e9, "bytes_rows": 6e9}}])";

std::string file(const std::string& emulation,
                 const std::string& platform = std::string(kDevices) + R"(, "bw": 1e9, "lat": 1e-6)") {
  return "{\"platform\": {" + platform + "}, \"emulation\": {" + emulation + "}}";
}

std::string problem(const std::string& text) {
  const auto parsed = parse_platform(text, "p.json");
  return parsed ? "" : parsed.status().message();
}

TEST(PlatformFile, HasDefaults) {
  const auto p = parse_platform(file(""), "p.json");
  ASSERT_TRUE(p) << p.status().message();
  EXPECT_EQ(p->devices.size(), 2u);
  EXPECT_EQ(p->devices[0].rates.bytes_rows, 2e9) << "as bytes";
  EXPECT_EQ(p->devices[1].rates.bytes_rows, 6e9);
  EXPECT_EQ(p->devices[1].device_class, platform::DeviceClass::gpu);
  EXPECT_EQ(p->devices[1].model, "g");
  EXPECT_EQ(p->jitter, 0.05);
  EXPECT_EQ(p->time_scale, 1);
  EXPECT_FALSE(p->size_scale.on());
  EXPECT_EQ(p->link(0, 1).bw, 1e9);
}

TEST(PlatformFile, EventsAreSortedByTime) {
  const auto p = parse_platform(
      file(R"("events": [{"at": 2, "device": "g", "fails": true}, {"at": 1, "device": "c", "slows": 3}])"),
      "p.json");
  ASSERT_TRUE(p) << p.status().message();
  EXPECT_EQ(p->events[0].factor, 3);
  EXPECT_EQ(p->events[1].kind, EventSpec::Kind::fails);
  EXPECT_EQ(p->events[1].device, 1);
}

TEST(PlatformFile, ProblemsNameFileKeyAndWhatIsAccepted) {
  const struct {
    std::string text, key, accepted;
  } kCases[] = {
      {"{", "p.json: not JSON", "line 1"},
      {file(R"("jitter": 1e999)"), "p.json: not JSON", "line 3, column "},
      {file(R"("jitter": 1e999)"), "number overflow", "1e999"},
      {"[]", "the input", "object"},
      {"{}", "platform: is missing", "object"},
      {file("", R"("devices": [])"), "platform.devices", "at least one"},
      {file("", kDevices), "platform.bw", "greater than 0"},
      {file(
           "",
           R"("devices": [{"name": "c", "class": "FPGA", "mem": 0, "rates": {"operations": 1, "bytes": 1}}])"),
       "platform.devices[0].class", "CPU, GPU or ACCELERATOR"},
      {file("", R"("devices": [{"name": "c", "class": "CPU", "mem": 0}], "bw": 1)"),
       "platform.devices[0].rates: is missing", "object"},
      {file(
           "",
           R"("devices": [{"name": "c", "class": "CPU", "mem": 0, "rates": {"operations": -1, "bytes": 1}}])"),
       "platform.devices[0].rates.operations", "above 0"},
      {file("", R"("devices": [{"name": "c", "class": "CPU", "mem": 0, "lunch": 3}])"),
       "platform.devices[0].lunch", "launch"},
      {file(
           "",
           R"("devices": [{"name": "c", "class": "CPU", "mem": 31, "rates": {"operations": 1, "bytes": 1}}])"),
       "platform.devices: mem of \"c\"", "from 0 to 30"},
      {R"({"plattform": {}})", "plattform", "platform, emulation"},
      {file("", std::string(kDevices) + R"(, "bw": 1, "latency": 1)"), "platform.latency", "lat, links"},
      {file("", std::string(kDevices) + R"(, "bw": 1, "links": [{"src": 0, "dst": 1, "bandwidth": 1}])"),
       "platform.links[0].bandwidth", "bw"},
      {file("", std::string(kDevices) + R"(, "bw": 1, "links": [{"src": 0, "dst": 2, "bw": 1}])"),
       "platform.links[0].dst", "no device has memory 2"},
      {file(R"("memories": [{"mem": 5, "bw_all": 1}])"), "emulation.memories[0].mem", "accepted: 0, 1"},
      {file(R"("time_scale": 1e9)"), "emulation.time_scale", "to 1000000"},
      {file(R"("time_scale": 0.5)"), "emulation.time_scale", "from 1"},
      {file(R"("jitter": 2)"), "emulation.jitter", "0 to 0.5"},
      {file(R"("jiter": 0.1)"), "emulation.jiter", "jitter"},
      {file(R"("size_scale": {"full": 100})"), "emulation.size_scale.factor: is missing", "from 1"},
      {file(R"("events": [{"at": 1, "device": "x", "slows": 2}])"), "emulation.events[0].device", "c, g"},
      {file(R"("events": [{"at": 1, "device": "g"}])"), "emulation.events[0]", "fails"},
      {file(R"("events": [{"at": 1, "device": "g", "fails": false}])"), "emulation.events[0].fails", "true"},
      {file(R"("events": [{"at": 1, "device": "g", "has": -1}])"), "emulation.events[0].has", "bytes"},
      {file(R"("events": [{"at": 1, "device": "c", "has": 5}])"), "emulation.events[0].device", "program"},
      {file(R"("events": [{"at": 1, "device": "c", "fails": true}])"), "emulation.events[0].device", "home"},
      {file(R"("kernels": [{"name": "a*", "rate": "fast"}])"), "emulation.kernels[0].rate", "bytes_rows"},
  };
  for (const auto& c : kCases) {
    const std::string said = problem(c.text);
    EXPECT_THAT(said, HasSubstr("p.json")) << c.text;
    EXPECT_THAT(said, HasSubstr(c.key)) << c.text;
    EXPECT_THAT(said, HasSubstr(c.accepted)) << c.text;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  const auto missing = read_platform("/no/such/file.json");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.status().message(), HasSubstr("/no/such/file.json"));
}

TEST(PlatformFile, AKindIsWhatTimesDependOn) {
  const auto kind = [](const std::string& emulation) {
    const auto p = parse_platform(file(emulation), "p.json");
    return p ? p->kind(1) : p.status().message();
  };
  const std::string plain = kind("");
  EXPECT_EQ(plain.substr(0, 13), "g (emulated, ");
  for (const char* same :
       {R"("jitter": 0)", R"("seed": 7)", R"("time_scale": 5)",
        R"("events": [{"at": 1, "device": "g", "slows": 3}])", R"("memories": [{"mem": 0, "bw_all": 1e9}])"})
    EXPECT_EQ(kind(same), plain) << same;
  for (const char* other :
       {R"("size_scale": {"full": 4096, "factor": 8})", R"("kernels": [{"name": "a*", "exponent": 1}])",
        R"("memories": [{"mem": 1, "bw_all": 1e9}])"})
    EXPECT_NE(kind(other), plain) << other;
  std::string faster = file("");
  faster.replace(faster.find("4e9"), 3, "5e9");
  const auto p = parse_platform(faster, "p.json");
  ASSERT_TRUE(p);
  EXPECT_NE(p->kind(1), plain);
  EXPECT_EQ(p->kind(1).substr(0, 13), "g (emulated, ");
}

TEST(PlatformFile, ALimitOfTheMachineIsOneOfTheEmulation) {
  const std::string machine = std::string(kDevices) + R"(, "bw": 1, "memories": [{"mem": 0, "bw_all": 3}])";
  const auto p = parse_platform(file(R"("memories": [{"mem": 1, "bw_all": 2}])", machine), "p.json");
  ASSERT_TRUE(p) << p.status().message();
  EXPECT_EQ(p->bw_all(0), 3);
  EXPECT_EQ(p->bw_all(1), 2);
}

TEST(PlatformFile, AnAcceleratorIsOneInAnyLetters) {
  for (const char* name : {"ACCELERATOR", "accelerator"}) {
    std::string text = file("");
    text.replace(text.find("\"GPU\""), 5, "\"" + std::string(name) + "\"");
    const auto p = parse_platform(text, "p.json");
    ASSERT_TRUE(p) << p.status().message();
    EXPECT_EQ(p->devices[1].device_class, platform::DeviceClass::accelerator);
  }
}

TEST(PlatformFile, AFolderIsNone) {
  const auto folder = read_platform("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.status().message(), "/ is not a file; give a platform file (docs/emulation.md)");
}

TEST(PlatformFile, ThoseWeShipAreInOrder) {
  for (const char* name : {"mkmd-table2", "laptop", "two-gpus", "eight-gpus"}) {
    const auto p = read_platform(std::string(MKMD_PLATFORMS) + "/" + name + ".json");
    EXPECT_TRUE(p) << p.status().message();
  }
}

}  // namespace
}  // namespace mkmd::emulation
