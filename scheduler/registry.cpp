// SPDX-License-Identifier: Apache-2.0
#include "scheduler/policies/factories.hpp"

namespace mkmd::scheduler {
namespace {

constexpr std::string_view kMkmd =
    "Lee, Samadi, Mahlke: Orchestrating Multiple Data-Parallel Kernels on Multiple "
    "Devices";

constexpr std::string_view kHeft =
    "Topcuoglu, Hariri, Wu: Performance-Effective and Low-Complexity Task Scheduling "
    "for Heterogeneous Computing";
constexpr std::string_view kHeteroPrio =
    "Beaumont, Eyraud-Dubois, Kumar: Fast Approximation Algorithms for Task-Based "
    "Runtime Systems";

constexpr PolicyInfo kPolicies[] = {
    {"single", "Everything in order on one device, named by index or name (single:0).",
     "the baseline of "
     "every paper",
     make_single},
    {"round-robin", "Tasks dealt to the devices in turn.", "folklore", make_round_robin},
    {"heft", "List scheduling by upward rank, inserted where a task finishes first.", kHeft, make_heft},
    {"mkmd-coarse", "List scheduling of whole kernels by upward rank and earliest finish.", kMkmd,
     make_mkmd_coarse},
    {"mkmd", "mkmd-coarse, then kernels are split into idle stretches of other devices.", kMkmd, make_mkmd},
    {"mkmd-slices", "mkmd moving only the slices pieces need; results stay where they were computed.", kMkmd,
     make_mkmd_slices},
    {"mkmd-malleable", "Kernels in row chunks, each filled over its best set of devices as it is listed.",
     kMkmd, make_mkmd_malleable},
    {"heteroprio-indep", "Affinity lists; restarts what would end last when nothing is ready.", kHeteroPrio,
     make_heteroprio_indep},
    {"heteroprio-dep", "Affinity lists; restarts the best accelerated task even when others are ready.",
     kHeteroPrio, make_heteroprio_dep},
    {"heteroprio", "Affinity lists; restarts the highest priority when nothing is ready.", kHeteroPrio,
     make_heteroprio},
};

}  // namespace

std::span<const PolicyInfo> policies() {
  return kPolicies;
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view spec) {
  ParameterReader reader(spec);
  for (const PolicyInfo& info : kPolicies)
    if (info.name == reader.name()) return info.make(reader);
  std::string names;
  for (const PolicyInfo& info : kPolicies)
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  return Status::internal("unknown policy \"" + reader.name() + "\" (accepted: " + names + ")");
}

}  // namespace mkmd::scheduler
