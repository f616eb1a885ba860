// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/setup/numbers.hpp"

#include <algorithm>

namespace mkmd {

LiveNumber::LiveNumber(Numbers& numbers) : numbers_(numbers) {
  const Lock lock(numbers_.mutex_);
  const auto free = std::find(numbers_.live_.begin(), numbers_.live_.end(), false);
  value_ = static_cast<size_t>(free - numbers_.live_.begin());
  if (free == numbers_.live_.end()) {
    numbers_.live_.push_back(true);
  } else {
    *free = true;
  }
}

LiveNumber::~LiveNumber() {
  const Lock lock(numbers_.mutex_);
  numbers_.live_[value_] = false;
}

}  // namespace mkmd
