// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/region_map.hpp"

#include "libinterpose/execution/action.hpp"

#include <gtest/gtest.h>

#include <random>

namespace mkmd {
namespace {

// Two memories that no vendor event can connect: every order shows as a blocker.
struct RegionMapTest : testing::Test {
  Lane a{Lane::Kind::threaded, 0, 0, nullptr, {}};
  Lane b{Lane::Kind::threaded, 1, 1, nullptr, {}};
  RegionMap map{100, 2};

  static Ref<Action> action(Lane& lane) { return Ref<Action>(new Action(lane, nullptr, {})); }
  static void complete(Action& done) {
    done.state = Action::State::complete;
    for (const Ref<Action>& after : std::exchange(done.on_complete, {}))
      --after->blockers;
  }
};

TEST_F(RegionMapTest, BeginsValidInTheHomeOnly) {
  EXPECT_TRUE(map.all_valid(0));
  EXPECT_TRUE(map.valid(1).empty());
  EXPECT_EQ(map.missing(1, {10, 20}), ByteRanges(10, 20));
}

TEST_F(RegionMapTest, CompleteActionsAreLetGoOfThoughTheirBytesAreNotTouchedAgain) {
  RegionMap host{UINT64_MAX, 1, 0, SIZE_MAX};
  size_t alive = 0;
  struct Counted {
    explicit Counted(size_t& alive) : alive(alive) { ++alive; }
    ~Counted() { --alive; }
    size_t& alive;
  };
  for (uint64_t i = 0; i < 1000; ++i) {
    auto counted = std::make_shared<Counted>(alive);
    const Ref<Action> writer(
        new Action(a, nullptr, [counted](const std::vector<cl_event>&) { return Action::Outcome{}; }));
    host.write(0, {i * 100, i * 100 + 50}, *writer);
    complete(*writer);
  }
  EXPECT_LE(alive, 32u);
}

TEST_F(RegionMapTest, AReaderWaitsForTheWriterOfItsBytesOnly) {
  const auto writer = action(a);
  const auto reader = action(a);
  const auto elsewhere = action(a);
  map.write(0, {10, 20}, *writer);
  map.read(0, {15, 30}, *reader);
  map.read(0, {20, 30}, *elsewhere);
  EXPECT_EQ(reader->blockers, 1);
  EXPECT_EQ(elsewhere->blockers, 0);
  complete(*writer);
  EXPECT_EQ(reader->blockers, 0);
}

TEST_F(RegionMapTest, AWriterWaitsForEveryReaderAndTheWriterBefore) {
  const auto first = action(a);
  const auto reader1 = action(a);
  const auto reader2 = action(a);
  const auto second = action(a);
  map.write(0, {0, 50}, *first);
  map.read(0, {0, 10}, *reader1);
  map.read(0, {40, 60}, *reader2);
  map.write(0, {0, 100}, *second);
  EXPECT_EQ(second->blockers, 3);
  const auto third = action(a);
  map.write(0, {0, 100}, *third);
  EXPECT_EQ(third->blockers, 1) << "what the second waited for is behind it";
}

TEST_F(RegionMapTest, PiecesWithOverlappingHullsAllWaitForWhatCameBefore) {
  const auto before = action(a);
  map.write(0, {0, 100}, *before);
  ActionOwner command;
  command.retain();  // lives on the stack
  {
    const Ref<Action> first(new Action(a, &command, {}));
    const Ref<Action> second(new Action(a, &command, {}));
    map.order_write(0, {0, 90}, *first);
    map.order_write(0, {10, 100}, *second);
    map.record_write(0, {0, 90}, *first);
    map.record_write(0, {10, 100}, *second);
    EXPECT_EQ(first->blockers, 1);
    EXPECT_EQ(second->blockers, 1) << "one piece must not hide the past from the other";
    const auto after = action(a);
    map.read(0, {50, 60}, *after);
    EXPECT_EQ(after->blockers, 2);
    map.forget_actions();
    complete(*before);
  }
}

TEST_F(RegionMapTest, CopiesInDifferentMemoriesDoNotOrderEachOther) {
  const auto here = action(a);
  const auto there = action(b);
  map.write(0, {0, 100}, *here);
  map.read(1, {0, 100}, *there);
  EXPECT_EQ(there->blockers, 0);
}

// The second domain works in home's bytes: they are one memory.
TEST_F(RegionMapTest, DomainsOfHomesBytesAreOrderedAndValidAsHome) {
  RegionMap one(100, 3, 0b010);
  EXPECT_TRUE(one.is_home(1));
  EXPECT_FALSE(one.is_home(2));
  EXPECT_FALSE(one.is_all_home());
  EXPECT_TRUE(RegionMap(100, 2, 0b010).is_all_home());
  const auto here = action(a), there = action(b), again = action(a);
  one.write(0, {0, 100}, *here);
  one.read(1, {0, 50}, *there);
  EXPECT_EQ(there->edges.blockers, 1);
  one.write(0, {40, 60}, *again);
  EXPECT_EQ(again->edges.blockers, 2);
  one.set_only_valid(1, {0, 100});
  EXPECT_TRUE(one.all_valid(0) && one.all_valid(1));
  EXPECT_TRUE(one.missing(1, {0, 100}).empty());
  one.set_only_valid(2, {0, 10});
  EXPECT_EQ(one.missing(0, {0, 100}), ByteRanges(0, 10));
  EXPECT_EQ(one.missing(1, {0, 100}), ByteRanges(0, 10));
  one.add_valid(1, {0, 5});
  EXPECT_EQ(one.missing(0, {0, 100}), ByteRanges(5, 10));
}

TEST_F(RegionMapTest, CompleteActionsOrderNothing) {
  const auto writer = action(a);
  map.write(0, {0, 100}, *writer);
  complete(*writer);
  const auto reader = action(a);
  map.read(0, {0, 100}, *reader);
  EXPECT_EQ(reader->blockers, 0);
}

TEST_F(RegionMapTest, SourcesNameEachMissingByteOnce) {
  map.set_only_valid(1, {20, 40});
  map.add_valid(1, {60, 80});
  const auto sources = map.sources(map.missing(0, {0, 100}));
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].domain, 1);
  EXPECT_EQ(sources[0].ranges, ByteRanges(20, 40));
  ByteRanges wanted(0, 20);
  wanted.add(40, 60);
  wanted.add(80, 100);
  EXPECT_EQ(map.missing(1, {0, 100}), wanted);
}

TEST_F(RegionMapTest, ColumnsOfAnotherMatrixDoNotSuit) {
  RegionMap large(1 << 20, 2);
  const ByteRanges columns(ByteRows{0, 512, 1024, 1024});
  EXPECT_TRUE(large.suits(columns));
  large.set_only_valid(1, columns);
  EXPECT_TRUE(large.suits(columns));
  EXPECT_TRUE(large.suits(ByteRanges(ByteRows{256, 512, 1024, 1000}))) << "other columns";
  EXPECT_FALSE(large.suits(ByteRanges(ByteRows{0, 500, 1000, 1000})));
  EXPECT_TRUE(large.suits({100, 900'000})) << "plain ranges always do";
  large.set_only_valid(0, {0, 1 << 20});
  EXPECT_TRUE(large.suits(ByteRanges(ByteRows{0, 500, 1000, 1000}))) << "written as a whole";
}

TEST_F(RegionMapTest, ManyReadersUpToDifferentEndsAreWaitedFor) {
  constexpr uint64_t kMany = 3000;  // would take long if each cut the bytes and were compared with all
  RegionMap large(kMany + 1, 2);
  std::vector<Ref<Action>> readers;
  for (uint64_t i = 0; i < kMany; ++i) {
    readers.push_back(action(a));
    large.read(0, {0, i + 1}, *readers.back());
  }
  const auto all = action(a);
  large.order_write(0, {0, 1}, *all);
  EXPECT_EQ(all->blockers, static_cast<int>(kMany)) << "each of them reads the first byte";
  const auto last = action(a);
  large.order_write(0, {kMany - 1, kMany}, *last);
  EXPECT_GE(last->blockers, 1);
  const auto none = action(a);
  large.order_write(0, {kMany, kMany + 1}, *none);
  for (const Ref<Action>& reader : readers)
    complete(*reader);
  EXPECT_EQ(all->blockers + last->blockers + none->blockers, 0);
}

// Against the obvious: an array of bytes.
TEST_F(RegionMapTest, ValidityAgreesWithAnArrayOfBytes) {
  std::mt19937 random(7);
  std::vector<unsigned> bytes(100, 1u);
  for (int step = 0; step < 2000; ++step) {
    auto lo = static_cast<unsigned>(random() % 100);
    auto hi = static_cast<unsigned>(random() % 101);
    if (lo > hi) std::swap(lo, hi);
    const int domain = static_cast<int>(random() % 2);
    const bool only = random() % 2 == 0;
    if (only) {
      map.set_only_valid(domain, {lo, hi});
    } else {
      map.add_valid(domain, {lo, hi});
    }
    for (unsigned i = lo; i < hi; ++i)
      bytes[i] = (only ? 0u : bytes[i]) | 1u << domain;
    for (int d = 0; d < 2; ++d) {
      ByteRanges expected;
      for (unsigned i = 0; i < 100; ++i) {
        if ((bytes[i] >> d & 1u) != 0) expected.add(i, i + 1);
      }
      ASSERT_EQ(map.valid(d), expected) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace mkmd
