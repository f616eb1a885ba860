// SPDX-License-Identifier: Apache-2.0
// The factory of every policy, for the registry and for nothing else. A policy's own file says what it does
// and documents its parameters; factories read those and report mistakes in them.
#pragma once

#include "scheduler/policy.hpp"

namespace mkmd::scheduler {

using MadePolicy = Result<std::unique_ptr<Policy>>;

template <typename P, typename... Arguments>
MadePolicy made(Arguments&&... arguments) {
  return std::unique_ptr<Policy>(std::make_unique<P>(std::forward<Arguments>(arguments)...));
}

MadePolicy make_single(ParameterReader& parameters);
MadePolicy make_round_robin(ParameterReader& parameters);
MadePolicy make_random_cuts(ParameterReader& parameters);
MadePolicy make_heft(ParameterReader& parameters);
MadePolicy make_heteroprio_indep(ParameterReader& parameters);
MadePolicy make_heteroprio_dep(ParameterReader& parameters);
MadePolicy make_heteroprio(ParameterReader& parameters);
MadePolicy make_heteroprio_refined(ParameterReader& parameters);
MadePolicy make_dualhp(ParameterReader& parameters);
MadePolicy make_balanced_estimate(ParameterReader& parameters);
MadePolicy make_balanced_makespan(ParameterReader& parameters);
MadePolicy make_area_list(ParameterReader& parameters);
MadePolicy make_area_list_steal(ParameterReader& parameters);
MadePolicy make_eager(ParameterReader& parameters);
MadePolicy make_dmdar(ParameterReader& parameters);
MadePolicy make_h_ratio(ParameterReader& parameters);
MadePolicy make_d_rank(ParameterReader& parameters);
MadePolicy make_ad_part(ParameterReader& parameters);
MadePolicy make_hratio_part(ParameterReader& parameters);
MadePolicy make_mkmd_online(ParameterReader& parameters);
MadePolicy make_dawl(ParameterReader& parameters);
MadePolicy make_mkmd_coarse(ParameterReader& parameters);
MadePolicy make_mkmd(ParameterReader& parameters);
MadePolicy make_mkmd_slices(ParameterReader& parameters);
MadePolicy make_mkmd_malleable(ParameterReader& parameters);

}  // namespace mkmd::scheduler
