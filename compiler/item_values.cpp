// SPDX-License-Identifier: Apache-2.0
#include "compiler/item_values.hpp"

#include <algorithm>
#include <cstring>

#include "compiler/interval.hpp"

namespace mkmd::compiler {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 40;  // of any size or offset

int64_t signed_number(const unsigned char* bytes, uint32_t count) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, count);  // devices and hosts we know are little-endian
  const unsigned unused = 64 - 8 * count;
  return static_cast<int64_t>(value << unused) >> unused;
}

}  // namespace

ItemValues::ItemValues(const KernelInfo& info, const Launch& launch, std::span<const Contents> contents)
    : info_(info), contents_(contents), counters_(info.loops.size()), derived_(info.derived.size()),
      computed_(info.derived.size()) {
  for (size_t d = 0; d < 3 && d < launch.work_dim; ++d) {
    const uint64_t local = launch.local[d], global = launch.global[d];
    if (local == 0 || global % local != 0 || global > kLargest || launch.offset[d] > kLargest) {
      uniform_ = false;
      return;
    }
    local_[d] = static_cast<int64_t>(local);
    global_[d] = static_cast<int64_t>(global);
    groups_[d] = static_cast<int64_t>(global / local);
    offset_[d] = static_cast<int64_t>(launch.offset[d]);
  }
  const Symbols symbols{launch.scalars, launch.work_dim, local_, groups_, global_, offset_};
  for (const Expression& e : info.expressions) {
    const std::optional<int64_t> value = e.evaluate(symbols);
    values_.push_back({value.value_or(0), value.has_value()});
  }
}

void ItemValues::start(const ItemRow& row) {
  row_ = row;
  computed_.assign(computed_.size(), false);
}

void ItemValues::set_counter(int loop, int64_t value) {
  counters_[static_cast<size_t>(loop)] = {value, true};
  computed_.assign(computed_.size(), false);
}

void ItemValues::end_loop(int loop) {
  counters_[static_cast<size_t>(loop)] = {};
  computed_.assign(computed_.size(), false);
}

int64_t ItemValues::item_in(Variable::Kind kind, int64_t item) const {
  const int64_t id = row_.first + item;
  if (kind == Variable::Kind::global_id) return offset_[0] + id;
  return kind == Variable::Kind::group_id ? id / local_[0] : id % local_[0];
}

void ItemValues::add(Column& sum, int64_t factor, const Column& column) const {
  for (size_t i = 0; i < static_cast<size_t>(row_.count); ++i)
    sum.known[i] &=
        static_cast<uint8_t>(column.known[i] != 0 && multiply_add(sum.value[i], factor, column.value[i]));
}

void ItemValues::number(const Affine& affine, Column& out) {
  const auto count = static_cast<size_t>(row_.count);
  const LaunchFootprints::Value& base = uniform(affine.base);
  int64_t same = base.value;  // for all items
  bool known = base.known;
  for (const Term& t : affine.terms) {
    const LaunchFootprints::Value& factor = uniform(t.coefficient);
    known = known && factor.known;
    const auto d = static_cast<size_t>(t.variable.index);
    const Variable::Kind kind = t.variable.kind;
    if (kind == Variable::Kind::loop) {
      known = known && counters_[d].known && multiply_add(same, factor.value, counters_[d].value);
    } else if (kind != Variable::Kind::derived && d > 0) {
      const int64_t id = kind == Variable::Kind::global_id
                             ? offset_[d] + row_.group[d] * local_[d] + row_.local[d]
                         : kind == Variable::Kind::group_id ? row_.group[d]
                                                            : row_.local[d];
      known = known && multiply_add(same, factor.value, id);
    }
  }
  out.value.assign(count, same);
  out.known.assign(count, known ? 1 : 0);
  for (const Term& t : affine.terms) {
    if (!known) return;
    const int64_t factor = uniform(t.coefficient).value;
    if (t.variable.kind == Variable::Kind::derived) {
      add(out, factor, derived(t.variable.index));
    } else if (t.variable.kind != Variable::Kind::loop && t.variable.index == 0) {
      for (size_t i = 0; i < count; ++i)
        out.known[i] &= static_cast<uint8_t>(
            multiply_add(out.value[i], factor, item_in(t.variable.kind, static_cast<int64_t>(i))));
    }
  }
}

const Column& ItemValues::derived(int index) {
  const auto i = static_cast<size_t>(index);
  if (!computed_[i]) {
    Column column = std::move(derived_[i]);
    compute(info_.derived[i], column);
    derived_[i] = std::move(column);
    computed_[i] = true;
  }
  return derived_[i];
}

// A number that lies between two others is known where these are one, and where it is loaded or computed.
void ItemValues::compute(const Derived& derived, Column& out) {
  if (derived.load >= 0) return load(info_.loads[static_cast<size_t>(derived.load)], out);
  if (derived.computed >= 0) return compute(info_.computed[static_cast<size_t>(derived.computed)], out);
  Column b;
  number(derived.a, out);
  number(derived.b, b);
  for (size_t i = 0; i < out.value.size(); ++i) {
    if (out.known[i] == 0 || b.known[i] == 0) {
      out.known[i] = 0;
      continue;
    }
    const Interval result = apply(derived.op, {out.value[i], out.value[i]}, {b.value[i], b.value[i]});
    out.known[i] = result.bounded() && result.lo == result.hi ? 1 : 0;
    out.value[i] = result.lo;
  }
}

void ItemValues::load(const Load& load, Column& out) {
  number(load.offset, out);
  keep_checked(load.checks, out.known);
  const Contents& from = contents_[static_cast<size_t>(load.argument)];
  const bool any = from.bytes != nullptr && from.size >= load.bytes;
  for (size_t i = 0; i < out.value.size(); ++i) {
    const int64_t at = out.value[i];
    const bool inside = any && at >= 0 && static_cast<uint64_t>(at) <= from.size - load.bytes;
    if (!inside) out.known[i] = 0;
    if (out.known[i] != 0) out.value[i] = signed_number(from.bytes + at, load.bytes);
  }
}

void ItemValues::keep_checked(const std::vector<int>& checks, std::vector<uint8_t>& items) {
  Column value;
  for (int index : checks) {
    const Check& check = info_.checks[static_cast<size_t>(index)];
    number(check.value, value);
    for (size_t i = 0; i < items.size(); ++i)
      items[i] &= static_cast<uint8_t>(value.known[i] != 0 && value.value[i] >= check.lo &&
                                       value.value[i] <= check.hi);
  }
}

}  // namespace mkmd::compiler
