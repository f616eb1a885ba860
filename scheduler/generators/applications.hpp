// SPDX-License-Identifier: Apache-2.0
// Workloads of many small applications: the seven of Zhou and Liu (Task Mapping in Heterogeneous Embedded
// Systems for Fast Completion Time, Fig. 4) with their three mixes, and the neural-network task graphs of its
// journal extension (Table 6). The papers give sizes and numbers of tasks but neither times nor all
// dependences: times here come from operation and byte counts on a model of the papers' first machine (Fig.
// 6), the shapes are stated in applications.cpp.
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
