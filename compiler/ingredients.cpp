// SPDX-License-Identifier: Apache-2.0
#include "compiler/ingredients.hpp"

namespace mkmd::compiler {

void Ingredients::add(const Affine& a) {
  expressions.insert(a.base);
  for (const Term& t : a.terms) {
    expressions.insert(t.coefficient);
    if (t.variable.kind == Variable::Kind::loop) loops.insert(t.variable.index);
    if (t.variable.kind == Variable::Kind::derived && derived.insert(t.variable.index).second)
      add(info_.derived[static_cast<size_t>(t.variable.index)]);
  }
}

void Ingredients::add(const Derived& d) {
  add(d.a);
  add(d.b);
  if (d.computed >= 0) add(info_.computed[static_cast<size_t>(d.computed)]);
  if (d.load < 0) return;
  const Load& load = info_.loads[static_cast<size_t>(d.load)];
  arguments.insert(load.argument);
  add(load.offset);
  add(load.checks);
}

void Ingredients::add(const std::vector<int>& checks) {
  for (int c : checks)
    add(info_.checks[static_cast<size_t>(c)].value);
}

void Ingredients::add(const Scope& s) {
  if (s.kind != Scope::Kind::guard) return add(info_.loops[static_cast<size_t>(s.index)]);
  const Guard& g = info_.guards[static_cast<size_t>(s.index)];
  add(g.a);
  add(g.b);
  add(g.checks);
}

void Ingredients::add(const Loop& loop) {
  expressions.insert(loop.step);
  add(loop.distance);
  add(loop.checks);
}

void Ingredients::add(const Access& access, size_t scope) {
  add(access.offset);
  add(access.checks);
  for (; scope < access.scopes.size(); ++scope)
    add(access.scopes[scope]);
}

}  // namespace mkmd::compiler
