// SPDX-License-Identifier: Apache-2.0
// What an emulated run says of itself. Nothing here does anything where nothing is emulated.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mkmd {

// A command of the program went to the real device at its real speed: says so, once.
void note_not_emulated();

// For the summary and the end of the run: warns if the run is void. Null if nothing is emulated.
nlohmann::json emulation_summary();
void report_emulation();

}  // namespace mkmd
