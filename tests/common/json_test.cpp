// SPDX-License-Identifier: Apache-2.0
#include "common/json.hpp"

#include <gmock/gmock.h>

using namespace mkmd;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

TEST(Json, AMistakeHasItsPlace) {
  const auto complaint = [](const char* text) { return parse_json(text).status().message(); };
  EXPECT_TRUE(parse_json("{}"));
  EXPECT_THAT(complaint("{\n  \"a\" 1}"), StartsWith("line 2, column 7: "));
  EXPECT_THAT(complaint("[1,\n 1e999]"), StartsWith("line 2, column 2: number overflow"));
  EXPECT_EQ(complaint(""), "it is empty");
  EXPECT_EQ(complaint(" \n\t"), "it is empty");
}

TEST(Json, DepthIsLimited) {
  const auto nested = [](int levels) {
    return std::string(static_cast<size_t>(levels), '[') + std::string(static_cast<size_t>(levels), ']');
  };
  EXPECT_TRUE(parse_json(nested(kMostJsonLevels)));
  EXPECT_THAT(parse_json("{\"a\":\n " + nested(kMostJsonLevels) + "}").status().message(),
              StartsWith("line 2, column 65: more than 64 levels"));
  EXPECT_FALSE(parse_json(nested(10'000'000)));
  EXPECT_FALSE(parse_json(std::string(10'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i)
    objects += "{\"a\":";
  EXPECT_FALSE(parse_json(objects));
}

TEST(Json, BracketsInTextsAreNoLevels) {
  const std::string brackets(1000, '[');
  for (const std::string& text :
       std::vector<std::string>{brackets, "\\\"" + brackets, "\\\\", "\\u005b" + brackets}) {
    EXPECT_TRUE(parse_json("[\"" + text + "\", []]")) << text;
  }
  EXPECT_THAT(parse_json("[\"\\\\\"," + brackets).status().message(), HasSubstr("levels"));
}

TEST(Json, SizeIsLimited) {
  const std::string text(kMostJsonBytes + 1, ' ');
  EXPECT_THAT(parse_json(text).status().message(), StartsWith("it has 134217729 bytes, more than"));
}

}  // namespace
