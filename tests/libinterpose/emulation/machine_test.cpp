// SPDX-License-Identifier: Apache-2.0
// Virtual time. Nothing here asks a host clock: chains of virtual instants are exact whatever the machine
// does.
#include "libinterpose/emulation/machine.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace mkmd::emulation {
namespace {

PlatformFile two_devices() {
  PlatformFile p;
  p.jitter = 0;
  p.bw = 1e9;
  p.lat = 1e-6;
  p.devices = {{.name = "c", .mem = 0, .launch = 1e-5, .rates = {1e9, 1e9, 1e9, 1e9}},
               {.name = "g", .mem = 1, .launch = 2e-5, .rates = {1e9, 1e9, 1e9, 1e9}}};
  return p;
}

Demand kernel(int device, double operations, double share = 1) {
  Demand d;
  d.device = device;
  d.counts.operations = operations;
  d.share = share;
  return d;
}

constexpr Nanoseconds kZero = 1'000'000'000;  // where the clock begins
void nothing() {}

TEST(Machine, APieceTakesItsShareAndTheLaunch) {
  Machine machine(two_devices());
  const Span a = machine.run(kernel(1, 1e6), kZero, nothing);
  EXPECT_EQ(a.start, kZero);
  EXPECT_EQ(a.working, kZero + 20'000);
  EXPECT_EQ(a.end, kZero + 1'020'000);
  const Span b = machine.run(kernel(1, 1e6, 0.25), kZero, nothing);
  EXPECT_EQ(b.start, a.end) << "the device was busy until then, however late the thread woke up";
  EXPECT_EQ(b.end, a.end + 270'000);
  const Span c = machine.run(kernel(0, 1e6), kZero + 5, nothing);
  EXPECT_EQ(c.start, kZero + 5) << "another device";
  EXPECT_EQ(machine.totals().actions, 3u);
  EXPECT_GE(machine.clock().now(), b.end) << "and it really waits";
}

TEST(Machine, WaitingIsNoWorkOfTheHost) {
  PlatformFile p = two_devices();
  p.time_scale = 10;
  Machine machine(p);
  const HostWork idle(machine.clock());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(idle.seconds(), 1e-3) << "of the 5 ms that have passed by the emulated clock";

  const HostWork busy(machine.clock());
  while (busy.seconds() < 1e-3) {
  }
  const Nanoseconds before = machine.clock().now();
  EXPECT_GE(machine.host().pay(busy), before + 9'000'000)
      << "one millisecond has passed by itself, nine are to come";
  const HostWork next(machine.clock());
  EXPECT_GE(machine.host().pay(next), before + 9'000'000) << "one work after the other";
}

TEST(Machine, DevicesOfAMemoryMeasureItsBandwidthTogether) {
  PlatformFile p = two_devices();
  p.devices[1].mem = 0;
  p.memories = {{.mem = 0, .bw_all = 1.5e9}};
  Machine machine(p);
  Demand stream = kernel(0, 0);
  stream.counts.bytes = 1e6;
  Demand other = stream;
  other.device = 1;
  EXPECT_NEAR(machine.sample(stream), 1.01e-3, 1e-9);
  EXPECT_NEAR(machine.sample_working(stream), 1e-3, 1e-9) << "an event starts when the launch is over";
  const std::vector<double> together = machine.sample_together({stream, other});
  EXPECT_NEAR(std::max(together[0], together[1]), 2e6 / 1.5e9, 1e-5);
  other.counts.bytes = 1;  // leaves the memory to the first
  EXPECT_NEAR(machine.sample_together({stream, other})[0], 1.01e-3, 1e-6);
}

TEST(Machine, APortCarriesOneTransferAtATimeEitherWay) {
  Machine machine(two_devices());
  const Span to = machine.run(transfer_demand(0, 1, 1e6, 1e6), kZero, nothing);
  EXPECT_EQ(to.end, kZero + 1'001'000);
  const Span next = machine.run(transfer_demand(0, 1, 1e6, 1e6), kZero, nothing);
  EXPECT_EQ(next.start, to.end);
  const Span back = machine.run(transfer_demand(1, 0, 1e6, 1e6), kZero, nothing);
  EXPECT_EQ(back.start, kZero) << "full duplex";
}

TEST(Machine, WorkThatOutlastsItsTimeIsAnOverrun) {
  Machine machine(two_devices());
  // The first launch compiles: the clock stands. It has a tenth of a second, which a busy machine keeps, too.
  machine.run(kernel(0, 1e8), kZero, nothing);
  EXPECT_EQ(machine.totals().overruns, 0u);
  const Span late =
      machine.run(kernel(0, 1), kZero, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  EXPECT_EQ(machine.totals().overruns, 1u);
  EXPECT_EQ(late.end - late.start, 10'001u) << "the chain of virtual time is not moved by it";
  EXPECT_FALSE(machine.totals().valid());
}

TEST(Machine, ASlowDownCountsFromItsInstant) {
  PlatformFile p = two_devices();
  p.events = {{.at = 0.001, .device = 0, .factor = 2}, {.at = 0.005, .device = 0, .factor = 1}};
  Machine machine(p);
  const Span a = machine.run(kernel(0, 1.99e6), kZero, nothing);  // 2 ms with its launch: 1 before, 1 after
  EXPECT_EQ(a.end, kZero + 3'000'000);
  const Span b = machine.run(kernel(0, 1.99e6), kZero, nothing);  // 2 ms of time at half speed, 1 at full
  EXPECT_EQ(b.end, kZero + 6'000'000);
  const Span other = machine.run(kernel(1, 1.98e6), kZero, nothing);
  EXPECT_EQ(other.end, kZero + 2'000'000);
}

TEST(Machine, JitterIsEvenBoundedAndSeeded) {
  PlatformFile p = two_devices();
  p.jitter = 0.05;
  Machine machine(p), again(p);
  p.seed = 2;
  Machine other(p);
  double sum = 0;
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    const double seconds = machine.sample(kernel(0, 1e6));
    EXPECT_EQ(seconds, again.sample(kernel(0, 1e6)));
    same += seconds == other.sample(kernel(0, 1e6));
    EXPECT_NEAR(seconds, 1.01e-3, 0.0506e-3);
    sum += seconds;
  }
  EXPECT_NEAR(sum / 1000, 1.01e-3, 0.01e-3);
  EXPECT_LT(same, 10);
}

TEST(Machine, AMemoryIsFull) {
  PlatformFile p = two_devices();
  p.events = {{.at = 0, .device = 1, .kind = EventSpec::Kind::has, .bytes = 100}};
  Machine machine(p);
  EXPECT_TRUE(machine.allocate(1, 60));
  EXPECT_FALSE(machine.has_room(1, 41));
  EXPECT_FALSE(machine.allocate(1, 41));
  EXPECT_TRUE(machine.allocate(1, 40));
  EXPECT_TRUE(machine.allocate(0, 1 << 30)) << "another memory";
  machine.release(1, 60);
  EXPECT_TRUE(machine.has_room(1, 60));
  EXPECT_EQ(machine.totals().refused, 1u);
}

TEST(Machine, AMemoryIsLostWithTheLastOfItsDevices) {
  PlatformFile p = two_devices();
  p.devices.push_back({.name = "h", .mem = 1, .rates = {1e9, 1e9, 1e9, 1e9}});
  p.events = {{.at = 0, .device = 1, .kind = EventSpec::Kind::fails}};
  EXPECT_FALSE(Machine(p).lost(1));
  EXPECT_TRUE(Machine(p).failed(1));
  p.events.push_back({.at = 0, .device = 2, .kind = EventSpec::Kind::fails});
  EXPECT_TRUE(Machine(p).lost(1));
  EXPECT_FALSE(Machine(p).lost(0));

  p.events[1].at = 1e-3;  // in the middle of a piece
  Machine machine(p);
  const Span span = machine.run(kernel(2, 2e6), kZero, [] { FAIL() << "it is not to be executed"; });
  EXPECT_TRUE(span.failed);
  EXPECT_TRUE(span.begun);
  EXPECT_EQ(span.end, kZero + 1'000'000);
  EXPECT_TRUE(machine.lost(1));
  EXPECT_FALSE(machine.run(kernel(2, 2e6), kZero, nothing).begun) << "later there is nothing to begin";
  EXPECT_TRUE(machine.run(transfer_demand(1, 0, 100, 100), kZero + 2'000'000, nothing).failed);
}

TEST(SharedBandwidth, SlowsAllWhileTogetherTheyWantMore) {
  SharedBandwidth memory(1e9);
  const int a = memory.begin(kZero, 1e-3, 1e6);  // alone: the whole bandwidth for 1 ms
  EXPECT_EQ(memory.end_of(a), kZero + 1'000'000);
  const int b = memory.begin(kZero + 500'000, 1e-3, 1e6);
  EXPECT_EQ(memory.end_of(a), kZero + 1'500'000) << "its second half at half speed";
  EXPECT_EQ(memory.end_of(b), kZero + 2'000'000) << "half speed, then alone";
  memory.forget(a);
  EXPECT_EQ(memory.end_of(b), kZero + 2'000'000);
}

TEST(SharedBandwidth, LeavesArithmeticAlone) {
  SharedBandwidth memory(1e9);
  const int a = memory.begin(kZero, 1e-3, 0.4e6);
  const int b = memory.begin(kZero, 1e-3, 0.5e6);
  EXPECT_EQ(memory.end_of(a), kZero + 1'000'000);
  EXPECT_EQ(memory.end_of(b), kZero + 1'000'000);
}

}  // namespace
}  // namespace mkmd::emulation
