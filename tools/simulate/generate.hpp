// SPDX-License-Identifier: Apache-2.0
// Inputs that `mkmd simulate --generate SPEC` can make.
#pragma once

#include "scheduler/problem.hpp"

#include <string>
#include <string_view>

namespace mkmd {

inline constexpr std::string_view kGenerators =
    "cholesky:N, lu:N, qr:N[,independent] (N x N tiles; tasks without dependences), mkmd:EQUATION[,SIZE] "
    "(ABE, BiCGSTAB, ...), app:NAME[,small|medium|large] "
    "(xgemm, cg, mixed, nn-LeNet, ...), random:SEED";

Result<scheduler::Problem> generate_problem(const std::string& spec);

}  // namespace mkmd
