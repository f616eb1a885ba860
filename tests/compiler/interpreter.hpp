// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's description literally, work-item by work-item and iteration by iteration.
#pragma once

#include "compiler/footprint.hpp"

#include <algorithm>
#include <set>

namespace mkmd::compiler::test {

class Interpreter {
public:
  Interpreter(const KernelInfo& k, const Launch& l) : k_(k), launch_(l) {
    for (size_t d = 0; d < 3; ++d) {
      local_[d] = static_cast<int64_t>(l.local[d]);
      global_[d] = static_cast<int64_t>(l.global[d]);
      groups_[d] = global_[d] / local_[d];
      offset_[d] = static_cast<int64_t>(l.offset[d]);
    }
    symbols_ = {launch_.scalars, l.work_dim, local_, groups_, global_, offset_};
  }

  // Starts of all elements of `access` in the box; `valid` becomes false where a check fails.
  std::set<int64_t> touched(const Access& access, const GroupBox& box, bool& valid) {
    std::set<int64_t> starts;
    loops_.assign(k_.loops.size(), 0);
    for (group_[2] = static_cast<int64_t>(box.lo[2]); group_[2] < static_cast<int64_t>(box.hi[2]);
         ++group_[2])
      for (group_[1] = static_cast<int64_t>(box.lo[1]); group_[1] < static_cast<int64_t>(box.hi[1]);
           ++group_[1])
        for (group_[0] = static_cast<int64_t>(box.lo[0]); group_[0] < static_cast<int64_t>(box.hi[0]);
             ++group_[0])
          for (id_[2] = 0; id_[2] < local_[2]; ++id_[2])
            for (id_[1] = 0; id_[1] < local_[1]; ++id_[1])
              for (id_[0] = 0; id_[0] < local_[0]; ++id_[0])
                scope(access, 0, starts, valid);
    return starts;
  }

private:
  int64_t value(const Affine& a) const {
    int64_t sum = *k_.expressions[static_cast<size_t>(a.base)].evaluate(symbols_);
    for (const Term& t : a.terms)
      sum += *k_.expressions[static_cast<size_t>(t.coefficient)].evaluate(symbols_) * value(t.variable);
    return sum;
  }
  int64_t value(const Variable& v) const {
    const auto i = static_cast<size_t>(v.index);
    switch (v.kind) {
    case Variable::Kind::global_id:
      return offset_[i] + group_[i] * local_[i] + id_[i];
    case Variable::Kind::group_id:
      return group_[i];
    case Variable::Kind::local_id:
      return id_[i];
    case Variable::Kind::loop:
      return loops_[i];
    case Variable::Kind::derived:
      break;
    }
    const Derived& d = k_.derived[i];
    const int64_t a = value(d.a), b = value(d.b);
    using Op = Derived::Op;
    const auto floor_divide = [](int64_t x, int64_t y) {
      return x / y - (x % y != 0 && (x % y < 0) != (y < 0));
    };
    switch (d.op) {
    case Op::divide:
      return a / b;
    case Op::remainder:
      return a % b;
    case Op::floor_divide:
      return floor_divide(a, b);
    case Op::modulo:
      return a - b * floor_divide(a, b);
    case Op::minimum:
      return std::min(a, b);
    case Op::maximum:
      return std::max(a, b);
    case Op::multiply:
      return a * b;
    case Op::absolute:
      return std::abs(a);
    case Op::hull:
      return (a + b) % 2 ? a : b;  // either
    case Op::as_signed:
      return static_cast<int64_t>(static_cast<uint64_t>(a) << (64 - b)) >> (64 - b);
    case Op::as_unsigned:
      return a & ((int64_t{1} << b) - 1);
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    }
    return 0;
  }
  bool passes(const std::vector<int>& checks) const {
    for (int c : checks) {
      const Check& check = k_.checks[static_cast<size_t>(c)];
      const int64_t v = value(check.value);
      if (v < check.lo || v > check.hi) return false;
    }
    return true;
  }
  void scope(const Access& access, size_t at, std::set<int64_t>& starts, bool& valid) {
    if (at == access.scopes.size()) {
      valid = valid && passes(access.checks);
      starts.insert(value(access.offset));
      return;
    }
    const Scope& s = access.scopes[at];
    if (s.kind == Scope::Kind::guard) {
      const Guard& g = k_.guards[static_cast<size_t>(s.index)];
      if (!passes(g.checks)) valid = false;
      const int64_t a = value(g.a), b = value(g.b);
      bool yes = false;
      const uint64_t mask = g.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << g.bits) - 1;
      switch (g.relation) {
      case Guard::Relation::signed_order:
        yes = a + g.slack <= b;
        break;
      case Guard::Relation::unsigned_order: {
        const uint64_t x = static_cast<uint64_t>(a) & mask, y = static_cast<uint64_t>(b) & mask;
        yes = g.slack ? x < y : x <= y;
        break;
      }
      case Guard::Relation::equal:
        yes = a == b;
        break;
      case Guard::Relation::not_equal:
        yes = a != b;
        break;
      }
      if (yes) scope(access, at + 1, starts, valid);
      return;
    }
    const Loop& l = k_.loops[static_cast<size_t>(s.index)];
    const int64_t step = *k_.expressions[static_cast<size_t>(l.step)].evaluate(symbols_);
    const int64_t trips =
        std::max<int64_t>(0, (value(l.distance) + step - 1) / step) * (value(l.distance) > 0) + l.extra;
    for (int64_t& k = loops_[static_cast<size_t>(s.index)] = 0; k < trips; ++k)
      scope(access, at + 1, starts, valid);
  }

  const KernelInfo& k_;
  Launch launch_;
  std::array<int64_t, 3> local_, groups_, global_, offset_, group_{}, id_{};
  Symbols symbols_;
  std::vector<int64_t> loops_;
};

}  // namespace mkmd::compiler::test
