// SPDX-License-Identifier: Apache-2.0
#include "profiler/learn.hpp"

#include "common/text.hpp"
#include "models/fit.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace mkmd::profiler {

namespace {

constexpr double kSize = 620, kLeft = 80, kTop = 40, kLegendRow = 20;
constexpr size_t kMostPoints = 300;  // per model; more are one blot
// Okabe and Ito: told apart with impaired colour vision, and of different greys.
constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                    "#cc79a7", "#56b4e9", "#000000", "#8a7c00"};
constexpr int kMarks = 4;

struct Dot {
  double measured, predicted;
};

template <typename... Args>
std::string format(const char* form, Args... args) {
  char text[512];
  std::snprintf(text, sizeof text, form, args...);
  return text;
}

std::string mark(int kind, double x, double y, const char* colour) {
  switch (kind % kMarks) {
  case 0:
    return format("<circle cx='%.1f' cy='%.1f' r='3' fill='%s' fill-opacity='.7'/>\n", x, y, colour);
  case 1:
    return format("<rect x='%.1f' y='%.1f' width='6' height='6' fill='none' stroke='%s'/>\n", x - 3, y - 3,
                  colour);
  case 2:
    return format("<path d='M%.1f %.1fl4 7h-8z' fill='%s' fill-opacity='.7'/>\n", x, y - 4, colour);
  default:
    return format("<path d='M%.1f %.1fl6 6m0-6l-6 6' stroke='%s' fill='none'/>\n", x - 3, y - 3, colour);
  }
}

std::string time_label(int exponent) {
  constexpr const char* kUnits[] = {"ns", "µs", "ms", "s"};
  const int unit = std::clamp((exponent + 9) / 3, 0, 3);
  return format("%g %s", std::pow(10.0, exponent + 9 - 3 * unit), kUnits[unit]);
}

}  // namespace

Status plot(const std::string& svg_file, Store& store, const std::vector<models::Entry>& entries) {
  std::vector<std::vector<Dot>> dots;
  double lowest = 1e300;
  double highest = 0;
  for (const models::Entry& e : entries) {
    const auto samples = store.samples(e.key);
    if (!samples) return samples.status();
    auto& list = dots.emplace_back();
    const auto used = models::usable(*samples);
    for (size_t i = 0; i < used.size(); i += used.size() / kMostPoints + 1) {
      const double predicted = e.model.evaluate(used[i].work);
      if (!(predicted > 0) || !std::isfinite(predicted)) continue;
      list.push_back({used[i].seconds, predicted});
      lowest = std::min({lowest, predicted, used[i].seconds});
      highest = std::max({highest, predicted, used[i].seconds});
    }
  }
  if (highest <= 0) return Status::internal("there are no samples to plot; `mkmd profile` takes some");
  const int from = static_cast<int>(std::floor(std::log10(lowest)));
  const int to = std::max(from + 1, static_cast<int>(std::ceil(std::log10(highest))));
  const auto at = [&](double seconds) { return (std::log10(seconds) - from) / (to - from) * kSize; };
  const double height = kTop + kSize + 70 + kLegendRow * static_cast<double>(entries.size());
  std::string svg = format("<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' "
                           "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' "
                           "fill='white'/>\n",
                           kLeft + kSize + 30, height);
  for (int e = from; e <= to; ++e) {
    const double p = at(std::pow(10.0, e));
    svg += format("<path d='M%.1f %.1fv%.1f M%.1f %.1fh%.1f' stroke='#ddd' fill='none'/>\n", kLeft + p, kTop,
                  kSize, kLeft, kTop + kSize - p, kSize);
    svg += format("<text x='%.1f' y='%.1f' text-anchor='middle'>%s</text>\n", kLeft + p, kTop + kSize + 18,
                  time_label(e).c_str());
    svg += format("<text x='%.1f' y='%.1f' text-anchor='end'>%s</text>\n", kLeft - 8, kTop + kSize - p + 4,
                  time_label(e).c_str());
  }
  svg += format("<path d='M%.1f %.1fL%.1f %.1f' stroke='#888' stroke-dasharray='5 4'/>\n", kLeft,
                kTop + kSize, kLeft + kSize, kTop);
  svg += format("<text x='%.1f' y='%.1f' text-anchor='middle'>measured</text>\n", kLeft + kSize / 2,
                kTop + kSize + 40);
  svg += format("<text x='%.1f' y='%.1f'>predicted</text>\n", kLeft - 60, kTop - 16);
  for (size_t i = 0; i < entries.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    const int kind = static_cast<int>(i / std::size(kColours) + i);
    for (const Dot& d : dots[i])
      svg += mark(kind, kLeft + at(d.measured), kTop + kSize - at(d.predicted), colour);
    const double y = kTop + kSize + 64 + kLegendRow * static_cast<double>(i);
    svg += mark(kind, kLeft + 6, y - 4, colour);
    const auto& e = entries[i];
    svg += "<text x='" + format("%.1f", kLeft + 20) + "' y='" + format("%.1f", y) + "'>" +
           escaped(e.key.kernel + " on " + e.key.device.substr(0, e.key.device.find('|'))) +
           format(", held-out error %.1f %%</text>\n", 100 * e.model.held_out_mape);
  }
  svg += "</svg>\n";
  std::ofstream out(svg_file);
  out << svg;
  if (!out.flush()) return Status::internal("cannot write " + svg_file + ": " + std::strerror(errno));
  return {};
}

}  // namespace mkmd::profiler
