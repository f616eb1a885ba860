// SPDX-License-Identifier: Apache-2.0
// The code for pieces of a program's kernels: OpenCL C, built for a place when something is first to run
// there. A place whose driver refuses it gets no pieces; the others go on.
#pragma once

#include "libinterpose/commands/code_places.hpp"
#include "libinterpose/execution/action.hpp"
#include "libinterpose/objects/objects.hpp"

#include <vector>

namespace mkmd {

// Whether the place has the code. Builds it if that has not been tried.
bool has_piece_code(SubKernels& sub_kernels, const std::vector<CodePlace>& places, size_t place);

// Whether the first device and another one have: no kernel is divided without.
bool can_be_divided(SubKernels& sub_kernels, const std::vector<CodePlace>& places,
                    const std::vector<Lane*>& lanes, size_t devices);

// The vendor's program that the lane runs pieces of; null if it has none.
cl_program piece_code(const Lane& lane, SubKernels& sub_kernels);

}  // namespace mkmd
