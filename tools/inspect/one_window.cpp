// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/one_window.hpp"

#include <algorithm>

namespace mkmd::inspect {

Trace only_window(const Trace& trace, size_t window) {
  Trace result;
  result.devices = trace.devices;
  result.has_whole = trace.has_whole;
  result.parts = trace.parts;
  result.cut = trace.cut;
  Window w = trace.windows[window];
  const size_t first = w.first_command, last = first + w.commands;
  const auto here = [&](size_t command) { return command >= first && command < last; };
  double zero = w.time;
  const auto keep = [&](const auto& from, auto& to) {
    for (auto item : from) {
      if (!here(item.command)) continue;
      item.command -= first;
      zero = std::min(zero, item.start);
      to.push_back(std::move(item));
    }
  };
  keep(trace.pieces, result.pieces);
  keep(trace.transfers, result.transfers);
  keep(trace.memory_commands, result.memory_commands);
  const auto shift = [&](auto& items) {
    for (auto& item : items) {
      item.start -= zero;
      item.end -= zero;
    }
  };
  shift(result.pieces);
  shift(result.transfers);
  shift(result.memory_commands);
  w.time -= zero;
  w.first_command = 0;
  for (size_t c = first; c < last; ++c) {
    result.commands.push_back(trace.commands[c]);
    result.commands.back().window = 0;
  }
  result.windows.push_back(std::move(w));
  return result;
}

}  // namespace mkmd::inspect
