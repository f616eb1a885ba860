// SPDX-License-Identifier: Apache-2.0
// Has a driver make a program of the texts for pieces, in the steps in which the program itself was made. A
// driver may make other code of texts that it builds in one go than of those that it links.
#pragma once

#include "compiler/recipe.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <string>
#include <vector>

namespace mkmd {

// For all devices of the context. `sources`: a text for each unit of the recipe. `options` come behind those
// of the units. Null and the driver's error if it refuses a step.
vendor::Owned<cl_program> make_piece_program(cl_context context, const std::vector<std::string>& sources,
                                             const compiler::Recipe& recipe, const std::string& options,
                                             cl_int& error);

}  // namespace mkmd
