// SPDX-License-Identifier: Apache-2.0
// A program that never waits is made to wait for exploring windows.
#include "tests/libinterpose/capture/virtual_context_test.hpp"

namespace mkmd {
namespace {

class ExploringTest : public VirtualContextTest {
protected:
  void SetUp() override {
    make({});
    a = c().buffer(std::vector<float>(kItems, 1));
    b = c().buffer(std::vector<float>(kItems, 0));
  }
  Ref<Command> launch() { return c().capture(c().twice(a, b)); }

  static constexpr size_t kItems = 64 * VirtualContext::kLocal;
  Ref<Memory> a, b;
};

TEST_F(ExploringTest, AnExploringWindowEndsBeforeTheNextBegins) {
  for (size_t i = 0; i + 1 < timing::kLimits.commands_to_explore; ++i)
    launch();
  EXPECT_EQ(device(0).kernels_run + device(1).kernels_run, 0);
  launch();
  EXPECT_FALSE(c().runtime().capturing()) << "the program has waited for it";
}

TEST_F(ExploringTest, AlsoOneThatTheProgramHasFlushed) {
  Ref<Command> last = launch();
  for (int i = 1; i < timing::kLimits.windows_for_new; ++i) {
    c().runtime().windows().flush();
    EXPECT_FALSE(last->done) << i;
    const Ref<Command> next = launch();
    EXPECT_TRUE(last->done) << i;
    last = next;
  }
  c().runtime().windows().flush();
  launch();
  EXPECT_FALSE(last->done) << "none explores any more";
}

}  // namespace
}  // namespace mkmd
