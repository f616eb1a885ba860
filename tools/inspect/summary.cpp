// SPDX-License-Identifier: Apache-2.0
// The text that `mkmd inspect TRACE` prints.
#include "tools/inspect/advice.hpp"
#include "tools/inspect/formats.hpp"

#include "common/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace mkmd::inspect {

namespace {

constexpr size_t kWorst = 10;

using Cells = std::vector<std::string>;

// As many columns as a terminal shows, which is not bytes.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The first `left` columns are text, the others numbers.
void print_table(std::ostream& out, const std::vector<Cells>& rows, size_t left) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const Cells& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const Cells& row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width(row[i]), ' ');
      line += i < left ? row[i] + pad : pad + row[i];
      if (i + 1 < row.size()) line += "  ";
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

std::string at_line(int line) {
  return line > 0 ? "line " + std::to_string(line) : "";
}

void write_counts(const Trace& trace, std::ostream& out) {
  size_t kernels = 0, split = 0;
  for (const Command& c : trace.commands) {
    kernels += c.is_kernel();
    split += c.is_kernel() && c.plan.size() > 1;
  }
  uint64_t native = 0;
  for (const auto& [kind, count] : trace.native_commands)
    native += count;
  out << counted(trace.windows.size(), "window") << ", " << counted(trace.commands.size(), "captured command")
      << ", " << counted(kernels, "kernel") << " among them, " << split << " split; "
      << counted(trace.pieces.size(), "piece") << "; ";
  out << counted(native, "command") << " went straight to the home device\n";
  if (trace.cut) out << "the trace ends within a line, which is left out\n";
}

void write_devices(const Trace& trace, const Analysis& a, std::ostream& out) {
  out << "\ndevices while captured work was under way (" << time_text(a.active) << ")\n";
  std::vector<Cells> table{{"device", "busy", "idle", "pieces", "work-groups"}};
  for (size_t d = 0; d < trace.devices.size(); ++d) {
    double groups = 0;
    size_t pieces = 0;
    for (const Piece& p : trace.pieces) {
      if (p.device != static_cast<int>(d)) continue;
      ++pieces;
      groups += p.box.groups();
    }
    const bool whole = trace.has_whole && d + 1 == trace.devices.size();
    if (whole && a.rows[d].bars.empty()) continue;
    const double idle = a.active > 0 ? std::max(0.0, 1 - a.busy[d] / a.active) : 0;
    table.push_back({a.rows[d].label + (whole ? " (all parts at once)" : ""), time_text(a.rows[d].busy),
                     whole ? "" : percent_text(idle), std::to_string(pieces),
                     std::to_string(static_cast<unsigned long long>(groups))});
  }
  print_table(out, table, 1);
  out << "  idle share of all devices: " << percent_text(a.idle_share) << "\n";
}

void write_transfers(const Trace& trace, const Analysis& a, std::ostream& out) {
  out << "\nmoved between memories: " << bytes_text(a.bytes_moved) << " in "
      << counted(trace.transfers.size(), "transfer") << "\n";
  if (trace.transfers.empty()) return;
  std::vector<Cells> table{{"link", "bytes", "transfers", "busy"}};
  for (const Row& row : a.rows) {
    if (!row.is_link) continue;
    double bytes = 0;
    for (const Bar& b : row.bars)
      bytes += trace.transfers[b.index].bytes;
    table.push_back({row.label, bytes_text(bytes), std::to_string(row.bars.size()), time_text(row.busy)});
  }
  print_table(out, table, 1);
}

void write_makespan(const Trace& trace, const Analysis& a, std::ostream& out) {
  const auto complete =
      std::count_if(a.windows.begin(), a.windows.end(), [](const WindowTimes& w) { return w.complete; });
  if (complete == 0) return;
  out << "\nmakespan of " << counted(static_cast<size_t>(complete), "complete window") << ": predicted "
      << time_text(a.predicted) << ", measured " << time_text(a.measured);
  if (a.measured > 0) out << " (" << percent_text(a.measured / a.predicted) << " of the prediction)";
  out << "; planning took " << time_text(a.planning_seconds);
  const auto kept =
      std::count_if(trace.windows.begin(), trace.windows.end(), [](const Window& w) { return w.kept_plan; });
  if (kept > 0)
    out << "; " << counted(static_cast<size_t>(kept), "window") << " reused an earlier window's plan";
  out << "\n";
}

void write_balance(const Trace& trace, std::ostream& out) {
  const Balance& balance = trace.balance;
  if (balance.windows == 0) return;
  out << "\n";
  if (const int best = balance.best(); best >= 0) {
    const double alone = balance.alone[best].seconds;
    out << "best single device for captured work: " << trace.devices[best].name << ", " << time_text(alone)
        << "; it took " << time_text(balance.taken);
    if (alone > 0)
      out << (balance.taken <= alone ? ", a gain of " : ", a loss of ")
          << percent_text(std::abs(1 - balance.taken / alone));
    out << "\n";
  } else {
    out << "best single device: not known, since few kernels were measured on any of them whole\n";
  }
  out << "exploring: " << balance.explored << " of " << counted(balance.windows, "window") << ", which cost "
      << time_text(std::max(0.0, trace.exploring_seconds)) << "\n";
}

void write_worst_predictions(const Trace& trace, const Analysis& a, std::ostream& out) {
  if (a.worst.empty()) return;
  out << "\nworst predictions (one per kernel and device)\n";
  std::vector<Cells> table{{"kernel", "device", "predicted", "measured", "ratio"}};
  for (size_t i = 0; i < std::min(kWorst, a.worst.size()); ++i) {
    const Prediction& p = a.worst[i];
    const Piece& piece = trace.pieces[p.piece];
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", p.ratio());
    table.push_back({trace.commands[piece.command].name, trace.devices[piece.device].name,
                     time_text(p.predicted), time_text(p.measured), ratio});
  }
  print_table(out, table, 2);
}

void write_whole_kernels(const Analysis& a, std::ostream& out) {
  if (a.whole.empty()) return;
  out << "\nkernels not split\n";
  std::vector<Cells> table{{"kernel", "time", "launches", "source", "why"}};
  for (const WholeKernel& w : a.whole)
    table.push_back({w.name, w.seconds > 0 ? time_text(w.seconds) : "-", std::to_string(w.launches),
                     at_line(w.line), w.why + (w.native ? " (not captured)" : "")});
  print_table(out, table, 5);
  std::set<std::string> said;
  for (const WholeKernel& w : a.whole) {
    const std::string advice = advice_on(w.why);
    if (advice.empty() || !said.insert(advice).second) continue;
    out << (said.size() == 1 ? "\nwhat would let them be split\n" : "") << "  " << w.name << ": " << advice
        << "\n";
  }
}

}  // namespace

void write_summary(const Trace& trace, const Analysis& a, std::ostream& out) {
  if (trace.devices.empty()) {  // no line, or only the beginning of the first
    out << (trace.cut ? "the trace ends within its first line: " : "")
        << "nothing was recorded: no command reached MKMD\n";
    return;
  }
  write_counts(trace, out);
  write_devices(trace, a, out);
  write_transfers(trace, a, out);
  write_makespan(trace, a, out);
  write_balance(trace, out);
  write_worst_predictions(trace, a, out);
  write_whole_kernels(a, out);
}

}  // namespace mkmd::inspect
