// SPDX-License-Identifier: Apache-2.0
// What a program's author may change so that a launch can be split, by the reason for which it ran whole.
#pragma once

#include <string>
#include <string_view>

namespace mkmd::inspect {

// Empty: nothing is known that would help.
std::string advice_on(std::string_view reason);

}  // namespace mkmd::inspect
