// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/transfer_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace mkmd {
namespace {

constexpr uint64_t kMega = 1 << 20;

// Three memories, each with a lane of transfers into it.
class TransferOrder : public testing::Test {
protected:
  TransferOrder() {
    for (int domain = 0; domain < 3; ++domain)
      lanes_.add(std::make_unique<Lane>(Lane::Kind::threaded, -1, domain, nullptr, vendor::OwnQueue()));
  }

  Ref<Action> transfer(int from, int to, ByteRanges ranges, double order) {
    Ref<Action> action(new Action(*lanes_.all()[to], nullptr, nullptr));
    action->transfer.from_domain = from;
    action->order = order;
    action->transfer.bytes = ranges.total();
    action->transfer.some = [this](const ByteRanges& some) {
      return [this, some](const std::vector<cl_event>&) {
        moved_.push_back(some);
        return Action::Outcome{};
      };
    };
    action->work = action->transfer.some(ranges);
    action->transfer.ranges = std::move(ranges);
    return action;
  }

  void make_ready(const Ref<Action>& action) { action->lane->ready.insert(action); }
  void complete(Action& action) {
    action.state = Action::State::complete;
    for (const Ref<Action>& after : std::exchange(action.edges.on_complete, {})) {
      std::erase(after->lane->to_come, after.get());
      if (--after->edges.blockers == 0) make_ready(after);
    }
  }
  bool may_start(int lane) const { return mkmd::may_start(*lanes_.all()[lane], lanes_, until_); }
  Ref<Action> take(int lane) { return take_next(*lanes_.all()[lane], lanes_, until_); }

  Lanes lanes_;
  double until_ = 1e300;
  std::vector<ByteRanges> moved_;
};

TEST_F(TransferOrder, IsThatOfThePlan) {
  const auto second = transfer(0, 1, {0, 8 * kMega}, 2);
  const auto first = transfer(0, 1, {0, 8 * kMega}, 1);
  EXPECT_FALSE(may_start(1));
  make_ready(second);
  make_ready(first);
  EXPECT_EQ(take(1).get(), first.get());
  EXPECT_EQ(take(1).get(), second.get());
  EXPECT_FALSE(may_start(1));
}

TEST_F(TransferOrder, WhatComesAfterActionsStillToBeMadeDoesNotStart) {
  lanes_.add(std::make_unique<Lane>(Lane::Kind::threaded, 0, 0, nullptr, vendor::OwnQueue()));
  const Ref<Action> kernel(new Action(*lanes_.all()[3], nullptr, nullptr));
  kernel->order = 4;
  const auto first = transfer(0, 1, {0, kMega}, 1);
  const auto second = transfer(0, 2, {0, kMega}, 3);
  for (const auto& action : {kernel, first, second})
    make_ready(action);
  until_ = 3;
  EXPECT_EQ(take(1).get(), first.get());
  EXPECT_FALSE(may_start(2));
  EXPECT_FALSE(may_start(3));
  until_ = 4;
  EXPECT_EQ(take(2).get(), second.get());
  EXPECT_FALSE(may_start(3));
  until_ = 5;
  EXPECT_EQ(take(3).get(), kernel.get());
}

TEST_F(TransferOrder, WhatOvertakesGoesInSlicesUntilTheOtherHasCome) {
  const auto late = transfer(2, 1, {0, 64}, 1);
  const auto quick = transfer(0, 1, {0, 8 * kMega}, 2);
  lanes_.all()[1]->to_come.push_back(late.get());
  make_ready(quick);
  for (uint64_t slice = 0; slice < 2; ++slice) {
    const auto taken = take(1);
    EXPECT_NE(taken.get(), quick.get());
    EXPECT_EQ(taken->transfer.bytes, kMega);
    taken->work({});
    EXPECT_EQ(moved_.back(), ByteRanges(slice * kMega, (slice + 1) * kMega));
    EXPECT_FALSE(may_start(1)) << "the rest comes after its beginning";
    complete(*taken);
  }
  EXPECT_THAT(lanes_.all()[1]->to_come, testing::ElementsAre(late.get()));
  lanes_.all()[1]->to_come.clear();
  make_ready(late);
  EXPECT_EQ(take(1).get(), late.get());
  EXPECT_EQ(take(1).get(), quick.get());
  EXPECT_EQ(quick->transfer.bytes, 6 * kMega);
  quick->work({});
  EXPECT_EQ(moved_.back(), ByteRanges(2 * kMega, 8 * kMega));
}

TEST_F(TransferOrder, SlicesAreOfWholeRows) {
  ByteRanges rows;
  for (uint64_t row = 0; row < 8; ++row)
    rows.add(row * kMega, row * kMega + 400'000);
  const auto late = transfer(2, 1, {0, 64}, 1);
  lanes_.all()[1]->to_come.push_back(late.get());
  make_ready(transfer(0, 1, rows, 2));
  const auto first = take(1);
  EXPECT_EQ(first->transfer.ranges, rows.intersection({0, 2 * kMega}));
  complete(*first);
  EXPECT_EQ(take(1)->transfer.ranges, rows.intersection({2 * kMega, 4 * kMega}));
}

TEST_F(TransferOrder, WhatIsReadyDoesNotWaitForAPortAnotherNeeds) {
  lanes_.make_ports_exclusive();
  const auto under_way = transfer(0, 1, {0, 100 * kMega}, 1);
  lanes_.all()[1]->sending = under_way;
  const auto blocked = transfer(0, 2, {0, 64}, 2);
  const auto free = transfer(1, 2, {0, 8 * kMega}, 3);
  make_ready(blocked);
  EXPECT_FALSE(may_start(2));
  make_ready(free);
  const auto taken = take(2);  // in slices, for `blocked` should come first
  EXPECT_EQ(taken->transfer.bytes, kMega);
  EXPECT_EQ(taken->transfer.from_domain, 1);
  EXPECT_EQ(free->transfer.bytes, 7 * kMega);
}

TEST_F(TransferOrder, WhatNeedsTwoPortsIsLeftBoth) {
  lanes_.make_ports_exclusive();
  const auto slice = transfer(1, 2, {0, kMega}, 3);
  lanes_.all()[2]->sending = slice;
  const auto next = transfer(0, 2, {0, 8 * kMega}, 1);
  const auto other = transfer(0, 1, {0, 8 * kMega}, 2);
  make_ready(other);
  EXPECT_TRUE(may_start(1));
  make_ready(next);
  EXPECT_FALSE(may_start(1)) << "it would hold the port of memory 0 when that of memory 2 becomes free";
  EXPECT_FALSE(may_start(2));
  lanes_.all()[2]->sending = {};
  EXPECT_FALSE(may_start(1));
  EXPECT_EQ(take(2).get(), next.get());
}

}  // namespace
}  // namespace mkmd
