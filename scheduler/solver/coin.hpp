// SPDX-License-Identifier: Apache-2.0
// COIN-OR's CLP (linear) and CBC (mixed integer) as the solver of scheduler/bounds/linear_program.hpp. A
// library of its own, so that only tools and tests depend on them.
#pragma once

namespace mkmd::scheduler {

void use_coin_solver();

}  // namespace mkmd::scheduler
