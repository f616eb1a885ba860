// SPDX-License-Identifier: Apache-2.0
// Expression: arithmetic over what is known when a kernel is enqueued (its scalar arguments and the
// NDRange). The compiler writes such expressions, and the runtime evaluates them at each launch. So they
// are a flat postfix vector without pointers. A value that does not fit 64 bits, a division by zero and an
// unknown symbol have no value. Callers then fall back to "unknown", never to a wrapped number.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.hpp"

namespace mkmd {

// The numbers behind the symbols, for one launch. Unused dimensions have size 1 and offset 0.
struct Symbols {
  std::span<const int64_t> scalars;  // by slot; the first ones are the kernel's arguments
  unsigned work_dim = 1;
  std::array<int64_t, 3> local{1, 1, 1};
  std::array<int64_t, 3> groups{1, 1, 1};
  std::array<int64_t, 3> global{1, 1, 1};
  std::array<int64_t, 3> offset{0, 0, 0};
};

class Expression {
public:
  enum class Op : uint8_t {
    constant,  // value
    real,      // value holds a double's bits; only real() gives such an expression a value
    scalar,    // value: slot
    local_size,
    global_size,
    num_groups,
    global_offset,  // value: dimension
    work_dim,
    add,
    subtract,
    multiply,
    floor_divide,
    modulo,     // of floor_divide: has the divisor's sign
    divide,     // towards zero, as C
    remainder,  // of divide
    minimum,
    maximum,
    shift_left,
    shift_right,  // arithmetic
    bit_and,
    bit_or,
    bit_xor,
    less,
    less_equal,
    equal,
    not_equal,
    select,  // condition, then, otherwise
  };
  struct Node {
    Op op = Op::constant;
    int64_t value = 0;
    bool operator==(const Node&) const = default;
    auto operator<=>(const Node&) const = default;
  };

  Expression() : Expression(int64_t{0}) {}
  Expression(int64_t constant) : nodes_{{Op::constant, constant}} {}
  static Expression real_constant(double value);
  static Expression symbol(Op op, int64_t index = 0) { return Expression(std::vector<Node>{{op, index}}); }
  static Expression scalar(int64_t slot) { return symbol(Op::scalar, slot); }
  static Expression combine(Op op, const Expression& a, const Expression& b);  // folds constants
  static Expression choose(const Expression& condition, const Expression& then, const Expression& otherwise);
  // ceil(max(0, distance) / step): how often a loop runs.
  static Expression trips(const Expression& distance, const Expression& step);

  std::optional<int64_t> evaluate(const Symbols&) const;
  std::optional<double> evaluate_real(const Symbols&) const;
  std::optional<int64_t> constant() const;  // the value when it depends on nothing

  // Postfix text, such as "a2 4 *" (argument 2 times 4); also the JSON form.
  std::string text() const;
  static Result<Expression> parse(std::string_view text);

  size_t size() const { return nodes_.size(); }
  std::span<const Node> nodes() const { return nodes_; }
  bool operator==(const Expression&) const = default;
  auto operator<=>(const Expression&) const = default;

  static constexpr size_t kMaxNodes = 512;
  static constexpr size_t kMaxDepth = 48;

private:
  explicit Expression(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}
  bool well_formed() const;

  std::vector<Node> nodes_;
};

inline Expression operator+(const Expression& a, const Expression& b) {
  return Expression::combine(Expression::Op::add, a, b);
}
inline Expression operator-(const Expression& a, const Expression& b) {
  return Expression::combine(Expression::Op::subtract, a, b);
}
inline Expression operator*(const Expression& a, const Expression& b) {
  return Expression::combine(Expression::Op::multiply, a, b);
}

void to_json(nlohmann::json&, const Expression&);
void from_json(const nlohmann::json&, Expression&);  // throws nlohmann's exception on bad text

}  // namespace mkmd
