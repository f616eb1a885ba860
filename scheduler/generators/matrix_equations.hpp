// SPDX-License-Identifier: Apache-2.0
// The eleven matrix equations of Table 3 of Lee, Samadi, Mahlke: Orchestrating Multiple Data-Parallel
// Kernels on Multiple Devices. They are kernel graphs for matrices of n x n floats on a model of the
// paper's machine (Table 2). Times come from operation counts and bandwidths per kind of kernel plus a
// fixed 20 microseconds.
#pragma once

#include "scheduler/problem.hpp"

#include <span>

namespace mkmd::scheduler {

std::span<const std::string_view> matrix_equations();  // "ABE", "BiCGSTAB", ...

Result<Problem> matrix_equation(std::string_view name, int n = 4096);

}  // namespace mkmd::scheduler
