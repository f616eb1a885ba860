// SPDX-License-Identifier: Apache-2.0
#include "common/expression.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace mkmd {
namespace {

using Op = Expression::Op;

struct Name {
  Op op;
  std::string_view text;  // symbols are followed by their index
};
constexpr Name kNames[] = {
    {Op::scalar, "a"},
    {Op::local_size, "local"},
    {Op::global_size, "global"},
    {Op::num_groups, "groups"},
    {Op::global_offset, "offset"},
    {Op::work_dim, "dim"},
    {Op::add, "+"},
    {Op::subtract, "-"},
    {Op::multiply, "*"},
    {Op::floor_divide, "fdiv"},
    {Op::modulo, "mod"},
    {Op::divide, "div"},
    {Op::remainder, "rem"},
    {Op::minimum, "min"},
    {Op::maximum, "max"},
    {Op::shift_left, "shl"},
    {Op::shift_right, "shr"},
    {Op::bit_and, "and"},
    {Op::bit_or, "or"},
    {Op::bit_xor, "xor"},
    {Op::less, "<"},
    {Op::less_equal, "<="},
    {Op::equal, "=="},
    {Op::not_equal, "!="},
    {Op::select, "?"},
};

constexpr bool indexed(Op op) {
  return op >= Op::scalar && op <= Op::global_offset;
}
constexpr int operands(Op op) {
  return op <= Op::work_dim ? 0 : op == Op::select ? 3 : 2;
}

// Towards zero, or towards minus infinity; what of the two results the operation wants.
bool divide(Op op, int64_t a, int64_t b, int64_t& r) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) return false;
  int64_t q = a / b, m = a % b;
  if ((op == Op::floor_divide || op == Op::modulo) && m != 0 && (m < 0) != (b < 0)) {
    --q;
    m += b;
  }
  r = op == Op::floor_divide || op == Op::divide ? q : m;
  return true;
}

// One operation on integers; false when the result has no 64-bit value.
bool apply(Op op, int64_t a, int64_t b, int64_t& r) {
  switch (op) {
  case Op::add:
    return !__builtin_add_overflow(a, b, &r);
  case Op::subtract:
    return !__builtin_sub_overflow(a, b, &r);
  case Op::multiply:
    return !__builtin_mul_overflow(a, b, &r);
  case Op::floor_divide:
  case Op::modulo:
  case Op::divide:
  case Op::remainder:
    return divide(op, a, b, r);
  case Op::minimum:
    r = a < b ? a : b;
    return true;
  case Op::maximum:
    r = a < b ? b : a;
    return true;
  case Op::shift_left:
    if (b < 0 || b > 62) return false;
    return !__builtin_mul_overflow(a, int64_t{1} << b, &r);
  case Op::shift_right:
    if (b < 0 || b > 63) return false;
    r = a >> b;
    return true;
  case Op::bit_and:
    r = a & b;
    return true;
  case Op::bit_or:
    r = a | b;
    return true;
  case Op::bit_xor:
    r = a ^ b;
    return true;
  case Op::less:
    r = a < b;
    return true;
  case Op::less_equal:
    r = a <= b;
    return true;
  case Op::equal:
    r = a == b;
    return true;
  case Op::not_equal:
    r = a != b;
    return true;
  default:
    return false;
  }
}

bool apply(Op op, double a, double b, double& r) {
  switch (op) {
  case Op::add:
    r = a + b;
    return true;
  case Op::subtract:
    r = a - b;
    return true;
  case Op::multiply:
    r = a * b;
    return true;
  case Op::floor_divide:
    r = std::floor(a / b);
    return b != 0;
  case Op::modulo:
    r = a - b * std::floor(a / b);
    return b != 0;
  case Op::divide:
    r = std::trunc(a / b);
    return b != 0;
  case Op::remainder:
    r = std::fmod(a, b);
    return b != 0;
  case Op::minimum:
    r = std::fmin(a, b);
    return true;
  case Op::maximum:
    r = std::fmax(a, b);
    return true;
  case Op::shift_left:
    r = a * std::exp2(b);
    return true;
  case Op::shift_right:
    r = std::floor(a / std::exp2(b));
    return true;
  case Op::less:
    r = a < b;
    return true;
  case Op::less_equal:
    r = a <= b;
    return true;
  case Op::equal:
    r = a == b;
    return true;
  case Op::not_equal:
    r = a != b;
    return true;
  case Op::bit_and:
  case Op::bit_or:
  case Op::bit_xor: {
    if (!(std::fabs(a) < 0x1p62 && std::fabs(b) < 0x1p62)) return false;
    int64_t bits = 0;
    apply(op, static_cast<int64_t>(a), static_cast<int64_t>(b), bits);
    r = static_cast<double>(bits);
    return true;
  }
  default:
    return false;
  }
}

std::optional<int64_t> symbol_value(const Expression::Node& n, const Symbols& s) {
  const auto i = static_cast<size_t>(n.value);
  switch (n.op) {
  case Op::scalar:
    if (i >= s.scalars.size()) return std::nullopt;
    return s.scalars[i];
  case Op::local_size:
    return i < 3 ? s.local[i] : 1;
  case Op::global_size:
    return i < 3 ? s.global[i] : 1;
  case Op::num_groups:
    return i < 3 ? s.groups[i] : 1;
  case Op::global_offset:
    return i < 3 ? s.offset[i] : 0;
  case Op::work_dim:
    return s.work_dim;
  default:
    return n.value;
  }
}

template <typename T>
std::optional<T> run(std::span<const Expression::Node> nodes, const Symbols& symbols) {
  std::array<T, Expression::kMaxDepth> stack;
  size_t top = 0;
  for (const Expression::Node& n : nodes) {
    const int count = operands(n.op);
    if (count == 0) {
      if (n.op == Op::real) {
        if constexpr (std::is_integral_v<T>) return std::nullopt;
        stack[top++] = static_cast<T>(std::bit_cast<double>(n.value));
        continue;
      }
      const std::optional<int64_t> value = symbol_value(n, symbols);
      if (!value) return std::nullopt;
      stack[top++] = static_cast<T>(*value);
    } else if (count == 2) {
      T r{};
      if (!apply(n.op, stack[top - 2], stack[top - 1], r)) return std::nullopt;
      stack[--top - 1] = r;
    } else {
      stack[top - 3] = stack[top - 3] != 0 ? stack[top - 2] : stack[top - 1];
      top -= 2;
    }
  }
  return stack[0];
}

}  // namespace

Expression Expression::real_constant(double value) {
  return symbol(Op::real, std::bit_cast<int64_t>(value));
}

std::optional<int64_t> Expression::constant() const {
  if (nodes_.size() == 1 && nodes_[0].op == Op::constant) return nodes_[0].value;
  return std::nullopt;
}

bool Expression::well_formed() const {
  if (nodes_.empty() || nodes_.size() > kMaxNodes) return false;
  size_t depth = 0;
  for (const Node& n : nodes_) {
    const auto count = static_cast<size_t>(operands(n.op));
    if (depth < count) return false;
    depth = depth - count + 1;
    if (depth > kMaxDepth) return false;
  }
  return depth == 1;
}

Expression Expression::combine(Op op, const Expression& a, const Expression& b) {
  const std::optional<int64_t> x = a.constant(), y = b.constant();
  int64_t folded = 0;
  if (x && y && apply(op, *x, *y, folded)) return folded;
  if (op == Op::add && x == 0) return b;
  if ((op == Op::add || op == Op::subtract) && y == 0) return a;
  if (op == Op::multiply && (x == 0 || y == 0)) return int64_t{0};
  if (op == Op::multiply && x == 1) return b;
  if ((op == Op::multiply || op == Op::divide || op == Op::floor_divide) && y == 1) return a;
  std::vector<Node> nodes = a.nodes_;
  nodes.insert(nodes.end(), b.nodes_.begin(), b.nodes_.end());
  nodes.push_back({op, 0});
  Expression result(std::move(nodes));
  // Too long or too deep to evaluate: a division by zero stands for "no value".
  if (!result.well_formed()) result.nodes_ = {{Op::constant, 1}, {Op::constant, 0}, {Op::divide, 0}};
  return result;
}

Expression Expression::choose(const Expression& condition, const Expression& then,
                              const Expression& otherwise) {
  if (auto c = condition.constant()) return *c ? then : otherwise;
  std::vector<Node> nodes = condition.nodes_;
  nodes.insert(nodes.end(), then.nodes_.begin(), then.nodes_.end());
  nodes.insert(nodes.end(), otherwise.nodes_.begin(), otherwise.nodes_.end());
  nodes.push_back({Op::select, 0});
  Expression result(std::move(nodes));
  if (!result.well_formed()) result.nodes_ = {{Op::constant, 1}, {Op::constant, 0}, {Op::divide, 0}};
  return result;
}

Expression Expression::trips(const Expression& distance, const Expression& step) {
  return combine(Op::floor_divide, combine(Op::maximum, distance, int64_t{0}) + step - int64_t{1}, step);
}

std::optional<int64_t> Expression::evaluate(const Symbols& symbols) const {
  if (nodes_.size() == 1) {
    if (nodes_[0].op == Op::real) return std::nullopt;
    return symbol_value(nodes_[0], symbols);
  }
  return run<int64_t>(nodes_, symbols);
}

std::optional<double> Expression::evaluate_real(const Symbols& symbols) const {
  std::optional<double> value = run<double>(nodes_, symbols);
  if (value && !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::string Expression::text() const {
  std::string out;
  for (const Node& n : nodes_) {
    if (!out.empty()) out += ' ';
    if (n.op == Op::constant) {
      out += std::to_string(n.value);
    } else if (n.op == Op::real) {
      char buffer[40];
      // to_chars rather than printf: the program's locale must not change the decimal point.
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::bit_cast<double>(n.value)).ptr;
      out += 'r';
      out.append(buffer, end);
    } else {
      for (const Name& name : kNames)
        if (name.op == n.op) out += name.text;
      if (indexed(n.op)) out += std::to_string(n.value);
    }
  }
  return out;
}

Result<Expression> Expression::parse(std::string_view text) {
  std::vector<Node> nodes;
  const auto number = [](std::string_view digits, int64_t& value) {
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view token = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    Node node;
    bool known = number(token, node.value);
    if (!known && token.starts_with('r')) {
      double value = 0;
      auto [end, error] = std::from_chars(token.data() + 1, token.data() + token.size(), value);
      known = error == std::errc() && end == token.data() + token.size() && std::isfinite(value);
      if (known) node = {Op::real, std::bit_cast<int64_t>(value)};
    }
    for (const Name& name : kNames) {
      if (known || !token.starts_with(name.text)) continue;
      const std::string_view rest = token.substr(name.text.size());
      if (indexed(name.op) ? !rest.empty() && number(rest, node.value) && node.value >= 0 : rest.empty()) {
        node.op = name.op;
        known = true;
      }
    }
    if (!known) return Status::internal("not an expression: unknown word '" + std::string(token) + "'");
    nodes.push_back(node);
    if (nodes.size() > kMaxNodes) break;
  }
  Expression result(std::move(nodes));
  if (!result.well_formed())
    return Status::internal("not an expression: operands and operators do not match");
  return result;
}

void to_json(nlohmann::json& j, const Expression& e) {
  j = e.text();
}

void from_json(const nlohmann::json& j, Expression& e) {
  Result<Expression> parsed = Expression::parse(j.get<std::string>());
  if (!parsed) throw nlohmann::json::other_error::create(501, parsed.status().message(), &j);
  e = std::move(*parsed);
}

}  // namespace mkmd
