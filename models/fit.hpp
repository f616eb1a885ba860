// SPDX-License-Identifier: Apache-2.0
// Fitting: from samples to the model that predicts held-out inputs best. Candidates are compared by
// cross-validation over inputs; a simpler one wins unless the other is better by more than the noise of the
// comparison. The error reported is honest: it comes from inputs that neither the fit nor the choice has
// seen.
#pragma once

#include "models/model.hpp"

#include <optional>
#include <vector>

namespace mkmd::models {

// Samples of one kernel on one device, in any order and of any quality: those that are not finite or not
// positive are left out. Those taken while something else ran are used only if there are hardly any others.
// Nothing if nothing usable is left.
std::optional<Model> fit(const std::vector<Sample>& samples);

// The samples a fit would use: cleaned, one per distinct piece of work (its median).
std::vector<Sample> usable(const std::vector<Sample>& samples);

}  // namespace mkmd::models
