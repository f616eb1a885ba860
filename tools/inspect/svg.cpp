// SPDX-License-Identifier: Apache-2.0
// The Gantt chart as one SVG image: a row per device, then one per link. Bars narrower than a pixel are added
// up: the height says how much of the time is busy.
#include "common/text.hpp"
#include "tools/inspect/formats.hpp"
#include "tools/inspect/picture.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::inspect {

namespace {

constexpr int kWidth = 1200, kLeft = 190, kRight = 20, kTop = 64;
constexpr int kChart = kWidth - kLeft - kRight;
constexpr double kLetter = 6.6;  // of 11 px text, generously

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", x);
  return text;
}

size_t letters(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Cut to what fits, with an ellipsis.
std::string fitted(const std::string& text, double pixels) {
  const auto fits = static_cast<size_t>(std::max(0.0, pixels / kLetter));
  if (letters(text) <= fits) return text;
  if (fits < 4) return "";
  std::string result;
  size_t used = 0;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80 && ++used >= fits) break;
    result += c;
  }
  return result + "…";
}

std::string fill_of(const Mark& mark) {
  if (mark.kind == BarKind::transfer) return kTransferFill;
  if (mark.kind == BarKind::memory_command) return "url(#copy)";
  return colour_of(mark.colour).fill;
}

void draw_row(const Trace& trace, const Analysis& a, const Row& row, const TimeAxis& axis, double y,
              double height, std::ostream& out) {
  out << "<text x=\"" << kLeft - 10 << "\" y=\"" << y + height / 2 + 4 << "\" text-anchor=\"end\"><title>"
      << escaped(row.label) << "</title>" << escaped(fitted(row.label, kLeft - 16)) << "</text>\n";
  out << "<rect x=\"" << kLeft << "\" y=\"" << y << "\" width=\"" << kChart << "\" height=\"" << height
      << "\" class=\"row\"/>\n";
  for (const Mark& m : marks_of(row, axis, kChart)) {
    const double w = m.x1 - m.x0;
    const double h = height * m.height;
    out << "<rect x=\"" << number(kLeft + m.x0) << "\" y=\"" << number(y + height - h) << "\" width=\""
        << number(w) << "\" height=\"" << number(h) << "\" fill=\"" << fill_of(m) << "\""
        << (w >= 3 ? " stroke=\"#333\" stroke-width=\"0.5\"" : "") << "><title>"
        << escaped(title_of(trace, a, row, m)) << "</title></rect>\n";
    if (m.count != 1 || m.kind == BarKind::memory_command) continue;
    const std::string name =
        m.kind == BarKind::transfer ? bytes_text(trace.transfers[m.index].bytes) : a.kernels[m.colour];
    const std::string label = fitted(name, w - 8);
    if (label.empty()) continue;
    const bool dark = m.kind == BarKind::piece && colour_of(m.colour).dark;
    out << "<text x=\"" << number(kLeft + m.x0 + w / 2) << "\" y=\"" << y + height / 2 + 4
        << "\" text-anchor=\"middle\" class=\"bar\"" << (dark ? " fill=\"#fff\"" : "") << ">"
        << escaped(label) << "</text>\n";
  }
}

double height_of(const Row& row) {
  return row.is_link ? 22 : 40;
}

struct Layout {
  std::vector<double> top;  // of each row
  double end = kTop;        // of the last one
};

Layout layout_of(const std::vector<Row>& rows) {
  Layout layout;
  bool links = false;
  for (const Row& row : rows) {
    if (row.is_link && !links) layout.end += 10;
    links |= row.is_link;
    layout.top.push_back(layout.end);
    layout.end += height_of(row) + 6;
  }
  return layout;
}

struct Entry {  // of the legend
  std::string fill, text;
};

std::vector<Entry> legend_of(const Trace& trace, const Analysis& a) {
  std::vector<Entry> legend;
  for (size_t k = 0; k < std::min<size_t>(a.kernels.size(), kColours); ++k)
    legend.push_back(
        {colour_of(static_cast<int>(k)).fill, a.kernels[k] + ", " + time_text(a.kernel_seconds[k])});
  if (a.kernels.size() > kColours)
    legend.push_back({"url(#other)", a.kernels.size() == kColours + 1
                                         ? a.kernels.back() + ", " + time_text(a.kernel_seconds.back())
                                         : std::to_string(a.kernels.size() - kColours) + " other kernels"});
  if (!trace.memory_commands.empty()) legend.push_back({"url(#copy)", "reads, writes, copies, fills"});
  if (std::any_of(a.rows.begin(), a.rows.end(), [](const Row& row) { return row.is_link; }))
    legend.push_back({kTransferFill, "transfers, " + bytes_text(a.bytes_moved)});
  return legend;
}

constexpr int kPerLine = 4;  // entries of the legend

double height_of(const std::vector<Entry>& legend) {
  return 24 + 22.0 * std::ceil(static_cast<double>(legend.size()) / kPerLine) + 10;
}

void begin(double height, std::ostream& out) {
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << " " << height
      << "\" width=\"" << kWidth << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
      << "<style>.row{fill:#fff;stroke:#ccc;stroke-width:1}.bar{pointer-events:none}</style>\n"
      << "<defs><pattern id=\"other\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
         "width=\"6\" "
         "height=\"6\" fill=\"#fff\"/><circle cx=\"3\" cy=\"3\" r=\"1.4\" fill=\"#333\"/></pattern>"
      << "<pattern id=\"copy\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
         "height=\"6\" fill=\"#fff\"/><path d=\"M0,6 L6,0\" stroke=\"#333\" stroke-width=\"1.2\"/></pattern>"
      << "<pattern id=\"fold\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><path d=\"M0,0 "
         "L4,4\" "
         "stroke=\"#bbb\" stroke-width=\"0.8\"/></pattern></defs>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
}

void draw_title(const Trace& trace, const Analysis& a, std::ostream& out) {
  const std::string title = "measured " + time_text(a.measured) + ", predicted " + time_text(a.predicted) +
                            ", idle " + percent_text(a.idle_share) + ", moved " + bytes_text(a.bytes_moved) +
                            ", " + std::to_string(trace.windows.size()) + " windows, " +
                            std::to_string(trace.pieces.size()) + " pieces";
  out << "<text x=\"20\" y=\"22\" font-size=\"13\">" << escaped(title) << "</text>\n";
}

void draw_axis(const TimeAxis& axis, double chart_end, std::ostream& out) {
  for (const TimeAxis::Segment& s : axis.segments()) {
    if (!s.folded) continue;
    out << "<rect x=\"" << number(kLeft + s.x0 * kChart) << "\" y=\"" << kTop - 6 << "\" width=\""
        << number((s.x1 - s.x0) * kChart) << "\" height=\"" << chart_end - kTop + 6
        << "\" fill=\"url(#fold)\"><title>nothing captured for " << time_text(s.to - s.from)
        << "</title></rect>\n";
  }
  for (const TimeAxis::Tick& t : axis.ticks(84.0 / kChart)) {
    const double x = kLeft + t.x * kChart;
    out << "<line x1=\"" << number(x) << "\" x2=\"" << number(x) << "\" y1=\"" << kTop - 8 << "\" y2=\""
        << kTop - 2 << "\" stroke=\"#333\"/>";
    if (x < kWidth - 55)
      out << "<text x=\"" << number(x) << "\" y=\"" << kTop - 12 << "\">" << t.label << "</text>";
    out << "\n";
  }
}

void draw_legend(const std::vector<Entry>& legend, double chart_end, std::ostream& out) {
  constexpr double kColumn = (kWidth - 40.0) / kPerLine;
  for (size_t i = 0; i < legend.size(); ++i) {
    const double x = 20 + kColumn * static_cast<double>(i % kPerLine);
    const double line = chart_end + 24 + 22.0 * static_cast<double>(i / kPerLine);
    out << "<rect x=\"" << x << "\" y=\"" << line - 10 << "\" width=\"18\" height=\"13\" fill=\""
        << legend[i].fill << "\" stroke=\"#333\" stroke-width=\"0.5\"/><text x=\"" << x + 25 << "\" y=\""
        << line + 1 << "\">" << escaped(fitted(legend[i].text, kColumn - 35)) << "</text>\n";
  }
}

}  // namespace

void write_svg(const Trace& trace, const Analysis& a, std::ostream& out) {
  const TimeAxis axis(a);
  const Layout layout = layout_of(a.rows);
  const std::vector<Entry> legend = legend_of(trace, a);
  begin(layout.end + height_of(legend), out);
  draw_title(trace, a, out);
  for (size_t i = 0; i < a.rows.size(); ++i)
    draw_row(trace, a, a.rows[i], axis, layout.top[i], height_of(a.rows[i]), out);
  draw_axis(axis, layout.end, out);
  draw_legend(legend, layout.end, out);
  out << "</svg>\n";
}

}  // namespace mkmd::inspect
