// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/patience.hpp"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace mkmd::vendor {
namespace {

TEST(Patience, WaitsForTheReturn) {
  const int object = 0;
  auto called = std::make_shared<bool>(false);
  EXPECT_TRUE(returns_in_time(&object, [called] { *called = true; }));
  EXPECT_TRUE(*called);
  EXPECT_FALSE(is_late(&object));
}

TEST(Patience, EndsWhereACallDoesNotReturn) {
  const int object = 0, other = 0;
  auto answer = std::make_shared<std::promise<void>>();
  auto asked_again = std::make_shared<bool>(false);
  EXPECT_FALSE(returns_in_time(&object, [answer] { answer->get_future().wait(); }));
  EXPECT_TRUE(is_late(&object));
  EXPECT_FALSE(returns_in_time(&object, [asked_again] { *asked_again = true; }));
  EXPECT_FALSE(*asked_again);
  EXPECT_TRUE(returns_in_time(&other, [] {}));
  answer->set_value();
  while (is_late(&object))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(returns_in_time(&object, [asked_again] { *asked_again = true; }));
  EXPECT_TRUE(*asked_again);
}

}  // namespace
}  // namespace mkmd::vendor
