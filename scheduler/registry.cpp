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

constexpr std::string_view kDualHp =
    "Bleuse, Gautier, Lima, Mounie, Trystram: Scheduling Data Flow Program in XKaapi";
constexpr std::string_view kBalanced =
    "Canon, Marchal, Vivien: Low-Cost Approximation Algorithms for Scheduling "
    "Independent Tasks on Hybrid Platforms";
constexpr std::string_view kAreaList =
    "Kedad-Sidhoum, Monna, Trystram: Scheduling Tasks with Precedence Constraints on "
    "Hybrid Multi-core Machines";

constexpr std::string_view kStarPu =
    "Augonnet, Thibault, Namyst, Wacrenier: StarPU: A Unified Platform for Task "
    "Scheduling on Heterogeneous Multicore Architectures";
constexpr std::string_view kEmsoft =
    "Zhou, Liu: Task Mapping in Heterogeneous Embedded Systems for Fast Completion Time";
constexpr std::string_view kJsa =
    "Li, Zhang, Ding, Zhou, Liu: Efficient Algorithms for Task Mapping on Heterogeneous CPU/GPU Platforms";

constexpr std::string_view kDawl =
    "Geng, Amaris, Zuckerman, Goldman, Gao, Gaudiot: A Profile-Based AI-Assisted Dynamic "
    "Scheduling Approach for Heterogeneous Architectures";

constexpr PolicyInfo kPolicies[] = {
    {"single", "Everything in order on one device, named by index or name (single:0).",
     "the baseline of "
     "every paper",
     make_single},
    {"round-robin", "Tasks dealt to the devices in turn.", "folklore", make_round_robin},
    {"random-cuts", "Every kernel cut at random places over random devices; for tests.", "none",
     make_random_cuts},
    {"eager", "One queue in order of readiness; idle devices take the first task they may run.", kStarPu,
     make_eager},
    {"dmdar", "Each ready task to the device that finishes it first; tasks with local data run first.",
     kStarPu, make_dmdar},
    {"heft", "List scheduling by upward rank, inserted where a task finishes first.", kHeft, make_heft},
    {"mkmd-coarse", "List scheduling of whole kernels by upward rank and earliest finish.", kMkmd,
     make_mkmd_coarse},
    {"mkmd", "mkmd-coarse, then kernels are split into idle stretches of other devices.", kMkmd, make_mkmd},
    {"mkmd-slices", "mkmd, moving only slices that pieces need; results stay where they were computed.",
     kMkmd, make_mkmd_slices},
    {"mkmd-malleable", "Kernels in row chunks, each filled over its best set of devices as it is listed.",
     kMkmd, make_mkmd_malleable},
    {"mkmd-online", "Kernels given out part by part while they run, divided by measured rates.", kMkmd,
     make_mkmd_online},
    {"dawl", "Idle devices take chunks sized by model and history; the last tenth by work done.", kDawl,
     make_dawl},
    {"h-ratio", "Ready tasks by heterogeneity ratio to the device that finishes them first.", kEmsoft,
     make_h_ratio},
    {"d-rank", "As h-ratio, but ranked by mean time and heaviest successor.", kEmsoft, make_d_rank},
    {"ad-part", "h-ratio that partitions divisible tasks predicted to take long.", kEmsoft, make_ad_part},
    {"hratio-part", "h-ratio with transfers predicted as a D^b + c and no threshold.", kJsa,
     make_hratio_part},
    {"heteroprio-indep", "Affinity lists; restarts the task that would end last when none is ready.",
     kHeteroPrio, make_heteroprio_indep},
    {"heteroprio-dep", "Affinity lists; restarts the best accelerated task even when others are ready.",
     kHeteroPrio, make_heteroprio_dep},
    {"heteroprio", "Affinity lists; restarts the highest priority when nothing is ready.", kHeteroPrio,
     make_heteroprio},
    {"heteroprio-refined", "HeteroPrio's allocation listed again, then critical tasks change class.",
     kHeteroPrio, make_heteroprio_refined},
    {"dualhp", "Ready tasks assigned to classes by dual approximation, classes served by rank.", kDualHp,
     make_dualhp},
    {"balanced-estimate", "Ready tasks moved from the later class while the estimated end improves.",
     kBalanced, make_balanced_estimate},
    {"balanced-makespan", "As balanced-estimate, but judged by a longest-task-first schedule.", kBalanced,
     make_balanced_makespan},
    {"area-list", "Classes from the rounded mixed linear program, then lists.", kAreaList, make_area_list},
    {"area-list-steal", "area-list whose idle GPUs restart tasks that run on CPUs.", kAreaList,
     make_area_list_steal},
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
