// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/launch_facts.hpp"

#include <gtest/gtest.h>

namespace mkmd {
namespace {

// Every work-item executes `scalar 0` operations and writes four bytes at stride · global id 0 + second ·
// global id 1 of each buffer.
compiler::KernelInfo strided_writes(int64_t stride, int buffers = 1, int64_t second = 0) {
  compiler::KernelInfo k;
  k.arguments.resize(1);
  k.arguments[0].kind = compiler::Argument::Kind::value;
  k.expressions = {0, stride, Expression::scalar(0), 4, 1, second};
  compiler::Access write;
  write.kind = compiler::Access::Kind::write;
  write.known = write.sure = true;
  write.bytes = 4;
  write.offset = {0, {{{compiler::Variable::Kind::global_id, 0}, 1}}};
  if (second != 0) write.offset.terms.push_back({{compiler::Variable::Kind::global_id, 1}, 5});
  for (write.argument = 1; write.argument <= buffers; ++write.argument) {
    k.arguments.emplace_back().kind = compiler::Argument::Kind::buffer;
    k.accesses.push_back(write);
  }
  k.cost = {.trips = 4, .operations = 2, .bytes = 3};
  return k;
}

compiler::Launch launch(uint64_t items, int64_t operations) {
  return {1, {items, 1, 1}, {16, 1, 1}, {0, 0, 0}, {operations, 0}};
}

compiler::GroupBox groups(uint64_t lo, uint64_t hi) {
  return {{lo, 0, 0}, {hi, 1, 1}};
}

TEST(LaunchFacts, SayWhatTheAnalysisSays) {
  const compiler::KernelInfo info = strided_writes(4);
  const LaunchFacts facts(info, launch(1024, 7));
  EXPECT_DOUBLE_EQ(facts.operations(), 7 * 1024);
  EXPECT_DOUBLE_EQ(facts.bytes(), 4 * 1024);
  EXPECT_DOUBLE_EQ(facts.trips(), 1024);
  EXPECT_EQ(facts.of(groups(2, 4))->at(0).sure_writes, ByteRanges(2 * 64, 4 * 64));
  EXPECT_EQ(facts.of(groups(2, 5))->at(0).sure_writes, ByteRanges(2 * 64, 5 * 64));
  EXPECT_DOUBLE_EQ(facts.work().items, 1024);
  EXPECT_DOUBLE_EQ(facts.work(groups(0, 16)).footprint, 1024);
}

TEST(LaunchFacts, EvaluateABoxOnce) {
  const compiler::KernelInfo info = strided_writes(4);
  const LaunchFacts facts(info, launch(1024, 7));
  const LaunchFacts::Footprints first = facts.of(groups(2, 4));
  EXPECT_EQ(facts.of(groups(2, 4)), first);
  EXPECT_NE(facts.of(groups(2, 5)), first);
}

TEST(LaunchFacts, StayRightHoweverManyBoxesAreAsked) {
  const compiler::KernelInfo info = strided_writes(4);
  const LaunchFacts facts(info, launch(1 << 16, 7));
  const LaunchFacts::Footprints kept = facts.of(groups(0, 1));
  for (uint64_t g = 0; g < 1000; ++g)
    EXPECT_EQ(facts.of(groups(g, g + 1))->at(0).may_writes, ByteRanges(g * 64, (g + 1) * 64));
  EXPECT_EQ(kept->at(0).may_writes, ByteRanges(0, 64)) << "what somebody holds does not go away";
}

TEST(LaunchFacts, DoNotKeepManyScatteredBytes) {
  const compiler::KernelInfo info = strided_writes(64, 20, 5000);  // a block per second global id
  const LaunchFacts facts(info, {2, {8, 1 << 10, 1}, {8, 1, 1}, {0, 0, 0}, {7, 0}});
  const auto rows = [](uint64_t n) { return compiler::GroupBox{{0, 0, 0}, {1, n, 1}}; };
  EXPECT_EQ(facts.of(rows(4)), facts.of(rows(4)));
  EXPECT_NE(facts.of(rows(1024)), facts.of(rows(1024)));
  EXPECT_DOUBLE_EQ(facts.work(rows(1024)).footprint, 1024 * 8 * 4 * 20);
}

TEST(LaunchFacts, ShapesDifferByWhatChangesTheTime) {
  const compiler::KernelInfo info = strided_writes(4);
  const uint64_t shape = LaunchFacts(info, launch(1024, 7)).shape();
  EXPECT_EQ(LaunchFacts(info, launch(1024, 7)).shape(), shape);
  EXPECT_NE(LaunchFacts(info, launch(2048, 7)).shape(), shape);
  EXPECT_NE(LaunchFacts(info, launch(1024, 8)).shape(), shape);
}

}  // namespace
}  // namespace mkmd
