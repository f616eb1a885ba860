// SPDX-License-Identifier: Apache-2.0
// The part of Values that says where loaded numbers lie. That is found last: it helps no other number, and
// what it takes to say it must not be looked at before trip counts are known.
#include <algorithm>
#include <bit>
#include <deque>
#include <set>

#include "compiler/helper/values.hpp"

namespace mkmd::compiler {

// A vector's components lie one after the other.
std::optional<Load> Values::place_of_load(const Key& key) {
  const auto& [value, lane] = key;
  auto* l = llvm::cast<llvm::LoadInst>(value);
  const unsigned bits = width(l);
  if (!l->isSimple() || bits < 8 || !std::has_single_bit(bits)) return std::nullopt;
  const Place at = place(l->getPointerOperand());
  if (at.root != Place::Root::argument || !at.known) return std::nullopt;
  const std::optional<Number> offset =
      add(at.offset, Number{Poly(std::max(lane, 0) * int64_t{bits / 8}), {}});
  const std::optional<Affine> affine = offset ? b_.affine(b_.simplified(offset->poly)) : std::nullopt;
  if (!affine) return std::nullopt;
  return Load{at.argument, bits / 8, *affine, offset->checks};
}

void Values::find_loads() {
  KernelInfo& info = b_.info();
  std::deque<int> todo;
  std::set<int> seen;
  // Places of loads may be made of further loads.
  const auto take_new = [&] {
    for (const auto& [atom, key] : loaded_)
      if (seen.insert(atom).second) todo.push_back(atom);
  };
  for (take_new(); !todo.empty(); take_new()) {
    const int atom = todo.front();
    todo.pop_front();
    std::optional<Load> load = place_of_load(loaded_.at(atom));
    if (!load) continue;
    const int derived = b_.atoms()[atom].variable.index;
    int& of_derived = info.derived[static_cast<size_t>(derived)].load;
    of_derived = static_cast<int>(info.loads.size());
    info.loads.push_back(std::move(*load));
    if (!needs_itself(info, derived)) continue;
    info.derived[static_cast<size_t>(derived)].load = -1;
    info.loads.pop_back();
  }
}

}  // namespace mkmd::compiler
