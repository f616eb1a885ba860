// SPDX-License-Identifier: Apache-2.0
// ItemValues: what the numbers of a KernelInfo are for single work-items of a launch, given what the buffers
// hold that numbers are loaded from. It computes a number for a row of work-items at once.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/footprint.hpp"

namespace mkmd::compiler {

// The bytes from an argument's first one on; null: they are not known.
struct Contents {
  const unsigned char* bytes = nullptr;
  uint64_t size = 0;
};

// A number of each work-item in a row. Where it is not known, its value means nothing.
struct Column {
  std::vector<int64_t> value;
  std::vector<uint8_t> known;
};

// Work-items side by side in dimension 0, from the `first` of the launch on.
struct ItemRow {
  std::array<int64_t, 3> group{}, local{};  // of dimensions 1 and 2
  int64_t first = 0, count = 0;
};

class ItemValues {
public:
  // Both must outlive it. `contents`: by argument.
  ItemValues(const KernelInfo& info, const Launch& launch, std::span<const Contents> contents);

  bool is_uniform() const { return uniform_; }  // all work-groups are equally large
  const std::array<int64_t, 3>& groups() const { return groups_; }
  const std::array<int64_t, 3>& local() const { return local_; }

  void start(const ItemRow& row);             // counters keep their values
  void set_counter(int loop, int64_t value);  // of the iteration that all items of the row are in
  void end_loop(int loop);                    // outside it, its counter has no value

  const ItemRow& row() const { return row_; }
  int64_t group_of(int64_t item) const { return (row_.first + item) / local_[0]; }  // in dimension 0
  void number(const Affine& affine, Column& out);
  // The items for which a check fails, or may fail, are taken out.
  void keep_checked(const std::vector<int>& checks, std::vector<uint8_t>& items);
  const LaunchFootprints::Value& uniform(int expression) const {
    return values_[static_cast<size_t>(expression)];
  }

private:
  const Column& derived(int index);
  void compute(const Derived& derived, Column& out);
  void load(const Load& load, Column& out);
  void add(Column& sum, int64_t factor, const Column& column) const;
  int64_t item_in(Variable::Kind kind, int64_t item) const;

  const KernelInfo& info_;
  const std::span<const Contents> contents_;
  std::array<int64_t, 3> local_{1, 1, 1}, groups_{1, 1, 1}, global_{1, 1, 1}, offset_{0, 0, 0};
  bool uniform_ = true;
  std::vector<LaunchFootprints::Value> values_;    // of info.expressions
  std::vector<LaunchFootprints::Value> counters_;  // of loops
  ItemRow row_;
  std::vector<Column> derived_;
  std::vector<bool> computed_;  // of `derived_`
};

}  // namespace mkmd::compiler
