// SPDX-License-Identifier: Apache-2.0
// The forms a model may take. A new one is a function and a row in the list.
#pragma once

#include "models/model.hpp"

#include <vector>

namespace mkmd::models {

// Samples of one kernel on one device, cleaned: finite, positive, at most some hundreds.
using Samples = std::vector<Sample>;

struct Candidate {
  const char* name;
  // Form, classes and points of a model; no classes and points if the samples do not suffice.
  Model (*fit)(const Samples& samples);
};

// From the simplest to the most complicated.
const std::vector<Candidate>& candidates();

}  // namespace mkmd::models
