// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/pci.hpp"
#include "tests/libinterpose/vendor/addresses.hpp"

#include <gmock/gmock.h>

namespace mkmd::vendor {
namespace {

using testing::Eq;
using testing::Optional;

constexpr PciAddress kCard{0, 3, 0, 0}, kSecondCard{0, 4, 0, 0};

TEST(Pci, OneGpuUnderTwoDriversIsOneDevice) {
  const std::vector<HardwarePlace> devices = {{&one, kCard}, {&other, kSecondCard}, {&other, kCard}};
  EXPECT_THAT(earlier_driver(devices, 0), Eq(std::nullopt));
  EXPECT_THAT(earlier_driver(devices, 1), Eq(std::nullopt));
  EXPECT_THAT(earlier_driver(devices, 2), Optional(size_t{0}));
}

TEST(Pci, PartsOfAGpuUnderOneDriverAreSeveral) {
  EXPECT_THAT(earlier_driver({{&one, kCard}, {&one, kCard}}, 1), Eq(std::nullopt));
}

TEST(Pci, DevicesThatDoNotSayAreSeveral) {
  EXPECT_THAT(earlier_driver({{&one, {}}, {&other, {}}}, 1), Eq(std::nullopt));
}

TEST(Pci, ADomainIsPartOfAnAddress) {
  EXPECT_THAT(earlier_driver({{&one, kCard}, {&other, PciAddress{1, 3, 0, 0}}}, 1), Eq(std::nullopt));
}

}  // namespace
}  // namespace mkmd::vendor
