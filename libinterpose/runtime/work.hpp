// SPDX-License-Identifier: Apache-2.0
// What the models of profiling runs (models/model.hpp) want to know of a launch or of a piece of one.
#pragma once

#include "compiler/footprint.hpp"
#include "models/model.hpp"

namespace mkmd {

models::Work work_of(const compiler::KernelInfo& info, const compiler::Launch& launch,
                     const compiler::GroupBox& box);
models::Work work_of(const compiler::KernelInfo& info, const compiler::Launch& launch);  // all of it

}  // namespace mkmd
