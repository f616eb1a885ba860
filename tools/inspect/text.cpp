// SPDX-License-Identifier: Apache-2.0
// A timeline for terminals: a line per device and link, a letter per kernel; then what happened, in order.
#include "tools/inspect/formats.hpp"
#include "tools/inspect/picture.hpp"

#include <algorithm>
#include <cctype>

namespace mkmd::inspect {

namespace {

constexpr int kColumns = 100;
constexpr size_t kListed = 400;  // bars written out one by one

char letter(const Mark& mark) {
  if (mark.kind == BarKind::transfer) return '=';
  if (mark.kind == BarKind::memory_command) return '+';
  return static_cast<char>('A' + std::min(mark.colour, 25));
}

std::string line_of(const Row& row, const TimeAxis& axis) {
  std::string line(kColumns, '.');
  for (const Mark& m : marks_of(row, axis, kColumns)) {
    const int first = std::min(static_cast<int>(m.x0 + 0.5), kColumns - 1);
    const int last = std::max(first + 1, std::min(static_cast<int>(m.x1 + 0.5), kColumns));
    const char c = letter(m);
    for (int i = first; i < last; ++i)
      line[i] = m.height < 0.5 ? static_cast<char>(std::tolower(c)) : c;
  }
  for (const TimeAxis::Segment& s : axis.segments()) {
    if (!s.folded) continue;
    const int at = std::min(static_cast<int>((s.x0 + s.x1) / 2 * kColumns), kColumns - 1);
    if (line[at] == '.') line[at] = '/';
  }
  return line;
}

}  // namespace

void write_text(const Trace& trace, const Analysis& a, std::ostream& out) {
  const TimeAxis axis(a);
  size_t label = 0;
  const auto width = [](const std::string& text) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  for (const Row& row : a.rows)
    label = std::max(label, width(row.label));
  std::string scale(kColumns, ' ');
  for (const TimeAxis::Tick& t : axis.ticks(0.16)) {
    const auto at = static_cast<size_t>(t.x * kColumns);
    std::string text = "|" + t.label;
    if (const size_t micro = text.find("µ"); micro != std::string::npos) text.replace(micro, 2, "u");
    if (at + text.size() < scale.size()) scale.replace(at, text.size(), text);
  }
  out << std::string(label + 2, ' ') << scale.substr(0, scale.find_last_not_of(' ') + 1) << "\n";
  for (const Row& row : a.rows)
    out << row.label << std::string(label - width(row.label) + 2, ' ') << line_of(row, axis) << "\n";
  out << "\n";
  for (size_t k = 0; k < a.kernels.size(); ++k) {
    if (k > 25) {
      out << "  Z  … and " << a.kernels.size() - k << " more kernels\n";
      break;
    }
    out << "  " << static_cast<char>('A' + k) << "  " << a.kernels[k] << ", "
        << time_text(a.kernel_seconds[k]) << "\n";
  }
  out << "  small letter: busy less than half of the time; + reads, writes, copies; = transfers; / nothing "
         "captured for a while\n\n";

  struct Happening {
    const Row* row;
    const Bar* bar;
  };
  std::vector<Happening> all;
  for (const Row& row : a.rows) {
    for (const Bar& b : row.bars)
      all.push_back({&row, &b});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return x.bar->start < y.bar->start; });
  for (size_t i = 0; i < std::min(all.size(), kListed); ++i) {
    const Bar& b = *all[i].bar;
    char time[32];
    std::snprintf(time, sizeof time, "%12.6f ms  ", b.start * 1e3);
    out << time << title_of(trace, a, *all[i].row, {0, 0, 1, b.colour, b.kind, 1, b.index}) << "\n";
  }
  if (all.size() > kListed)
    out << "… and " << all.size() - kListed << " more (--json has all; --window N shows one window)\n";
}

}  // namespace mkmd::inspect
