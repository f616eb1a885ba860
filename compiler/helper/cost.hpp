// SPDX-License-Identifier: Apache-2.0
// Cost: how many operations and bytes one work-item of a kernel is believed to need, as expressions over its
// arguments. A believed cost only orders choices until measurements replace it.
#pragma once

#include "compiler/helper/conditions.hpp"

namespace mkmd::compiler {

void estimate_cost(llvm::Function& f, InfoBuilder& builder, Values& values, Conditions& conditions,
                   llvm::LoopInfo& loops, KernelInfo& info);

}  // namespace mkmd::compiler
