// SPDX-License-Identifier: Apache-2.0
// What every picture of a trace shares. A time axis folds long stretches without captured work. Colours
// differ in grey. Bars are added up where they are too narrow to be seen one by one.
#pragma once

#include "tools/inspect/analysis.hpp"

#include <span>

namespace mkmd::inspect {

// From seconds to positions 0…1. Stretches without any bar that are long beside the rest are drawn short.
class TimeAxis {
public:
  struct Segment {
    double from = 0, to = 0;  // seconds
    double x0 = 0, x1 = 0;    // position
    bool folded = false;
  };
  explicit TimeAxis(const Analysis& analysis);
  double position(double seconds) const;
  std::span<const Segment> segments() const { return segments_; }

  struct Tick {
    double x;
    std::string label;
  };
  // Round times at least `apart` from each other, never inside a folded stretch.
  std::vector<Tick> ticks(double apart) const;

private:
  std::vector<Segment> segments_;
};

// A part of a row to draw: one bar, or the many that fall within one column.
struct Mark {
  double x0 = 0, x1 = 0;  // columns
  double height = 1;      // share of the time that is busy
  int colour = 0;         // as Bar::colour; of what takes most of the time
  BarKind kind = BarKind::piece;
  size_t count = 1;  // bars in it
  size_t index = 0;  // of the only bar
};

// The marks of a row drawn `columns` wide; bars narrower than a column are added up.
std::vector<Mark> marks_of(const Row& row, const TimeAxis& axis, int columns);

struct Colour {
  const char* fill;
  bool dark;  // text on it is white
};

// Kernels beyond the palette are drawn dotted, alike.
inline constexpr int kColours = 7;
Colour colour_of(int kernel);
inline constexpr const char* kTransferFill = "#8a8a8a";

// What a mark is, for people.
std::string title_of(const Trace& trace, const Analysis& analysis, const Row& row, const Mark& mark);

}  // namespace mkmd::inspect
