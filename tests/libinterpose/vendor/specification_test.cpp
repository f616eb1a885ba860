// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/specification.hpp"

#include "libinterpose/vendor/vendor.hpp"

#include <gmock/gmock.h>

using namespace mkmd::vendor;
using testing::HasSubstr;

namespace {

TEST(Specification, PlatformAlone) {
  const auto items = parse_specification("PoCL");
  ASSERT_TRUE(items);
  ASSERT_EQ(items->size(), 1u);
  EXPECT_EQ(items->front(), (Item{"PoCL", "pocl", std::nullopt, 1}));
}

TEST(Specification, IndexPartsAndLists) {
  const auto items = parse_specification("pocl:1/2, oclgrind");
  ASSERT_TRUE(items);
  ASSERT_EQ(items->size(), 2u);
  EXPECT_EQ((*items)[0], (Item{"pocl:1/2", "pocl", 1, 2}));
  EXPECT_EQ((*items)[1], (Item{"oclgrind", "oclgrind", std::nullopt, 1}));
}

TEST(Specification, WrongFormsNameTheBadPart) {
  const auto message = [](const char* text) { return parse_specification(text).status().message(); };
  EXPECT_THAT(message("pocl/0"), HasSubstr("\"0\" is not a number of parts"));
  EXPECT_THAT(message("pocl/two"), HasSubstr("\"two\""));
  EXPECT_THAT(message("pocl:x"), HasSubstr("\"x\" is not a device index"));
  EXPECT_THAT(message("pocl:-1"), HasSubstr("\"-1\""));
  EXPECT_THAT(message("pocl,"), HasSubstr("name is missing"));
  EXPECT_THAT(message("/2"), HasSubstr("name is missing"));
  EXPECT_THAT(message("pocl/"), HasSubstr("PLATFORM[:INDEX][/PARTS]"));
}

TEST(Specification, PlatformsByShortNameOrPartOfTheirName) {
  EXPECT_TRUE(platform_matches("Portable Computing Language", "pocl"));
  EXPECT_TRUE(platform_matches("Portable Computing Language", "portable"));
  EXPECT_TRUE(platform_matches("NVIDIA CUDA", "nvidia"));
  EXPECT_FALSE(platform_matches("NVIDIA CUDA", "pocl"));
  EXPECT_EQ(short_name({nullptr, "Portable Computing Language"}), "pocl");
  EXPECT_EQ(short_name({nullptr, "Strange Vendor"}), "strange");
}

}  // namespace
