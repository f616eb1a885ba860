// SPDX-License-Identifier: Apache-2.0
// Task graphs of tiled dense factorisations (Cholesky, LU without pivoting, QR) of N x N tiles. Kernel
// times are those of tiles of 960 on a machine of CPUs and GPUs, without transfers. This is the workload of
// Beaumont, Eyraud-Dubois, Kumar: Fast Approximation Algorithms for Task-Based Runtime Systems.
#pragma once

#include "scheduler/problem.hpp"

namespace mkmd::scheduler {

enum class Factorisation { cholesky, lu, qr };

Problem tiled_factorisation(Factorisation kind, int tiles, int cpus = 20, int gpus = 4);

}  // namespace mkmd::scheduler
