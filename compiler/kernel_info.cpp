// SPDX-License-Identifier: Apache-2.0
// The JSON form of KernelInfo. Reading it checks every index. So a file written by another version, or by
// anybody else, is refused here. It cannot make the evaluation read out of bounds.
#include "compiler/kernel_info.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/ingredients.hpp"

namespace mkmd::compiler {

using nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(Argument::Kind, {{Argument::Kind::other, "other"},
                                              {Argument::Kind::buffer, "buffer"},
                                              {Argument::Kind::constant_buffer, "constant-buffer"},
                                              {Argument::Kind::image, "image"},
                                              {Argument::Kind::sampler, "sampler"},
                                              {Argument::Kind::local, "local"},
                                              {Argument::Kind::value, "value"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Variable::Kind, {{Variable::Kind::global_id, "global"},
                                              {Variable::Kind::group_id, "group"},
                                              {Variable::Kind::local_id, "local"},
                                              {Variable::Kind::loop, "loop"},
                                              {Variable::Kind::derived, "derived"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Derived::Op, {{Derived::Op::hull, "hull"},
                                           {Derived::Op::divide, "divide"},
                                           {Derived::Op::remainder, "remainder"},
                                           {Derived::Op::modulo, "modulo"},
                                           {Derived::Op::floor_divide, "floor-divide"},
                                           {Derived::Op::minimum, "minimum"},
                                           {Derived::Op::maximum, "maximum"},
                                           {Derived::Op::multiply, "multiply"},
                                           {Derived::Op::absolute, "absolute"},
                                           {Derived::Op::as_signed, "as-signed"},
                                           {Derived::Op::as_unsigned, "as-unsigned"},
                                           {Derived::Op::bit_and, "and"},
                                           {Derived::Op::bit_or, "or"},
                                           {Derived::Op::bit_xor, "xor"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Guard::Relation, {{Guard::Relation::signed_order, "signed"},
                                               {Guard::Relation::unsigned_order, "unsigned"},
                                               {Guard::Relation::equal, "equal"},
                                               {Guard::Relation::not_equal, "not-equal"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Scope::Kind, {{Scope::Kind::guard, "guard"},
                                           {Scope::Kind::loop, "loop"},
                                           {Scope::Kind::loop_header, "loop-header"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Access::Kind, {{Access::Kind::read, "read"},
                                            {Access::Kind::write, "write"},
                                            {Access::Kind::atomic, "atomic"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Update::Kind, {{Update::Kind::none, "none"},
                                            {Update::Kind::add, "add"},
                                            {Update::Kind::bit_and, "and"},
                                            {Update::Kind::bit_or, "or"},
                                            {Update::Kind::bit_xor, "xor"},
                                            {Update::Kind::smin, "signed-minimum"},
                                            {Update::Kind::smax, "signed-maximum"},
                                            {Update::Kind::umin, "unsigned-minimum"},
                                            {Update::Kind::umax, "unsigned-maximum"},
                                            {Update::Kind::store, "store"},
                                            {Update::Kind::store_uniform, "store-uniform"}})

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Argument, kind, name, type, access, bytes, is_signed, is_integer, is_const,
                                   is_restrict, is_volatile)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScalarSlot, argument, offset, bytes, is_signed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Variable, kind, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Term, variable, coefficient)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Affine, base, terms)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Check, value, lo, hi)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Derived, op, a, b, load, computed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Load, argument, bytes, offset, checks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Loop, known, exact, extra, distance, step, checks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Guard, relation, slack, bits, a, b, checks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Scope, kind, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Access, argument, kind, known, sure, bytes, offset, update, checks,
                                   sure_checks, scopes, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cost, trips, operations, bytes, irregular)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reason, text, line)

void to_json(json& j, const Update& u) {
  j = json{{"kind", u.kind}, {"bytes", u.bytes}, {"value", u.value}};
}
void from_json(const json& j, Update& u) {
  j.at("kind").get_to(u.kind);
  j.at("bytes").get_to(u.bytes);
  u.value = j.value("value", uint64_t{0});
}

void to_json(json& j, const KernelInfo& k) {
  j = json{{"name", k.name},
           {"arguments", k.arguments},
           {"extra_scalars", k.extra_scalars},
           {"reqd_work_group_size", k.reqd_work_group_size},
           {"uses_local_shape", k.uses_local_shape},
           {"folded", k.folded},
           {"local_bytes", k.local_bytes},
           {"uses_fp64", k.uses_fp64},
           {"any_buffer", k.any_buffer},
           {"may_wait", k.may_wait},
           {"runs_anywhere", k.runs_anywhere},
           {"split_allowed", k.split_allowed},
           {"reasons", k.reasons},
           {"cost", k.cost},
           {"accesses", k.accesses},
           {"expressions", k.expressions},
           {"checks", k.checks},
           {"derived", k.derived},
           {"computed", k.computed},
           {"loads", k.loads},
           {"loops", k.loops},
           {"guards", k.guards}};
}

void keep_whole(KernelInfo& kernel, const Reason& why) {
  kernel.runs_anywhere = false;
  if (std::exchange(kernel.split_allowed, false)) kernel.reasons.push_back(why);
}

void keep_bits(KernelInfo& kernel) {
  if (!kernel.folded.text.empty()) keep_whole(kernel, kernel.folded);
}

bool needs_itself(const Formulas& formulas, int derived) {
  Ingredients parts(formulas);
  parts.add(formulas.derived[static_cast<size_t>(derived)]);
  return parts.derived.contains(derived);
}

namespace {

// Every index must name something, and a derived value may use earlier ones only (no cycles).
class Validator {
public:
  explicit Validator(const KernelInfo& k) : k_(k) {}

  bool valid() const {
    const int derived = static_cast<int>(k_.derived.size());
    for (int d = 0; d < derived; ++d)
      if (!fits(k_.derived[static_cast<size_t>(d)], d)) return false;
    for (const Check& c : k_.checks)
      if (!affine(c.value, derived)) return false;
    if (!std::ranges::all_of(k_.loads, [this](const Load& load) { return fits(load); })) return false;
    for (int d = 0; d < derived; ++d)
      if (k_.derived[static_cast<size_t>(d)].load >= 0 && needs_itself(k_, d)) return false;
    for (const Loop& l : k_.loops)
      if (!affine(l.distance, derived) || !expression(l.step) || !checks(l.checks)) return false;
    for (const Guard& g : k_.guards)
      if (!affine(g.a, derived) || !affine(g.b, derived) || !checks(g.checks) || g.bits < 1 || g.bits > 64)
        return false;
    for (const Access& a : k_.accesses) {
      if (!index(a.argument, k_.arguments.size()) || !affine(a.offset, derived) || !checks(a.checks) ||
          !checks(a.sure_checks))
        return false;
      if (!fits(a.update, a)) return false;
      for (const Scope& s : a.scopes)
        if (!index(s.index, s.kind == Scope::Kind::guard ? k_.guards.size() : k_.loops.size())) return false;
    }
    for (const ScalarSlot& s : k_.extra_scalars)
      if (!index(s.argument, k_.arguments.size()) || s.bytes == 0 || s.bytes > 8) return false;
    return expression(k_.cost.trips) && expression(k_.cost.operations) && expression(k_.cost.bytes);
  }

private:
  static bool index(int i, size_t size) { return i >= 0 && static_cast<size_t>(i) < size; }
  bool fits(const Update& u, const Access& a) const {
    if (u.kind == Update::Kind::none) return true;
    if (u.kind != Update::Kind::store && u.kind != Update::Kind::store_uniform)
      return a.kind == Access::Kind::atomic;
    if (a.kind != Access::Kind::write || u.bytes == 0 || u.bytes > 8 || !std::has_single_bit(u.bytes))
      return false;
    return u.kind == Update::Kind::store || u.value < k_.expressions.size();
  }
  bool fits(const Derived& derived, int number) const {
    if (!affine(derived.a, number) || !affine(derived.b, number)) return false;
    if (derived.load != -1 && !index(derived.load, k_.loads.size())) return false;
    if (derived.computed == -1) return true;
    if (!index(derived.computed, k_.computed.size())) return false;
    const Derived& computed = k_.computed[static_cast<size_t>(derived.computed)];
    return computed.load == -1 && computed.computed == -1 && fits(computed, number);
  }
  bool fits(const Load& load) const {
    return index(load.argument, k_.arguments.size()) && load.bytes <= 8 && std::has_single_bit(load.bytes) &&
           affine(load.offset, static_cast<int>(k_.derived.size())) && checks(load.checks);
  }
  bool expression(int i) const { return index(i, k_.expressions.size()); }
  bool checks(const std::vector<int>& list) const {
    for (int c : list)
      if (!index(c, k_.checks.size())) return false;
    return true;
  }
  bool affine(const Affine& a, int derived) const {
    if (!expression(a.base)) return false;
    for (const Term& t : a.terms) {
      if (!expression(t.coefficient)) return false;
      const size_t bound = t.variable.kind == Variable::Kind::loop      ? k_.loops.size()
                           : t.variable.kind == Variable::Kind::derived ? static_cast<size_t>(derived)
                                                                        : 3;
      if (!index(t.variable.index, bound)) return false;
    }
    return true;
  }

  const KernelInfo& k_;
};

}  // namespace

Result<KernelInfo> kernel_info_from_json(const json& j) {
  KernelInfo k;
  try {
    j.at("name").get_to(k.name);
    j.at("arguments").get_to(k.arguments);
    j.at("extra_scalars").get_to(k.extra_scalars);
    j.at("reqd_work_group_size").get_to(k.reqd_work_group_size);
    j.at("uses_local_shape").get_to(k.uses_local_shape);
    j.at("folded").get_to(k.folded);
    j.at("local_bytes").get_to(k.local_bytes);
    j.at("uses_fp64").get_to(k.uses_fp64);
    j.at("any_buffer").get_to(k.any_buffer);
    j.at("may_wait").get_to(k.may_wait);
    j.at("runs_anywhere").get_to(k.runs_anywhere);
    j.at("split_allowed").get_to(k.split_allowed);
    j.at("reasons").get_to(k.reasons);
    j.at("cost").get_to(k.cost);
    j.at("accesses").get_to(k.accesses);
    j.at("expressions").get_to(k.expressions);
    j.at("checks").get_to(k.checks);
    j.at("derived").get_to(k.derived);
    j.at("computed").get_to(k.computed);
    j.at("loads").get_to(k.loads);
    j.at("loops").get_to(k.loops);
    j.at("guards").get_to(k.guards);
  } catch (const json::exception& e) {
    return Status::internal(std::string("not a kernel description: ") + e.what());
  }
  if (!Validator(k).valid()) return Status::internal("not a kernel description: an index is out of range");
  return k;
}

}  // namespace mkmd::compiler
