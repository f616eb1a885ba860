// SPDX-License-Identifier: Apache-2.0
// Footprints against brute force: random kernel descriptions are executed literally, work-item by work-item
// and iteration by iteration, and compared with the byte sets.
#include "compiler/footprint.hpp"
#include "tests/compiler/interpreter.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace mkmd::compiler::test {
namespace {

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
      divide();
    } else if (below(4) == 0) {
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
  // The rest of a number, and its quotient.
  void divide() {
    using Op = Derived::Op;
    const bool mask = below(3) == 0, floored = mask || below(2);
    const auto by = static_cast<int64_t>(mask ? 1U << below(4) : 1 + below(9));
    Derived rest;
    rest.op = mask ? Op::bit_and : floored ? Op::modulo : Op::remainder;
    rest.a = below(2)
                 ? Affine{expression(int64_t{0}), {{{Variable::Kind::global_id, 0}, expression(int64_t{1})}}}
                 : affine(2, 2);
    rest.b = {expression(mask ? by - 1 : by), {}};
    Derived quotient = rest;
    quotient.op = floored ? Op::floor_divide : Op::divide;
    quotient.b = {expression(by), {}};
    if (mask && below(2)) std::swap(rest.a, rest.b);
    k.derived.push_back(rest);
    k.derived.push_back(quotient);
    by_ = by;
  }
  // As passes of Fourier transforms and of bitonic sorts have it: blocks that are moved apart.
  Affine blocks(int64_t bytes) {
    Affine a{expression(static_cast<int64_t>(below(3)) * bytes * by_), {}};
    const int64_t factor = static_cast<int64_t>(below(3));
    for (const Term& t : k.derived[1].a.terms)
      a.terms.push_back(
          {t.variable,
           expression(factor * bytes * *k.expressions[static_cast<size_t>(t.coefficient)].constant())});
    const int64_t of_rest = below(2) ? 1 - factor : static_cast<int64_t>(below(5)) - 2;
    a.terms.push_back({{Variable::Kind::derived, 0}, expression(of_rest * bytes)});
    if (below(2))
      a.terms.push_back(
          {{Variable::Kind::derived, 1}, expression(static_cast<int64_t>(below(3)) * bytes * by_)});
    const Variable other = variable();
    if (below(2) && std::ranges::none_of(a.terms, [&](const Term& t) { return t.variable == other; }))
      a.terms.push_back({other, expression(bytes * by_ * 2)});
    return a;
  }
  // Often of the forms programs have: rows, tiles, transposed tiles.
  Affine address(int64_t bytes) {
    if (k.derived.size() == 2 && below(8)) return blocks(bytes);
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
  int64_t by_ = 1;  // what divide() divides by
};

ByteRanges bytes_of(const std::set<int64_t>& starts, uint64_t each) {
  ByteRanges bytes;
  for (const int64_t s : starts)
    bytes.add(static_cast<uint64_t>(s), static_cast<uint64_t>(s) + each);
  return bytes;
}

TEST(Footprint, AgreesWithBruteForce) {
  int known = 0, exact = 0, of_blocks = 0, empty = 0, rounds = 30000;
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
    const ByteRanges truth = bytes_of(starts, k.accesses[0].bytes);
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
    of_blocks += k.derived.size() == 2 && !truth.empty() && f.sure_writes == truth;
  }
  RecordProperty("known", known);
  RecordProperty("exact", exact);
  std::printf("%d of %d known, %d exact, %d of them with quotients and rests, %d empty\n", known, rounds,
              exact, of_blocks, empty);
  EXPECT_GT(exact, rounds / 4) << "or the test tests nothing";
  EXPECT_GT(of_blocks, rounds / 100) << "or the test tests nothing";
}

}  // namespace
}  // namespace mkmd::compiler::test
