// SPDX-License-Identifier: Apache-2.0
// What a call gives back that was not made.
#pragma once

#include <CL/cl.h>

#include <tuple>
#include <type_traits>

namespace failing {

template <typename Returns, typename Last>
Returns error(cl_int code, Last last) {
  if constexpr (std::is_same_v<Returns, cl_int>) {
    return code;
  } else if constexpr (!std::is_void_v<Returns>) {
    if constexpr (std::is_same_v<Last, cl_int*>) {
      if (last != nullptr) *last = code;
    }
    return Returns{};
  }
}

struct Nothing {};

template <typename... Arguments>
auto last_of(Arguments... arguments) {
  if constexpr (sizeof...(Arguments) == 0) {
    return Nothing{};
  } else {
    return std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
  }
}

}  // namespace failing
