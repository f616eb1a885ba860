// SPDX-License-Identifier: Apache-2.0
// Code for pieces is made beside whoever asks: not yet, then ready or refused, whatever goes meanwhile. The
// driver's objects are fakes that count their references.
#include "libinterpose/commands/code_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace mkmd {
namespace {

using namespace std::chrono_literals;

// What is behind any handle here.
struct Fake {
  const cl_icd_dispatch* table;
  std::atomic<int> references{1};
  std::atomic<cl_int> status{CL_COMPLETE};  // of an event
  std::atomic<int> asked{0};
};

template <typename Handle>
cl_int CL_API_CALL retain(Handle handle) {
  ++reinterpret_cast<Fake*>(handle)->references;
  return CL_SUCCESS;
}
template <typename Handle>
cl_int CL_API_CALL drop(Handle handle) {
  --reinterpret_cast<Fake*>(handle)->references;
  return CL_SUCCESS;
}
cl_int CL_API_CALL event_info(cl_event event, cl_event_info, size_t, void* value, size_t*) {
  auto& fake = *reinterpret_cast<Fake*>(event);
  *static_cast<cl_int*>(value) = fake.status.load();
  ++fake.asked;
  return CL_SUCCESS;
}

const cl_icd_dispatch& driver() {
  static const cl_icd_dispatch table = [] {
    cl_icd_dispatch t{};
    t.clRetainContext = retain<cl_context>;
    t.clReleaseContext = drop<cl_context>;
    t.clReleaseProgram = drop<cl_program>;
    t.clReleaseEvent = drop<cl_event>;
    t.clGetEventInfo = event_info;
    return t;
  }();
  return table;
}

// A driver that builds when the test lets it, one program per place.
struct CodeBuilderTest : testing::Test {
  CodeBuilderTest() {
    for (size_t place = 0; place < 2; ++place) {
      CodePlace at{reinterpret_cast<cl_context>(&contexts[place]), {}, "device" + std::to_string(place)};
      places.all.push_back(at);
      places.of_device.push_back(place);
    }
    code->module.kernels.emplace_back();
    code->module.kernels.back().name = "add";
  }

  BuiltCode build(const CodePlace& place) {
    ++begun;
    while (!may_end)
      std::this_thread::sleep_for(100us);
    const size_t at = place.devices.back() - '0';
    if (refused[at]) return {{}, "no"};
    ++programs[at].references;
    return {vendor::Owned<cl_program>(reinterpret_cast<cl_program>(&programs[at])), {}};
  }
  BuildCode builds() {
    return [this](const SubKernels&, const CodePlace& place) { return build(place); };
  }
  template <typename Condition>
  static bool soon(Condition condition) {
    for (int i = 0; i < 5000 && !condition(); ++i)
      std::this_thread::sleep_for(1ms);
    return condition();
  }
  HasCode has() { return can_be_divided(*code, places); }

  Fake contexts[2] = {{&driver()}, {&driver()}};
  Fake programs[2] = {{&driver(), 0}, {&driver(), 0}};
  Fake launch{&driver()};
  std::array<std::atomic<bool>, 2> refused{};
  std::atomic<bool> may_end{true};
  std::atomic<int> begun{0};
  CodePlaces places;
  std::shared_ptr<SubKernels> code = std::make_shared<SubKernels>();
};

TEST_F(CodeBuilderTest, CodeIsNotThereThenItIs) {
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  may_end = false;
  EXPECT_EQ(has(), HasCode::not_yet);
  EXPECT_EQ(begun, 0);  // a question builds nothing
  builder.make_beside(code, places, {});
  EXPECT_TRUE(soon([&] { return begun == 1; }));
  EXPECT_EQ(has(), HasCode::not_yet);  // and does not wait for who builds
  may_end = true;
  EXPECT_TRUE(soon([&] { return has() == HasCode::yes; }));
  EXPECT_EQ(begun, 2);
  Lane lane(Lane::Kind::asynchronous, 1, 0, nullptr, {});
  lane.code.place = 1;
  EXPECT_EQ(piece_code(lane, *code), reinterpret_cast<cl_program>(&programs[1]));
  code.reset();
  EXPECT_TRUE(soon([&] { return programs[0].references + programs[1].references == 0; }));
}

TEST_F(CodeBuilderTest, WhoAsksTwiceGetsOneBuild) {
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  for (int i = 0; i < 3; ++i)
    builder.make_beside(code, places, {});
  EXPECT_TRUE(soon([&] { return has() == HasCode::yes; }));
  builder.make(*code, places);
  EXPECT_EQ(begun, 2);
}

TEST_F(CodeBuilderTest, WhoWaitsDoesNotBuildASecondTime) {
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  may_end = false;
  builder.make_beside(code, places, {});
  ASSERT_TRUE(soon([&] { return begun == 1; }));
  auto waiting = std::async(std::launch::async, [&] {
    builder.make(*code, places);
    return has();
  });
  EXPECT_EQ(waiting.wait_for(20ms), std::future_status::timeout);
  may_end = true;
  EXPECT_EQ(waiting.get(), HasCode::yes);
  EXPECT_EQ(begun, 2);
}

TEST_F(CodeBuilderTest, ARefusalConcernsItsDeviceAlone) {
  for (const bool first : {false, true}) {
    code = std::make_shared<SubKernels>();
    CodeBuilder builder(LogLevel::warning, nullptr, builds());
    places.of_device = {0, 1, 0};
    refused[0] = first;
    refused[1] = !first;
    testing::internal::CaptureStderr();
    builder.make(*code, places);
    auto again = std::make_shared<SubKernels>();
    builder.make(*again, places);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(has(), first ? HasCode::never : HasCode::yes);
    EXPECT_EQ(has_piece_code(*code, 0), first ? HasCode::never : HasCode::yes);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_THAT(said, testing::HasSubstr(first ? "device0 gets no pieces" : "device1 gets no pieces"));
    EXPECT_THAT(said, testing::HasSubstr(first ? "run whole on the home device" : "the other devices go on"));
  }
}

TEST_F(CodeBuilderTest, TheLaunchThatAskedComesFirst) {
  launch.status = CL_RUNNING;
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  builder.make_beside(code, places, vendor::Owned<cl_event>(reinterpret_cast<cl_event>(&launch)));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(begun, 0);
  launch.status = CL_COMPLETE;
  EXPECT_TRUE(soon([&] { return has() == HasCode::yes; }));
  EXPECT_TRUE(soon([&] { return launch.references == 0; }));
}

TEST_F(CodeBuilderTest, AProgramMayGoWhileItsCodeIsMade) {
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  may_end = false;
  builder.make_beside(code, places, {});
  ASSERT_TRUE(soon([&] { return begun == 1; }));
  const auto next = std::make_shared<SubKernels>();
  auto unwanted = std::make_shared<SubKernels>();
  builder.make_beside(unwanted, places, {});
  builder.make_beside(next, places, {});
  code.reset();
  unwanted.reset();
  EXPECT_GE(contexts[0].references, 2);  // the build needs it
  may_end = true;
  EXPECT_TRUE(soon([&] { return can_be_divided(*next, places) == HasCode::yes; }));
  EXPECT_EQ(begun, 4);  // none of them for the one that had gone
  EXPECT_TRUE(soon([&] { return contexts[0].references == 1 && contexts[1].references == 1; }));
  EXPECT_EQ(programs[0].references, 1);
}

TEST_F(CodeBuilderTest, NothingIsBuiltBesideAForkOrAfterTheEnd) {
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  may_end = false;
  builder.make_beside(code, places, {});
  ASSERT_TRUE(soon([&] { return begun == 1; }));
  auto paused = std::async(std::launch::async, [&] { builder.pause(); });
  EXPECT_EQ(paused.wait_for(20ms), std::future_status::timeout);  // a build is under way
  may_end = true;
  paused.get();
  const int before = begun;
  const auto next = std::make_shared<SubKernels>();
  builder.make_beside(next, places, {});
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(begun, before);
  builder.resume();
  EXPECT_TRUE(soon([&] { return can_be_divided(*next, places) == HasCode::yes; }));
  builder.stop();
  const auto late = std::make_shared<SubKernels>();
  builder.make_beside(late, places, {});
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(can_be_divided(*late, places), HasCode::not_yet);
}

TEST_F(CodeBuilderTest, AForkWaitsForBuildsOnThreadsOfTheProgram) {
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  may_end = false;
  auto built = std::async(std::launch::async, [&] { builder.make(*code, places); });
  ASSERT_TRUE(soon([&] { return begun == 1; }));
  auto paused = std::async(std::launch::async, [&] { return builder.pause(); });
  EXPECT_EQ(paused.wait_for(20ms), std::future_status::timeout);
  may_end = true;
  EXPECT_TRUE(paused.get());
  built.get();
  const auto next = std::make_shared<SubKernels>();
  auto late = std::async(std::launch::async, [&] { builder.make(*next, places); });
  EXPECT_EQ(late.wait_for(20ms), std::future_status::timeout);
  EXPECT_EQ(can_be_divided(*next, places), HasCode::not_yet);
  builder.resume();
  late.get();
  EXPECT_EQ(can_be_divided(*next, places), HasCode::yes);
}

// A job has contexts and an event, which are released by calls of drivers.
TEST_F(CodeBuilderTest, NothingIsReleasedAfterTheEnd) {
  launch.status = CL_RUNNING;
  CodeBuilder builder(LogLevel::info, nullptr, builds());
  builder.make_beside(code, places, vendor::Owned<cl_event>(reinterpret_cast<cl_event>(&launch)));
  ASSERT_TRUE(soon([&] { return launch.asked > 0; }));
  builder.stop();
  EXPECT_EQ(launch.references, 0);
  EXPECT_EQ(begun, 0);
}

// Who waits for the end of a build finds the process's exit handler behind those of the driver.
TEST_F(CodeBuilderTest, EachBuildIsHeardOfBeforeItIsOver) {
  static std::atomic<int> heard;
  heard = 0;
  CodeBuilder builder(
      LogLevel::info, [] { ++heard; }, builds());
  may_end = false;
  builder.make_beside(code, places, {});
  ASSERT_TRUE(soon([&] { return begun == 1; }));
  EXPECT_EQ(heard, 0);
  auto stopped = std::async(std::launch::async, [&] {
    builder.stop();
    return heard.load();
  });
  may_end = true;
  EXPECT_EQ(stopped.get(), 2);
}

TEST_F(CodeBuilderTest, ADriverMayForkWhileItBuilds) {
  CodeBuilder* self = nullptr;
  std::atomic<bool> waited{false};
  CodeBuilder builder(LogLevel::info, nullptr, [&](const SubKernels&, const CodePlace& place) {
    if (!self->pause()) waited = true;
    self->resume();
    return build(place);
  });
  self = &builder;
  builder.make_beside(code, places, {});
  EXPECT_TRUE(soon([&] { return has() == HasCode::yes; }));
  EXPECT_FALSE(waited);
}

}  // namespace
}  // namespace mkmd
