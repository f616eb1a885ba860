// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/memories.hpp"
#include "tests/libinterpose/vendor/addresses.hpp"

#include <gmock/gmock.h>

namespace mkmd::vendor {
namespace {

using testing::ElementsAre;

const int cpu = 0, second = 0, gpu = 0;  // devices, by address

TEST(Memories, PartsOfOneDevice) {
  EXPECT_THAT(memory_domains({{&one, &gpu, false}, {&one, &gpu, false}}), ElementsAre(0, 0));
}

TEST(Memories, CpusOfOnePlatformShareTheHosts) {
  EXPECT_THAT(memory_domains({{&one, &cpu, true}, {&one, &gpu, false}, {&one, &second, true}}),
              ElementsAre(0, 1, 0));
}

TEST(Memories, ACpuOfAnotherMachineHasItsOwn) {
  EXPECT_THAT(memory_domains({{&one, &cpu, true}, {&one, &second, false}}), ElementsAre(0, 1));
}

TEST(Memories, PlatformsNeverShareOne) {
  EXPECT_THAT(memory_domains({{&one, &cpu, true}, {&other, &second, true}}), ElementsAre(0, 1));
}

TEST(Memories, ToldApart) {
  EXPECT_THAT(memory_domains({{}, {}, {}}), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace mkmd::vendor
