// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/life/compiler_turns.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace mkmd {
namespace {

TEST(CompilerTurnsTest, AQuestionHasNoTurnBesideABuild) {
  CompilerTurns turns;
  {
    const CompilerTurns::Build one(turns), other(turns);
    EXPECT_FALSE(CompilerTurns::Question(turns).has_turn());
  }
  EXPECT_TRUE(CompilerTurns::Question(turns).has_turn());
}

TEST(CompilerTurnsTest, ABuildWaitsForTheQuestionThatIsUnderWay) {
  CompilerTurns turns;
  std::optional<CompilerTurns::Question> question(turns);
  ASSERT_TRUE(question->has_turn());
  EXPECT_FALSE(CompilerTurns::Question(turns).has_turn()) << "there is one";
  std::atomic<bool> answered{false};
  std::thread builds([&] {
    const CompilerTurns::Build build(turns);
    EXPECT_TRUE(answered.load());
  });
  answered = true;
  question.reset();
  builds.join();
}

}  // namespace
}  // namespace mkmd
