// SPDX-License-Identifier: Apache-2.0
#include "common/json.hpp"

#include <gmock/gmock.h>

using namespace mkmd;
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

}  // namespace
