// SPDX-License-Identifier: Apache-2.0
// Which pieces of a launch are checked: cuts along one dimension, as the planner makes them. The same numbers
// give the same pieces.
#pragma once

#include "compiler/footprint.hpp"

#include <cstdint>
#include <vector>

namespace mkmd::verify {

using Pieces = std::vector<compiler::GroupBox>;

// Pieces that are the whole launch together; `kind` 0 is halves, 1 is thirds with odd cuts, others have one
// to three cuts anywhere.
Pieces split(const compiler::GroupBox& whole, int dimension, uint64_t kind, uint64_t seed);

// Single slabs of work-groups: the first, the last, and one between.
Pieces slabs(const compiler::GroupBox& whole, int dimension, uint64_t seed);

}  // namespace mkmd::verify
