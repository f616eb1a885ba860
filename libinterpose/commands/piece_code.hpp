// SPDX-License-Identifier: Apache-2.0
// The code for pieces of a program's kernels: OpenCL C or SPIR-V, built for the places of a runtime.
// Questions are answered at once, with "not yet" where it is not built. Threads that can wait build it, or
// the CodeBuilder does. A place whose driver refuses the code gets no pieces; the others go on. Thread-safe.
#pragma once

#include "libinterpose/commands/code_places.hpp"
#include "libinterpose/execution/action.hpp"
#include "libinterpose/objects/objects.hpp"

#include <functional>
#include <vector>

namespace mkmd {

enum class HasCode { yes, not_yet, never };

HasCode has_piece_code(SubKernels& sub_kernels, size_t place);

// Whether the first device and another one have the code. Without it no kernel is divided.
HasCode can_be_divided(SubKernels& sub_kernels, const CodePlaces& places);

// A driver's answer to a request for code.
struct BuiltCode {
  vendor::Owned<cl_program> program;
  std::string why_not;
};
using BuildCode = std::function<BuiltCode(const SubKernels&, const CodePlace&)>;

// The device's own compiler makes of it what it makes of the program: the same bits, at the same speed.
BuiltCode build_piece_code(const SubKernels& sub_kernels, const CodePlace& place);

// Asks the drivers of all places that devices need, unless that was done. Returns when each has answered,
// also where another thread asked it.
void make_piece_code(SubKernels& sub_kernels, const CodePlaces& places, const BuildCode& build);

// The vendor's program that the lane runs pieces of; null if it has none. Builds that of the lane of repairs.
cl_program piece_code(const Lane& lane, SubKernels& sub_kernels);

// Whether pieces are the program's own kernels. Else their kernels take hidden arguments.
bool is_programs_own(const SubKernels& sub_kernels);

// What a user knows the program by: its first kernels.
std::string name_of(const SubKernels& sub_kernels);

}  // namespace mkmd
