// SPDX-License-Identifier: Apache-2.0
#include "tools/assumed_launch.hpp"

#include <algorithm>

namespace mkmd::tool {

using namespace compiler;

namespace {

constexpr int64_t kAssumedNumber = 1024;  // of an integer argument that is not given
constexpr uint64_t kAssumedGlobal = 1024, kAssumedLocal[] = {64, 16, 8};  // by the number of dimensions

unsigned dimensions_used(const KernelInfo& k) {
  int most = 0;
  const auto look = [&](const Affine& a) {
    for (const Term& t : a.terms)
      if (t.variable.kind < Variable::Kind::loop) most = std::max(most, t.variable.index);
  };
  for (const Access& a : k.accesses)
    look(a.offset);
  for (const Derived& d : k.derived)
    look(d.a), look(d.b);
  for (const Guard& g : k.guards)
    look(g.a), look(g.b);
  return static_cast<unsigned>(most) + 1;
}

}  // namespace

Case complete(const KernelInfo& k, const KernelsOptions& o) {
  Case c;
  Launch& l = c.launch;
  const auto given =
      static_cast<unsigned>(std::ranges::count_if(o.global, [](uint64_t s) { return s != 0; }));
  l.work_dim = given != 0 ? given : dimensions_used(k);
  std::string global, local;
  for (size_t d = 0; d < l.work_dim; ++d) {
    l.local[d] = o.local[d] != 0                  ? o.local[d]
                 : k.reqd_work_group_size[d] != 0 ? k.reqd_work_group_size[d]
                                                  : (o.local[0] != 0 ? 1 : kAssumedLocal[l.work_dim - 1]);
    l.global[d] =
        o.global[d] != 0 ? o.global[d] : std::max<uint64_t>(kAssumedGlobal / l.local[d], 1) * l.local[d];
    global += (d ? "," : "") + std::to_string(l.global[d]);
    local += (d ? "," : "") + std::to_string(l.local[d]);
  }
  c.text = "a launch of " + global + " work-items in groups of " + local;
  l.scalars.resize(k.arguments.size() + k.extra_scalars.size(), kAssumedNumber);
  for (size_t i = 0; i < k.arguments.size(); ++i) {
    const Argument& a = k.arguments[i];
    if (!a.is_integer) continue;
    const auto number = o.numbers.find(a.name);
    if (number != o.numbers.end()) l.scalars[i] = number->second;
    c.text += ", " + a.name + " = " + std::to_string(l.scalars[i]);
  }
  return c;
}

}  // namespace mkmd::tool
