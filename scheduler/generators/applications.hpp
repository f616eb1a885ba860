// SPDX-License-Identifier: Apache-2.0
// Workloads of many small applications. Seven, with their three mixes, are those of Zhou and Liu (Task
// Mapping in Heterogeneous Embedded Systems for Fast Completion Time, Fig. 4). The neural-network task
// graphs are those of its journal extension (Table 6). The papers give sizes and numbers of tasks but
// neither times nor all dependences. Times here come from operation and byte counts on a model of the
// papers' first machine (Fig. 6). applications.cpp states the shapes.
#pragma once

#include "scheduler/problem.hpp"

#include <string_view>

namespace mkmd::scheduler {

enum class WorkloadSize { small, medium, large };

// `name`: an application (xgemm, cg, cholesky, increment, va, pi, fblock), a mix (mixed, computation, data)
// or a network (nn-LeNet, nn-GoogleNet, nn-ImageNet, nn-FRCNN). Without `second_gpu` the machine has one CPU
// and one GPU.
Result<Problem> application(std::string_view name, WorkloadSize size, bool second_gpu = true);

}  // namespace mkmd::scheduler
