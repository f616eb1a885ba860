// SPDX-License-Identifier: Apache-2.0
#include "compiler/footprint.hpp"

#include <algorithm>
#include <cstring>

#include "compiler/byte_set.hpp"
#include "compiler/ingredients.hpp"
#include "compiler/region.hpp"

namespace mkmd::compiler {
namespace {

constexpr uint64_t kLargest = uint64_t{1}
                              << 40;  // of any size or offset: products with strides stay in 64 bits

int64_t widen(const unsigned char* bytes, size_t count, bool is_signed) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, count);  // devices and hosts we know are little-endian
  if (is_signed && count < 8 && (value >> (8 * count - 1)) != 0) value |= ~uint64_t{0} << (8 * count);
  return static_cast<int64_t>(value);
}

}  // namespace

void set_scalars(const KernelInfo& info, unsigned argument, const void* value, size_t size,
                 std::vector<int64_t>& scalars) {
  const size_t slots = info.arguments.size() + info.extra_scalars.size();
  if (scalars.size() < slots) scalars.resize(slots);
  if (argument >= info.arguments.size() || !value) return;
  const auto* bytes = static_cast<const unsigned char*>(value);
  const Argument& a = info.arguments[argument];
  if (a.kind == Argument::Kind::value && a.is_integer && size == a.bytes && size >= 1 && size <= 8)
    scalars[argument] = widen(bytes, size, a.is_signed);
  for (size_t i = 0; i < info.extra_scalars.size(); ++i) {
    const ScalarSlot& slot = info.extra_scalars[i];
    if (static_cast<unsigned>(slot.argument) == argument && slot.offset + slot.bytes <= size)
      scalars[info.arguments.size() + i] = widen(bytes + slot.offset, slot.bytes, slot.is_signed);
  }
}

std::vector<bool> scalars_that_matter(const KernelInfo& info) {
  Ingredients all(info);
  for (const Access& access : info.accesses) {
    all.add(access, 0);
    all.add(access.sure_checks);
    if (access.update.kind == Update::Kind::store_uniform)
      all.expressions.insert(static_cast<int>(access.update.value));
  }
  for (const Loop& loop : info.loops)
    all.add(loop);
  all.expressions.insert({info.cost.trips, info.cost.operations, info.cost.bytes});
  // Any number may say how often a loop runs that is not described.
  std::vector<bool> matter(info.arguments.size() + info.extra_scalars.size(), info.cost.irregular);
  for (const int e : all.expressions) {
    for (const Expression::Node& node : info.expressions[static_cast<size_t>(e)].nodes())
      if (node.op == Expression::Op::scalar && static_cast<uint64_t>(node.value) < matter.size())
        matter[static_cast<size_t>(node.value)] = true;
  }
  return matter;
}

LaunchFootprints::LaunchFootprints(const KernelInfo& info, const Launch& launch)
    : info_(info), scalars_(launch.scalars), work_dim_(launch.work_dim) {
  for (size_t d = 0; d < 3 && d < launch.work_dim; ++d) {
    const uint64_t local = launch.local[d], global = launch.global[d];
    if (local == 0 || global % local != 0 || global > kLargest || launch.offset[d] > kLargest) {
      uniform_ = false;
      continue;
    }
    local_[d] = static_cast<int64_t>(local);
    global_[d] = static_cast<int64_t>(global);
    groups_[d] = static_cast<int64_t>(global / local);
    offset_[d] = static_cast<int64_t>(launch.offset[d]);
  }
  for (const Access& access : info.accesses)
    if (access.update.kind != Update::Kind::none) updated_.insert(access.argument);
  const Symbols symbols{scalars_, work_dim_, local_, groups_, global_, offset_};
  values_.reserve(info.expressions.size());
  for (const Expression& e : info.expressions) {
    const std::optional<int64_t> value = e.evaluate(symbols);
    values_.push_back({value.value_or(0), value.has_value()});
  }
}

namespace {

void add(Footprint& f, const Access& access, const ByteSet& set, bool is_sure) {
  const bool reads = access.kind != Access::Kind::write, writes = access.kind != Access::Kind::read;
  f.reads_unknown = f.reads_unknown || (reads && !set.known);
  f.writes_unknown = f.writes_unknown || (writes && !set.known);
  if (!set.known) return;
  if (reads) f.reads.unite(set.bytes);
  if (writes) f.may_writes.unite(set.bytes);
  if (is_sure && set.exact && access.kind == Access::Kind::write) f.sure_writes.unite(set.bytes);
}

// What is uniform is one number in the launch. Without a value, work-items may store anything.
Update in_launch(Update update, const std::vector<LaunchFootprints::Value>& values) {
  if (update.kind != Update::Kind::store_uniform) return update;
  const LaunchFootprints::Value& number = values[update.value];
  if (!number.known) return {};
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * update.bytes);
  return {Update::Kind::store, update.bytes, static_cast<uint64_t>(number.value) & all};
}

// Of a buffer of which some is updated: who touches which of it.
void add_by_update(Footprint& f, const Update& update, const ByteSet& set) {
  const auto unite = [&set](ByteRanges& bytes, bool& unknown) {
    unknown = unknown || !set.known;
    if (set.known) bytes.unite(set.bytes);
  };
  if (update.kind == Update::Kind::none) return unite(f.others, f.others_unknown);
  auto at = std::ranges::find(f.updates, update, [](const auto& u) { return u.may.by; });
  if (at == f.updates.end()) at = f.updates.insert(at, {{update, {}}});
  unite(at->may.bytes, at->unknown);
}

void keep_few_blocks(Footprint& f, size_t most) {
  const auto to_hull = [most](ByteRanges& bytes) {
    if (bytes.size() > most) bytes = {bytes.hull().lo, bytes.hull().hi};
  };
  to_hull(f.reads);
  to_hull(f.may_writes);
  to_hull(f.others);
  for (Footprint::Updates& u : f.updates)
    to_hull(u.may.bytes);
  if (f.sure_writes.size() > most) f.sure_writes = {};
}

}  // namespace

std::vector<Footprint> LaunchFootprints::of(const GroupBox& box, size_t most_blocks) const {
  std::vector<Footprint> all;
  Region region(info_, values_, local_, offset_);
  bool uniform = uniform_;
  for (size_t d = 0; d < 3; ++d)
    uniform = uniform && box.hi[d] <= static_cast<uint64_t>(groups_[d]);
  for (const Access& access : info_.accesses) {
    auto at = std::ranges::find(all, access.argument, &Footprint::argument);
    if (at == all.end()) {
      all.emplace_back().argument = access.argument;
      at = all.end() - 1;
    }
    Footprint& f = *at;
    const bool reads = access.kind != Access::Kind::write, writes = access.kind != Access::Kind::read;
    const bool updated = updated_.contains(access.argument);
    if (!updated && (!reads || f.reads_unknown) && (!writes || f.writes_unknown)) continue;
    ByteSet set;
    bool is_sure = false;
    if (access.known && uniform) {
      region.start(box);
      region.enter(access);
      set = byte_set(info_, access, region, most_blocks);
      is_sure = access.sure && region.passes(access.sure_checks);
    }
    add(f, access, set, is_sure);
    if (updated) add_by_update(f, in_launch(access.update, values_), set);
    keep_few_blocks(f, most_blocks);
  }
  for (Footprint& f : all) {
    if (f.reads_unknown) f.reads = {};
    if (f.writes_unknown) f.may_writes = {};
  }
  return all;
}

double LaunchFootprints::per_item(int expression) const {
  const Symbols symbols{scalars_, work_dim_, local_, groups_, global_, offset_};
  const double items =
      static_cast<double>(global_[0]) * static_cast<double>(global_[1]) * static_cast<double>(global_[2]);
  const double each = info_.expressions[static_cast<size_t>(expression)].evaluate_real(symbols).value_or(1);
  return items * std::max(each, 0.0);
}

double LaunchFootprints::trips() const {
  return per_item(info_.cost.trips);
}
double LaunchFootprints::operations() const {
  return per_item(info_.cost.operations);
}
double LaunchFootprints::bytes_moved() const {
  return per_item(info_.cost.bytes);
}

}  // namespace mkmd::compiler
