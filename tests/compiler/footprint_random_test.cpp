// SPDX-License-Identifier: Apache-2.0
// Footprints against brute force: random kernel descriptions are executed literally, work-item by work-item
// and iteration by iteration, and compared with the byte sets.
#include "compiler/footprint.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace mkmd::compiler::test {
namespace {

// Runs a description literally.
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

class RandomKernel {
public:
  explicit RandomKernel(unsigned seed) : random_(seed) {
    k.name = "random";
    k.arguments.resize(1);
    k.expressions.push_back(int64_t{0});
    k.cost = {0, 0, 0, false};
    launch.work_dim = 1 + below(3);
    for (size_t d = 0; d < launch.work_dim; ++d) {
      launch.local[d] = 1 + below(5);
      launch.global[d] = launch.local[d] * (1 + below(5));
      launch.offset[d] = below(3) ? 0 : below(7);
    }
    for (int i = 0; i < 2; ++i)
      launch.scalars.push_back(static_cast<int64_t>(below(20)));
    width_ = std::array<int64_t, 3>{static_cast<int64_t>(launch.global[0]),
                                    static_cast<int64_t>(launch.global[1]), 1};
  }

  void build() {
    Access a;
    a.known = a.sure = true;
    a.kind = Access::Kind::write;
    a.bytes = static_cast<uint32_t>(1U << below(4));
    if (below(4) == 0) {
      Derived d;
      d.op = static_cast<Derived::Op>(below(14));
      d.a = affine(2, 2);
      d.b = {expression(static_cast<int64_t>(1 + below(6))), {}};
      k.derived.push_back(d);
    }
    const int scopes = static_cast<int>(below(4));
    for (int i = 0; i < scopes; ++i) {
      if (below(2)) {
        Loop l;
        l.known = true;
        l.extra = below(4) == 0;
        l.distance = below(3) ? uniform(static_cast<int64_t>(below(9)) - 1) : affine(3, 1);
        l.step = expression(static_cast<int64_t>(1 + below(3)));
        k.loops.push_back(l);
        a.scopes.push_back({Scope::Kind::loop, static_cast<int>(k.loops.size()) - 1});
      } else {
        Guard g;
        g.relation = static_cast<Guard::Relation>(below(4));
        g.bits = below(2) ? 32 : 64;
        g.slack = static_cast<int>(below(2));
        g.a = affine(below(3) ? 1 : 3, 2);
        g.b = uniform(static_cast<int64_t>(below(30)) - 4);
        if (!k.derived.empty() && below(2))
          g.a.terms.push_back(
              {{Variable::Kind::derived, 0}, expression(below(2) ? int64_t{1} : int64_t{-1})});
        if (below(2)) std::swap(g.a, g.b);
        k.guards.push_back(g);
        a.scopes.push_back({Scope::Kind::guard, static_cast<int>(k.guards.size()) - 1});
      }
    }
    a.offset = address(static_cast<int64_t>(a.bytes));
    if (below(3) == 0) {
      k.checks.push_back(
          {a.offset, static_cast<int64_t>(below(3) ? 0 : 20), static_cast<int64_t>(50 + below(5000))});
      a.checks.push_back(0);
    }
    k.accesses.push_back(a);
  }

  KernelInfo k;
  Launch launch;

private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  int expression(Expression e) {
    k.expressions.push_back(std::move(e));
    return static_cast<int>(k.expressions.size()) - 1;
  }
  Affine uniform(int64_t value) {
    if (below(4) == 0) return {expression(Expression::scalar(below(2))), {}};
    return {expression(value), {}};
  }
  Variable variable() {
    const int d = static_cast<int>(below(launch.work_dim));
    switch (below(5)) {
    case 0:
      return {Variable::Kind::group_id, d};
    case 1:
      return {Variable::Kind::local_id, d};
    case 2:
      if (!k.loops.empty())
        return {Variable::Kind::loop, static_cast<int>(below(static_cast<unsigned>(k.loops.size())))};
      [[fallthrough]];
    default:
      return {Variable::Kind::global_id, d};
    }
  }
  Affine affine(unsigned most_terms, int64_t most) {
    Affine a{expression(static_cast<int64_t>(below(8)) - 2), {}};
    for (unsigned i = 0; i <= below(most_terms); ++i) {
      const Variable v = variable();
      if (std::ranges::any_of(a.terms, [&](const Term& t) { return t.variable == v; })) continue;
      const int64_t c = 1 + static_cast<int64_t>(below(static_cast<unsigned>(most)));
      a.terms.push_back({v, expression(below(5) ? c : -c)});
    }
    return a;
  }
  // Often of the forms programs have: rows, tiles, transposed tiles.
  Affine address(int64_t bytes) {
    Affine a{expression(static_cast<int64_t>(below(3) ? 0 : below(40)) * bytes), {}};
    const auto put = [&](Variable v, int64_t c) {
      if (std::ranges::none_of(a.terms, [&](const Term& t) { return t.variable == v; }))
        a.terms.push_back({v, expression(c * bytes)});
    };
    const int last = static_cast<int>(launch.work_dim) - 1;
    switch (below(4)) {
    case 0:
      put({Variable::Kind::global_id, 0}, 1);
      if (last > 0) put({Variable::Kind::global_id, 1}, width_[0] + static_cast<int64_t>(below(3)));
      if (last > 1) put({Variable::Kind::global_id, 2}, width_[0] * width_[1]);
      break;
    case 1:
      put({Variable::Kind::group_id, last}, static_cast<int64_t>(launch.local[0]));
      put({Variable::Kind::local_id, 0}, 1);
      put({Variable::Kind::global_id, 0}, 40);
      break;
    case 2:
      put({Variable::Kind::global_id, last}, 8);
      if (!k.loops.empty()) put({Variable::Kind::loop, 0}, 1);
      break;
    default: {
      const Affine any = affine(4, 12);
      for (const Term& t : any.terms) {
        const int64_t c = *k.expressions[static_cast<size_t>(t.coefficient)].constant();
        put(t.variable, c);
      }
    }
    }
    if (!k.derived.empty() && below(2)) put({Variable::Kind::derived, 0}, 1 + static_cast<int64_t>(below(4)));
    // Only counters of loops that surround the access mean anything: here all of them do.
    return a;
  }

  std::mt19937 random_;
  std::array<int64_t, 3> width_;
};

TEST(Footprint, AgreesWithBruteForce) {
  int known = 0, exact = 0, empty = 0, rounds = 30000;
  for (int seed = 0; seed < rounds; ++seed) {
    RandomKernel kernel(static_cast<unsigned>(seed));
    kernel.build();
    const KernelInfo& k = kernel.k;
    Interpreter interpreter(k, kernel.launch);
    GroupBox box;
    std::mt19937 random(static_cast<unsigned>(seed) + 77);
    for (size_t d = 0; d < 3; ++d) {
      const uint64_t groups = kernel.launch.global[d] / kernel.launch.local[d];
      box.lo[d] = random() % groups;
      box.hi[d] = box.lo[d] + 1 + random() % (groups - box.lo[d]);
    }
    bool valid = true;
    const std::set<int64_t> starts = interpreter.touched(k.accesses[0], box, valid);
    const std::vector<Footprint> found = LaunchFootprints(k, kernel.launch).of(box);
    ASSERT_EQ(found.size(), 1U);
    const Footprint& f = found[0];
    if (f.writes_unknown) continue;
    ++known;
    // A negative offset is outside the buffer: no program the sets must describe does that.
    if (!starts.empty() && *starts.begin() < 0) {
      continue;
    }
    ByteRanges truth;
    for (int64_t s : starts)
      truth.add(static_cast<uint64_t>(s), static_cast<uint64_t>(s) + k.accesses[0].bytes);
    ByteRanges missing = truth;
    missing.subtract(f.may_writes);
    ASSERT_TRUE(missing.empty()) << "seed " << seed << ": byte " << missing.hull().lo
                                 << " is written but not in may_writes\n"
                                 << nlohmann::json(k).dump(1);
    constexpr size_t kFew = 4;
    const Footprint coarse = LaunchFootprints(k, kernel.launch).of(box, kFew)[0];
    missing = truth;
    if (!coarse.writes_unknown) missing.subtract(coarse.may_writes);
    ASSERT_TRUE(coarse.writes_unknown || missing.empty()) << "seed " << seed << ": of few blocks";
    missing = coarse.sure_writes;
    missing.subtract(truth);
    ASSERT_TRUE(missing.empty()) << "seed " << seed << ": of few blocks, not written for sure";
    ASSERT_LE(std::max(coarse.may_writes.size(), coarse.sure_writes.size()), kFew) << "seed " << seed;
    if (!valid) ADD_FAILURE() << "seed " << seed << ": a check fails, yet the access counts as known";
    ByteRanges extra = f.sure_writes;
    extra.subtract(truth);
    ASSERT_TRUE(extra.empty()) << "seed " << seed << ": byte " << extra.hull().lo
                               << " is in sure_writes but not written\n"
                               << nlohmann::json(k).dump(1);
    ASSERT_TRUE(f.sure_writes.empty() || f.sure_writes == f.may_writes) << "seed " << seed;
    if (truth.empty())
      ++empty;
    else
      exact += f.sure_writes == truth;
  }
  RecordProperty("known", known);
  RecordProperty("exact", exact);
  std::printf("%d of %d known, %d exact, %d empty\n", known, rounds, exact, empty);
  EXPECT_GT(exact, rounds / 4) << "or the test tests nothing";
}

}  // namespace
}  // namespace mkmd::compiler::test
