// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/execution/lanes.hpp"

namespace mkmd {

Lane& Lanes::add(std::unique_ptr<Lane> lane) {
  lanes_.push_back(std::move(lane));
  if (!lanes_.back()->transfers()) {
    compute_.push_back(lanes_.back().get());
    fed_.push_back(lanes_.back().get());
  }
  return *lanes_.back();
}

void Lanes::set_program(std::unique_ptr<Lane> lane) {
  program_ = std::move(lane);
  fed_.push_back(program_.get());
}

}  // namespace mkmd
