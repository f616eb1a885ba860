// SPDX-License-Identifier: Apache-2.0
// Expressions over arguments and NDRange (common/expression.hpp).
#include "common/expression.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <random>

namespace mkmd {
namespace {

using Op = Expression::Op;

Symbols symbols() {
  static const int64_t scalars[] = {7, -3, 1000, INT64_MAX};
  return {scalars, 2, {16, 4, 1}, {8, 2, 1}, {128, 8, 1}, {5, 0, 0}};
}

TEST(Expression, SymbolsHaveTheirValues) {
  const Symbols s = symbols();
  EXPECT_EQ(Expression::scalar(0).evaluate(s), 7);
  EXPECT_EQ(Expression::scalar(9).evaluate(s), std::nullopt);
  EXPECT_EQ(Expression::symbol(Op::local_size, 1).evaluate(s), 4);
  EXPECT_EQ(Expression::symbol(Op::global_size, 0).evaluate(s), 128);
  EXPECT_EQ(Expression::symbol(Op::num_groups, 0).evaluate(s), 8);
  EXPECT_EQ(Expression::symbol(Op::global_offset, 0).evaluate(s), 5);
  EXPECT_EQ(Expression::symbol(Op::work_dim).evaluate(s), 2);
}

TEST(Expression, DivisionsAgreeWithTheirDefinition) {
  const Symbols s = symbols();
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b) {
      const Expression x = Expression::scalar(0), y = Expression::scalar(1);
      const int64_t values[] = {a, b};
      Symbols t = s;
      t.scalars = values;
      const auto at = [&](Op op) { return Expression::combine(op, x, y).evaluate(t); };
      if (b == 0) {
        EXPECT_EQ(at(Op::floor_divide), std::nullopt);
        EXPECT_EQ(at(Op::remainder), std::nullopt);
        continue;
      }
      EXPECT_EQ(at(Op::divide), a / b);
      EXPECT_EQ(at(Op::remainder), a % b);
      EXPECT_EQ(at(Op::floor_divide),
                static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b))));
      EXPECT_EQ(*at(Op::floor_divide) * b + *at(Op::modulo), a);
    }
}

TEST(Expression, OverflowHasNoValue) {
  const Symbols s = symbols();
  const Expression huge = Expression::scalar(3);
  EXPECT_EQ((huge + Expression(int64_t{1})).evaluate(s), std::nullopt);
  EXPECT_EQ((huge * huge).evaluate(s), std::nullopt);
  EXPECT_EQ((Expression(int64_t{-2}) - huge).evaluate(s), std::nullopt);
  EXPECT_EQ(Expression::combine(Op::shift_left, huge, int64_t{1}).evaluate(s), std::nullopt);
  EXPECT_EQ(Expression::combine(Op::shift_left, int64_t{1}, int64_t{64}).evaluate(s), std::nullopt);
  EXPECT_EQ((Expression(INT64_MAX) + Expression(int64_t{1})).evaluate(s), std::nullopt)
      << "not folded either";
}

TEST(Expression, TripsOfLoops) {
  const Symbols s = symbols();
  const auto trips = [&](int64_t distance, int64_t step) {
    return Expression::trips(distance, step).evaluate(s);
  };
  EXPECT_EQ(trips(10, 3), 4);
  EXPECT_EQ(trips(9, 3), 3);
  EXPECT_EQ(trips(-5, 3), 0);
  EXPECT_EQ(trips(10, 0), std::nullopt);
}

TEST(Expression, SelectAndReals) {
  const Symbols s = symbols();
  const Expression e = Expression::choose(Expression::combine(Op::less, Expression::scalar(0), int64_t{10}),
                                          int64_t{1}, Expression::scalar(2));
  EXPECT_EQ(e.evaluate(s), 1);
  const Expression half = Expression::scalar(0) * Expression::real_constant(0.5);
  EXPECT_EQ(half.evaluate(s), std::nullopt);
  EXPECT_EQ(half.evaluate_real(s), 3.5);
}

TEST(Expression, TextGoesBothWays) {
  std::mt19937 generator(5);
  for (int round = 0; round < 500; ++round) {
    const auto leaf = [&]() -> Expression {
      switch (generator() % 5) {
      case 0:
        return static_cast<int64_t>(generator() % 100) - 50;
      case 1:
        return Expression::scalar(generator() % 4);
      case 2:
        return Expression::symbol(Op::local_size, generator() % 3);
      case 3:
        return Expression::symbol(Op::work_dim);
      default:
        return Expression::real_constant(static_cast<double>(generator()) / 1e5);
      }
    };
    Expression e = leaf();
    for (unsigned i = 0; i < generator() % 12; ++i) {
      const auto op = static_cast<Op>(static_cast<int>(Op::add) + static_cast<int>(generator() % 18));
      e = generator() % 2 ? Expression::combine(op, e, leaf()) : Expression::combine(op, leaf(), e);
    }
    if (generator() % 4 == 0) e = Expression::choose(e, leaf(), leaf());
    Result<Expression> again = Expression::parse(e.text());
    ASSERT_TRUE(again.ok()) << e.text();
    EXPECT_EQ(*again, e) << e.text();
    EXPECT_EQ(again->evaluate(symbols()), e.evaluate(symbols()));
    const nlohmann::json j = e;
    EXPECT_EQ(j.get<Expression>(), e);
  }
}

TEST(Expression, NonsenseIsRefused) {
  for (const char* text : {"", "+", "1 +", "1 2", "a", "a-1", "foo", "1 2 + +", "rnan", "rinf", "r1x",
                           "local", "1  2 +", "99999999999999999999"})
    EXPECT_FALSE(Expression::parse(text).ok()) << text;
  std::string deep;
  for (int i = 0; i < 100; ++i)
    deep += "1 ";
  for (int i = 0; i < 99; ++i)
    deep += "+ ";
  EXPECT_FALSE(Expression::parse(deep.substr(0, deep.size() - 1)).ok());
}

TEST(Expression, TooLongHasNoValueInsteadOfAnotherOne) {
  Expression e = Expression::scalar(0);
  for (int i = 0; i < 2000; ++i)
    e = e + Expression::scalar(1);
  EXPECT_EQ(e.evaluate(symbols()), std::nullopt);
  EXPECT_LE(e.size(), Expression::kMaxNodes);
}

// Evaluating looks at each node once: what a launch pays is the number of nodes.
TEST(Expression, OfALoopIsSmall) {
  const Expression e =
      Expression::trips(Expression::scalar(0) * Expression::scalar(2) - Expression::scalar(1), int64_t{16}) *
      Expression(int64_t{4});
  EXPECT_GT(e.evaluate(symbols()).value_or(0), 0);
  EXPECT_LE(e.size(), 15) << "nothing is repeated or left unfolded";
}

}  // namespace
}  // namespace mkmd
