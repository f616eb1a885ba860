// SPDX-License-Identifier: Apache-2.0
// Region: the work-items and loop iterations that reach one access, kept as intervals. Each dimension has
// one for the group id, one for the local id, and one for the id they form together. Each loop counter has
// one. Guards and loops narrow the region from the outside in. A guard that no interval can express is kept
// as a constraint: footprint.cpp tells exact sets from over-approximations by it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/footprint.hpp"
#include "compiler/interval.hpp"
#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

// An Affine with numbers in it. global_id(d) is taken apart into group and local id. So coefficients of
// both are exact for either spelling. A dimension whose group coefficient is local size times local
// coefficient is walked as a whole.
struct Form {
  struct Other {
    Variable variable;  // loop or derived
    int64_t coefficient;
  };
  static constexpr int kMaxOthers = 10;

  bool valid = true;
  int64_t base = 0;
  std::array<int64_t, 3> group{}, local{};
  std::array<Other, kMaxOthers> others;
  int others_count = 0;

  bool constant() const;
  bool uses_derived() const;
  void add(const Variable& variable, int64_t coefficient);
  std::span<const Other> rest() const { return {others.data(), static_cast<size_t>(others_count)}; }
};
Form subtract(const Form& a, const Form& b, int64_t constant, int64_t factor = 1);  // a - factor·b - constant

// This class has more than 25 methods: guards, loops and checks narrow the same intervals in small steps.
class Region {
public:
  Region(const KernelInfo& info, std::span<const LaunchFootprints::Value> values,
         const std::array<int64_t, 3>& local, const std::array<int64_t, 3>& offset);

  void start(const GroupBox& box);   // everything inside the box
  void enter(const Access& access);  // narrows to the access' scopes
  bool empty() const { return empty_; }
  bool exact() const { return exact_; }  // so far: all scopes were understood
  const std::vector<Form>& constraints() const { return constraints_; }

  // A number cut to some bits that has lost nothing by it stands as what was cut.
  Form form(const Affine& affine) const { return form(affine, true); }
  Interval interval(const Form& form) const;
  // The same or less: with what guards say of sums of loop counters and derived values.
  Interval related(const Form& form) const;
  // Whether it holds for every work-item inside the intervals. What guards say about derived values does
  // not count, because no interval of a work-item's variables stands for it.
  bool implied(const Form& constraint) const;
  bool passes(const std::vector<int>& checks) const;
  int64_t local_size(size_t d) const { return local_size_[d]; }
  // Group and local id move the form as one id.
  bool joined(const Form& f, size_t d) const;

  std::array<Interval, 3> group, local, id;  // id = group · local size + local
  Interval loop(int index) const { return loops_[static_cast<size_t>(index)]; }
  Interval derived(int index) const { return derived(index, true); }

private:
  Form form(const Affine& affine, bool with_limits) const;
  void add(Form& form, const Affine& affine, int64_t factor, bool with_limits) const;
  Interval interval(const Form& form, bool with_limits) const;
  Interval derived(int index, bool with_limits) const;
  void enter_loop(const Access& access, size_t position);
  void enter_guard(const Guard& guard);

  // region_narrowing.cpp
  void require_nonnegative(const Form& form);
  void exclude_zero(const Form& form);
  void limit_operand(size_t derived);
  struct Part;
  using Parts = std::array<Part, 6 + Form::kMaxOthers>;
  size_t take_apart(const Form& form, Parts& parts) const;
  Interval& interval_of(const Part& part);
  void narrow(Part& part, int64_t rest, bool rest_bounded);
  void narrow(Interval& interval, int64_t coefficient, int64_t rest, bool rest_bounded);
  void settle(size_t d);

  bool loop_used_after(const Access& access, size_t position) const;

  const KernelInfo& info_;
  std::span<const LaunchFootprints::Value> values_;
  std::array<int64_t, 3> local_size_, offset_;
  std::vector<Interval> loops_, derived_limits_;
  std::vector<Form> constraints_;
  bool empty_ = false, exact_ = true;
};

}  // namespace mkmd::compiler
