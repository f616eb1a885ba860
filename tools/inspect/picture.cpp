// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace mkmd::inspect {

TimeAxis::TimeAxis(const Analysis& analysis) {
  std::vector<std::pair<double, double>> busy;
  for (const Row& row : analysis.rows) {
    for (const Bar& b : row.bars)
      busy.emplace_back(b.start, b.end);
  }
  std::sort(busy.begin(), busy.end());
  std::vector<Segment> parts;
  double active = 0;
  for (const auto& [start, end] : busy) {
    if (parts.empty() || start > parts.back().to) {
      if (!parts.empty()) parts.push_back({parts.back().to, start, 0, 0, true});
      parts.push_back({start, end, 0, 0, false});
    } else {
      parts.back().to = std::max(parts.back().to, end);
    }
  }
  for (const Segment& s : parts)
    active += s.folded ? 0 : s.to - s.from;
  const double long_gap = std::max(0.04 * active, 1e-9);
  const auto folds = std::count_if(parts.begin(), parts.end(),
                                   [&](const Segment& s) { return s.folded && s.to - s.from > long_gap; });
  // All folded stretches together take at most a fifth of the picture.
  const double fold_width =
      std::min(long_gap / 2, folds > 0 ? 0.25 * active / static_cast<double>(folds) : 0);
  double x = 0;
  for (Segment s : parts) {
    const double seconds = s.to - s.from;
    s.folded = s.folded && seconds > long_gap;
    s.x0 = x;
    s.x1 = x += s.folded ? fold_width : seconds;
    if (!segments_.empty() && !s.folded && !segments_.back().folded) {
      segments_.back().to = s.to;
      segments_.back().x1 = s.x1;
    } else {
      segments_.push_back(s);
    }
  }
  if (segments_.empty()) segments_.push_back({0, 1e-6, 0, 1, false});
  for (Segment& s : segments_) {
    s.x0 /= std::max(x, 1e-12);
    s.x1 /= std::max(x, 1e-12);
  }
  if (x <= 0) segments_.back().x1 = 1;
}

double TimeAxis::position(double seconds) const {
  const auto s = std::upper_bound(segments_.begin(), segments_.end(), seconds,
                                  [](double t, const Segment& segment) { return t < segment.to; });
  const Segment& in = s == segments_.end() ? segments_.back() : *s;
  if (in.to <= in.from) return in.x0;
  return in.x0 + (in.x1 - in.x0) * std::clamp((seconds - in.from) / (in.to - in.from), 0.0, 1.0);
}

std::vector<TimeAxis::Tick> TimeAxis::ticks(double apart) const {
  // Seconds per width, where time is drawn to scale.
  double scale = 1;
  for (const Segment& s : segments_) {
    if (!s.folded && s.x1 > s.x0) scale = (s.to - s.from) / (s.x1 - s.x0);
  }
  const double least = scale * apart;
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0, 10.0}) {
    if (step * times >= least * 0.999) {
      step *= times;
      break;
    }
  }
  std::vector<Tick> result;
  for (const Segment& s : segments_) {
    if (s.folded) continue;
    for (double n = std::ceil(s.from / step - 1e-9); n * step <= s.to; ++n) {
      const double x = position(n * step);
      if (!result.empty() && x - result.back().x < 0.9 * apart) continue;
      const double t = n * step + 0.0;  // never -0
      const bool seconds = segments_.back().to >= 2;
      const double unit = seconds ? 1 : segments_.back().to >= 10e-3 ? 1e-3 : 1e-6;
      const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 9);
      char text[48];
      std::snprintf(text, sizeof text, "%.*f %s", decimals, t / unit,
                    seconds        ? "s"
                    : unit == 1e-3 ? "ms"
                                   : "µs");
      result.push_back({x, text});
    }
  }
  return result;
}

std::vector<Mark> marks_of(const Row& row, const TimeAxis& axis, int columns) {
  struct Column {
    std::map<std::pair<int, int>, double> covered;  // by kind and colour
    size_t count = 0;                               // of bars that begin here
    size_t index = 0;                               // of one of them, or of one that ends here
  };
  std::vector<Mark> marks;
  std::map<int, Column> narrow;
  for (const Bar& b : row.bars) {
    const double x0 = axis.position(b.start) * columns;
    const double x1 = axis.position(b.end) * columns;
    if (x1 - x0 >= 1) {
      marks.push_back({x0, x1, 1, b.colour, b.kind, 1, b.index});
      continue;
    }
    const int column = std::min(static_cast<int>(x0), columns - 1);
    const double here = std::min(x1, column + 1.0) - x0;
    Column& c = narrow[column];
    c.covered[{static_cast<int>(b.kind), b.colour}] += std::max(here, 1e-6);
    c.index = b.index;
    ++c.count;
    if (x1 <= column + 1.0 || column + 1 >= columns) continue;
    Column& next = narrow[column + 1];
    next.covered[{static_cast<int>(b.kind), b.colour}] += x1 - (column + 1.0);
    next.index = b.index;
  }
  const size_t wide = marks.size();
  for (const auto& [column, c] : narrow) {
    const auto most = std::max_element(c.covered.begin(), c.covered.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    double all = 0;
    for (const auto& [what, width] : c.covered)
      all += width;
    // In eighths, so that neighbours can be drawn as one; what is there is seen.
    const double height = std::clamp(std::round(all * 8) / 8, 0.125, 1.0);
    const auto kind = static_cast<BarKind>(most->first.first);
    const int colour = most->first.second;
    if (marks.size() > wide && marks.back().x1 == column && marks.back().kind == kind &&
        marks.back().colour == colour && marks.back().height == height) {
      marks.back().x1 = column + 1;
      marks.back().count += c.count;
    } else {
      marks.push_back({static_cast<double>(column), column + 1.0, height, colour, kind,
                       std::max<size_t>(c.count, 1), c.index});
    }
  }
  return marks;
}

Colour colour_of(int kernel) {
  // Lightness from 20 to 89 in even steps: apart in grey, and neighbours in the list far apart.
  static constexpr Colour kPalette[kColours + 1] = {
      {"#14305a", true}, {"#62aede", false}, {"#1f7068", true},  {"#e0c33f", false},
      {"#7d2446", true}, {"#f3dcc0", false}, {"#c9702f", false}, {"url(#other)", false}};
  return kPalette[std::clamp(kernel, 0, kColours)];
}

std::string title_of(const Trace& trace, const Analysis& a, const Row& row, const Mark& mark) {
  if (mark.count != 1) {
    std::string what = mark.kind == BarKind::piece      ? "pieces, mostly of " + a.kernels[mark.colour]
                       : mark.kind == BarKind::transfer ? "transfers"
                                                        : "reads, writes, copies";
    return row.label + ": " + std::to_string(mark.count) + " " + what;
  }
  if (mark.kind == BarKind::transfer) {
    const Transfer& t = trace.transfers[mark.index];
    return t.buffer + ", " + bytes_text(t.bytes) + ", " + row.label + ", " + time_text(t.end - t.start);
  }
  if (mark.kind == BarKind::memory_command) {
    const MemoryCommand& m = trace.memory_commands[mark.index];
    const Command& c = trace.commands[m.command];
    return c.name + ", " + bytes_text(c.bytes) + ", " + time_text(m.end - m.start);
  }
  const Piece& p = trace.pieces[mark.index];
  const Command& c = trace.commands[p.command];
  return c.name + " on " + trace.devices[p.device].name + ", " +
         percent_text(p.box.groups() / std::max(1.0, c.whole.groups())) + " of its work-groups, " +
         time_text(p.end - p.start) + " (predicted " + time_text(predicted_seconds(trace, p)) + ")";
}

}  // namespace mkmd::inspect
