// SPDX-License-Identifier: Apache-2.0
// Ingredients: what numbers of a KernelInfo are made of, at any depth.
#pragma once

#include <set>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

class Ingredients {
public:
  explicit Ingredients(const Formulas& info) : info_(info) {}

  void add(const Affine& a);
  void add(const Derived& derived);
  void add(const std::vector<int>& checks);
  void add(const Scope& s);
  void add(const Loop& loop);
  // From this one of its scopes on.
  void add(const Access& access, size_t scope);

  std::set<int> arguments;    // that numbers are loaded from
  std::set<int> loops;        // whose counters are among them; not what these loops are made of
  std::set<int> expressions;  // of the KernelInfo
  std::set<int> derived;      // likewise

private:
  const Formulas& info_;
};

}  // namespace mkmd::compiler
