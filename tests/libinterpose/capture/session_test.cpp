// SPDX-License-Identifier: Apache-2.0
// Two sessions in one process, each with a configuration of its own. Their devices are emulated or never
// called: no OpenCL driver is needed.
#include "libinterpose/capture/session.hpp"

#include "libinterpose/device/emulated_kind.hpp"
#include "libinterpose/device/opencl_devices.hpp"
#include "libinterpose/device/real_kind.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mkmd {
namespace {

vendor::Device device(const std::string& name, uintptr_t id) {
  vendor::Device d{};
  d.id = reinterpret_cast<cl_device_id>(id * 16);
  d.platform = reinterpret_cast<cl_platform_id>(uintptr_t{16});
  d.name = d.device_name = name;
  return d;
}

// Devices of that name, all of one memory or each with its own.
Configuration configuration(const std::string& name, int devices, bool separate) {
  Configuration c;
  for (int d = 0; d < devices; ++d) {
    c.devices.push_back(device(name + std::to_string(d), static_cast<uintptr_t>(d) + 1));
    c.domain.push_back(separate ? d : 0);
  }
  c.domain_count = separate ? devices : 1;
  c.home = c.devices.front();
  c.settings.separate_memory = separate;
  return c;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

nlohmann::json first_line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return nlohmann::json::parse(line);
}

struct SessionTest : testing::Test {
  SessionTest() {
    std::string name = (std::filesystem::temp_directory_path() / "mkmd-session-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~SessionTest() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
};

// Its devices' drivers take so many seconds to build.
struct BuildingKind : RealKind {
  explicit BuildingKind(std::vector<double> builds) : builds(std::move(builds)) {}
  Calibration calibrate(const Configuration&) override {
    Calibration made;
    for (const double seconds : builds) {
      made.devices.emplace_back();
      made.devices.back().build_seconds = seconds;
    }
    return made;
  }
  std::vector<double> builds;
};

TEST_F(SessionTest, ExpectsThatEachDriverBuildsOnce) {
  Configuration c = configuration("cpu", 3, true);
  c.devices.back().platform = reinterpret_cast<cl_platform_id>(uintptr_t{32});
  BuildingKind kind({0.25, 0.2, 3, 7});  // the last one is home's whole, of which the first two are parts
  Session session(c, kind);
  session.times();
  EXPECT_DOUBLE_EQ(session.code.seconds(), 3.25);
}

TEST_F(SessionTest, EachWritesItsOwnTraceOfItsOwnDevices) {
  Configuration two = configuration("a", 2, false);
  Configuration three = configuration("b", 3, true);
  const Configuration silent = configuration("c", 2, false);
  two.settings.trace = folder / "two.jsonl";
  three.settings.trace = folder / "three.jsonl";
  Session first(two), second(three), third(silent);
  EXPECT_TRUE(first.trace.on());
  EXPECT_TRUE(second.trace.on());
  EXPECT_FALSE(third.trace.on());
  first.trace.add({{"one", 1}});
  second.trace.add({{"other", 2}});
  for (Session* session : {&first, &second, &third})
    session->trace.flush();
  EXPECT_EQ(first_line_of(folder / "two.jsonl").at("devices").size(), 2u);
  EXPECT_EQ(first_line_of(folder / "three.jsonl").at("devices").at(2).at("name"), "b2");
  EXPECT_EQ(first_line_of(folder / "three.jsonl").at("devices").at(2).at("memory"), 2);
  EXPECT_NE(text_of(folder / "two.jsonl").find("\"one\""), std::string::npos);
  EXPECT_EQ(text_of(folder / "two.jsonl").find("\"other\""), std::string::npos);
}

TEST_F(SessionTest, EachCountsForItsOwnSummary) {
  Configuration two = configuration("a", 2, false);
  Configuration three = configuration("b", 3, true);
  two.settings.summary = folder / "two.json";
  three.settings.summary = folder / "three.json";
  Session first(two), second(three);
  first.summary.add_piece(1, 10, 0.5);
  second.summary.add_piece(2, 30, 0.25);
  second.summary.add_bytes_moved(4096);
  first.summary.write(real_devices());
  second.summary.write(real_devices());
  const auto one = nlohmann::json::parse(text_of(folder / "two.json"));
  const auto other = nlohmann::json::parse(text_of(folder / "three.json"));
  EXPECT_EQ(one.at("devices").at(1).at("groups"), 10);
  EXPECT_EQ(one.at("bytes_moved"), 0);
  EXPECT_EQ(other.at("devices").at(1).at("groups"), 0);
  EXPECT_EQ(other.at("devices").at(2).at("groups"), 30);
  EXPECT_EQ(other.at("bytes_moved"), 4096);
}

TEST_F(SessionTest, OfNoDeviceHasASummary) {
  Configuration none;
  none.settings.summary = folder / "none.json";
  Session(none).summary.write(real_devices());
  const auto summary = nlohmann::json::parse(text_of(folder / "none.json"));
  EXPECT_TRUE(summary.at("devices").empty());
  EXPECT_TRUE(summary.at("whole").is_null());
}

TEST_F(SessionTest, ADeviceThatFailsInOneIsNotLeftOutInTheOther) {
  const Configuration two = configuration("a", 2, false);
  Session first(two), second(two);
  OpenClDevices devices(0, first.trouble, first.compilers);
  Lane helper(Lane::Kind::threaded, 1, 0, nullptr, {});
  Lane home(Lane::Kind::threaded, 0, 0, nullptr, {});
  for (int i = 0; i < 3; ++i) {
    devices.note_trouble(helper, "a test", CL_OUT_OF_RESOURCES);
    devices.note_trouble(home, "a test", CL_OUT_OF_RESOURCES);
  }
  EXPECT_TRUE(first.trouble.left_out(1));
  EXPECT_FALSE(first.trouble.left_out(0)) << "home is never left out";
  EXPECT_FALSE(first.trouble.helpers_left());
  EXPECT_FALSE(second.trouble.any_left_out());
  EXPECT_TRUE(second.trouble.helpers_left());
}

TEST_F(SessionTest, EachHasItsOwnPolicy) {
  const Configuration plain = configuration("a", 2, false);
  Configuration heft = plain;
  heft.settings.policy = "heft";
  Configuration unknown = plain;
  unknown.settings.policy = "no such policy";
  Session first(plain), second(heft), third(unknown);
  EXPECT_TRUE(first.has_default_policy());
  EXPECT_FALSE(second.has_default_policy());
  ASSERT_NE(first.policy(), nullptr);
  ASSERT_NE(second.policy(), nullptr);
  EXPECT_NE(first.policy(), second.policy());
  EXPECT_EQ(third.policy(), nullptr);
  EXPECT_EQ(first.policy(), first.policy());
}

TEST_F(SessionTest, EachPredictsTheTimesOfItsOwnMachine) {
  const auto emulated = [](const std::string& file) {
    auto platform = emulation::read_platform(std::string(MKMD_PLATFORMS) + "/" + file);
    EXPECT_TRUE(platform) << platform.status().message();
    return std::make_unique<EmulatedKind>(std::move(*platform));
  };
  const auto one = emulated("laptop.json");
  const auto other = emulated("two-gpus.json");
  const Configuration first = configuration("d", one->machine().device_count(), true);
  const Configuration second = configuration("d", other->machine().device_count(), true);
  Session fast(first, *one), slow(second, *other);
  fast.times();
  slow.times();
  EXPECT_EQ(&fast.times(), &fast.times());
  EXPECT_NE(fast.times().rates(0).kind, slow.times().rates(0).kind);
  KernelModel& model = *fast.times().of_kernel("k");
  fast.times().learn(model, {1e9, 1e6, 1}, 0, 1, 5.0);
  EXPECT_TRUE(fast.times().measured(model, {1e9, 1e6, 1}, 0));
  EXPECT_FALSE(slow.times().measured(*slow.times().of_kernel("k"), {1e9, 1e6, 1}, 0));
}

}  // namespace
}  // namespace mkmd
