// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/picture.hpp"

#include <gmock/gmock.h>

using namespace mkmd::inspect;

namespace {

Row row_of(std::vector<std::pair<double, double>> times) {
  Row row{"device", false, {}, 0};
  for (const auto& [start, end] : times)
    row.bars.push_back({start, end, BarKind::piece, row.bars.size(), 0});
  return row;
}

TEST(TimeAxis, LongGapsAreFolded) {
  Analysis a;
  a.rows.push_back(row_of({{0, 1}, {1.001, 2}, {100, 101}}));
  const TimeAxis axis(a);
  ASSERT_EQ(axis.segments().size(), 3u);
  EXPECT_TRUE(axis.segments()[1].folded);
  EXPECT_EQ(axis.position(0), 0);
  EXPECT_NEAR(axis.position(101), 1, 1e-12);
  // Where it is to scale, equal times are equally long.
  EXPECT_NEAR(axis.position(1) - axis.position(0), axis.position(101) - axis.position(100), 1e-12);
  EXPECT_LT(axis.position(100) - axis.position(2), 0.1);
  for (const TimeAxis::Tick& t : axis.ticks(0.1))
    EXPECT_THAT(t.label, testing::HasSubstr(" s"));
}

TEST(TimeAxis, NothingToShow) {
  EXPECT_EQ(TimeAxis(Analysis{}).segments().size(), 1u);
  Analysis instant;
  instant.rows.push_back(row_of({{3, 3}}));
  EXPECT_EQ(TimeAxis(instant).position(3), 0);
  EXPECT_FALSE(TimeAxis(instant).ticks(0.1).size() > 20);
}

TEST(Marks, NarrowBarsAreAddedUp) {
  Analysis a;
  std::vector<std::pair<double, double>> times;
  for (int i = 0; i < 1000; ++i)
    times.emplace_back(i, i + 0.5);
  times.emplace_back(1000, 2000);
  a.rows.push_back(row_of(times));
  const std::vector<Mark> marks = marks_of(a.rows[0], TimeAxis(a), 100);
  ASSERT_GE(marks.size(), 2u);  // one wide bar, and the narrow ones
  EXPECT_LE(marks.size(), 51u);
  EXPECT_EQ(marks[0].count, 1u);
  EXPECT_NEAR(marks[0].x1, 100, 1e-9);
  size_t all = 0;
  for (size_t i = 1; i < marks.size(); ++i) {
    all += marks[i].count;
    EXPECT_NEAR(marks[i].height, 0.5, 0.13);
  }
  EXPECT_EQ(all, 1000u);
  EXPECT_NEAR(marks.back().x1, 50, 1.01);
}

TEST(Texts, ThreeDigits) {
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(1.2345e-3), "1.23 ms");
  EXPECT_EQ(time_text(99.96e-6), "100 µs");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(999'600), "1.00 MB");
}

}  // namespace
