// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace mkmd::inspect {

namespace {

constexpr double kNowhere = -1;
constexpr double kNoise = 20e-6;  // seconds

// The seconds covered by at least one of the intervals, which are sorted by start.
template <typename List, typename Start, typename End>
double covered(const List& list, Start start, End end) {
  double sum = 0, until = kNowhere;
  for (const auto& item : list) {
    sum += std::max(0.0, end(item) - std::max(start(item), until));
    until = std::max(until, end(item));
  }
  return sum;
}

void name_kernels(const Trace& trace, Analysis& a) {
  std::map<std::string, double> seconds;
  for (const Piece& p : trace.pieces)
    seconds[trace.commands[p.command].name] += p.end - p.start;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, sum] : seconds)
    order.emplace_back(-sum, name);
  std::sort(order.begin(), order.end());
  for (const auto& [sum, name] : order) {
    a.kernels.push_back(name);
    a.kernel_seconds.push_back(-sum);
  }
}

void make_rows(const Trace& trace, Analysis& a) {
  std::map<std::string, int> colour;
  for (size_t k = 0; k < a.kernels.size(); ++k)
    colour[a.kernels[k]] = static_cast<int>(k);
  for (const Device& d : trace.devices)
    a.rows.push_back({d.name, false, {}, 0});
  for (size_t i = 0; i < trace.pieces.size(); ++i) {
    const Piece& p = trace.pieces[i];
    a.rows[p.device].bars.push_back(
        {p.start, p.end, BarKind::piece, i, colour[trace.commands[p.command].name]});
  }
  for (size_t i = 0; i < trace.memory_commands.size(); ++i) {
    const MemoryCommand& m = trace.memory_commands[i];
    a.rows[m.device].bars.push_back({m.start, m.end, BarKind::memory_command, i, -1});
  }
  std::map<std::pair<int, int>, Row> links;
  for (size_t i = 0; i < trace.transfers.size(); ++i) {
    const Transfer& t = trace.transfers[i];
    links[{t.from, t.to}].bars.push_back({t.start, t.end, BarKind::transfer, i, -1});
  }
  for (auto& [ends, row] : links) {
    row.is_link = true;
    row.label = memory_name(trace, ends.first) + " → " + memory_name(trace, ends.second);
    a.rows.push_back(std::move(row));
  }
  for (Row& row : a.rows) {
    std::stable_sort(row.bars.begin(), row.bars.end(),
                     [](const Bar& x, const Bar& y) { return x.start < y.start; });
    row.busy = covered(
        row.bars, [](const Bar& b) { return b.start; }, [](const Bar& b) { return b.end; });
    for (const Bar& b : row.bars)
      a.end = std::max(a.end, b.end);
  }
}

void time_windows(const Trace& trace, Analysis& a) {
  a.windows.resize(trace.windows.size(), {scheduler::kNever, 0, false});
  std::vector<double> groups(trace.commands.size(), 0);
  const auto extend = [&](size_t command, double start, double end) {
    if (command == kNoCommand) return;
    WindowTimes& w = a.windows[trace.commands[command].window];
    w.start = std::min(w.start, start);
    w.end = std::max(w.end, end);
  };
  for (const Piece& p : trace.pieces) {
    extend(p.command, p.start, p.end);
    groups[p.command] += p.box.groups();
  }
  for (const MemoryCommand& m : trace.memory_commands)
    extend(m.command, m.start, m.end);
  for (const Transfer& t : trace.transfers)
    extend(t.command, t.start, t.end);
  std::vector<WindowTimes> spans, complete;
  for (size_t i = 0; i < a.windows.size(); ++i) {
    const Window& w = trace.windows[i];
    WindowTimes& times = a.windows[i];
    a.planning_seconds += w.planning_seconds;
    if (times.start > times.end) {
      times.start = times.end = w.time;
      continue;
    }
    times.complete = true;
    for (size_t c = w.first_command; c < w.first_command + w.commands; ++c) {
      const Command& command = trace.commands[c];
      times.complete &= !command.is_kernel() || groups[c] == command.whole.groups();
    }
    spans.push_back(times);
    if (times.complete) {
      complete.push_back(times);
      a.predicted += w.predicted;
    }
  }
  for (auto* list : {&spans, &complete}) {
    std::sort(list->begin(), list->end(), [](const auto& x, const auto& y) { return x.start < y.start; });
  }
  const auto start = [](const WindowTimes& w) { return w.start; };
  const auto end = [](const WindowTimes& w) { return w.end; };
  a.active = covered(spans, start, end);
  a.measured = covered(complete, start, end);
}

void judge_predictions(const Trace& trace, Analysis& a) {
  for (size_t i = 0; i < trace.pieces.size(); ++i) {
    const Piece& p = trace.pieces[i];
    const double predicted = predicted_seconds(trace, p);
    if (std::isfinite(predicted) && predicted > 0 && p.end > p.start)
      a.predictions.push_back({i, predicted, p.end - p.start});
  }
  const auto badness = [](const Prediction& p) { return std::abs(std::log(p.ratio())); };
  // Below the clocks' noise a ratio says nothing.
  a.worst = a.predictions;
  std::erase_if(a.worst, [](const Prediction& p) { return std::max(p.predicted, p.measured) < kNoise; });
  std::stable_sort(a.worst.begin(), a.worst.end(),
                   [&](const auto& x, const auto& y) { return badness(x) > badness(y); });
  std::set<std::pair<std::string, int>> seen;
  std::erase_if(a.worst, [&](const Prediction& p) {
    const Piece& piece = trace.pieces[p.piece];
    return !seen.emplace(trace.commands[piece.command].name, piece.device).second;
  });
}

void list_whole(const Trace& trace, Analysis& a) {
  std::vector<double> seconds(trace.commands.size(), 0);
  for (const Piece& p : trace.pieces)
    seconds[p.command] += std::max(0.0, p.end - p.start);
  std::map<std::tuple<std::string, std::string, int>, WholeKernel> planned;
  for (size_t i = 0; i < trace.commands.size(); ++i) {
    const Command& c = trace.commands[i];
    if (c.whole_because.empty()) continue;
    WholeKernel& sum =
        planned.try_emplace({c.name, c.whole_because, c.line}, c.name, c.whole_because, c.line).first->second;
    ++sum.launches;
    sum.seconds += seconds[i];
  }
  for (auto& [key, sum] : planned)
    a.whole.push_back(std::move(sum));
  for (const NativeKernel& n : trace.native_kernels)
    a.whole.push_back({n.name, n.why, n.line, n.launches, true, n.seconds});
  std::stable_sort(a.whole.begin(), a.whole.end(), [](const WholeKernel& x, const WholeKernel& y) {
    return std::tie(x.seconds, x.launches) > std::tie(y.seconds, y.launches);
  });
}

std::string with_unit(double value, const char* unit) {
  char text[32];
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

Analysis analyse(const Trace& trace) {
  Analysis a;
  name_kernels(trace, a);
  make_rows(trace, a);
  time_windows(trace, a);
  judge_predictions(trace, a);
  list_whole(trace, a);
  // A whole keeps all its parts busy.
  const double whole = trace.has_whole ? a.rows[trace.devices.size() - 1].busy : 0;
  const size_t devices = trace.devices.size() - trace.has_whole;
  a.busy.assign(trace.devices.size(), 0);
  for (size_t d = 0; d < trace.devices.size(); ++d)
    a.busy[d] = a.rows[d].busy;
  for (const int part : trace.parts)
    a.busy[part] += whole;
  double busy = 0;
  for (size_t d = 0; d < devices; ++d)
    busy += std::min(a.busy[d], a.active);
  const double all = a.active * static_cast<double>(devices);
  a.idle_share = all > 0 ? std::max(0.0, 1 - busy / all) : 0;
  for (const Transfer& t : trace.transfers)
    a.bytes_moved += t.bytes;
  return a;
}

double predicted_seconds(const Trace& trace, const Piece& piece) {
  const Command& c = trace.commands[piece.command];
  const double launch = trace.devices[piece.device].launch;
  const double whole = c.seconds[piece.device];
  const double share = c.whole.groups() > 0 ? piece.box.groups() / c.whole.groups() : 0;
  return share * std::max(0.0, whole - launch);
}

std::string memory_name(const Trace& trace, int memory) {
  if (memory == kProgramMemory) return "program";
  for (const Device& d : trace.devices) {
    if (d.memory == memory) return d.name;
  }
  return "memory " + std::to_string(memory);
}

std::string time_text(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= 0.9995) return with_unit(seconds, "s");
  if (seconds >= 0.9995e-3) return with_unit(seconds * 1e3, "ms");
  return with_unit(seconds * 1e6, "µs");
}

std::string bytes_text(double bytes) {
  if (bytes >= 999.5e6) return with_unit(bytes * 1e-9, "GB");
  if (bytes >= 999.5e3) return with_unit(bytes * 1e-6, "MB");
  if (bytes >= 999.5) return with_unit(bytes * 1e-3, "kB");
  return std::to_string(static_cast<long long>(bytes)) + " B";
}

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

}  // namespace mkmd::inspect
