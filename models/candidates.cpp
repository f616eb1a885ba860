// SPDX-License-Identifier: Apache-2.0
// Every form minimises the relative error, robustly. Rows are weighted by 1/seconds, and by Tukey's
// biweight of the last round's relative residual. So a preempted run does not bend the formula.
#include "models/candidates.hpp"

#include "models/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace mkmd::models {

namespace {

using Rows = std::vector<std::vector<double>>;
using Terms = std::vector<size_t>;  // indices of terms_of
constexpr int kRounds = 12;
constexpr size_t kPointsKept = 256;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Rough times to begin with: each row's size times the median rate. An input measured far too short must not
// count by its own time, or it would outweigh all others.
std::vector<double> rough_times(const Rows& rows, const std::vector<double>& y) {
  std::vector<double> mean(rows.front().size(), 0.0);
  for (const auto& row : rows) {
    for (size_t j = 0; j < row.size(); ++j)
      mean[j] += row[j] / static_cast<double>(rows.size());
  }
  std::vector<double> sizes;
  std::vector<double> rates;
  for (size_t i = 0; i < rows.size(); ++i) {
    double size = 0;
    for (size_t j = 0; j < mean.size(); ++j)
      size += mean[j] > 0 ? rows[i][j] / mean[j] : 0;
    sizes.push_back(std::max(size, 1e-12));
    rates.push_back(y[i] / sizes.back());
  }
  const double rate = median(rates);
  for (double& size : sizes)
    size *= rate;
  return sizes;
}

// The median relative error of the last round in `error`, if asked for.
std::vector<double> robust_fit(const Rows& rows, const std::vector<double>& y, double* error = nullptr) {
  std::vector<double> weights(rows.size());
  const std::vector<double> rough = rough_times(rows, y);
  for (size_t i = 0; i < rows.size(); ++i)
    weights[i] = 1 / std::max(y[i], rough[i] / 3);
  std::vector<double> x;
  for (int round = 0; round < kRounds; ++round) {
    x = non_negative_least_squares(rows, y, weights);
    std::vector<double> predicted(rows.size(), 0.0);
    std::vector<double> relative;
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = 0; j < x.size(); ++j)
        predicted[i] += rows[i][j] * x[j];
      relative.push_back(std::abs(predicted[i] - y[i]) / std::max(predicted[i], y[i]));
    }
    const double middle = median(relative);
    const double spread = std::max(1e-4, 1.4826 * middle);
    if (error != nullptr) *error = middle;
    for (size_t i = 0; i < rows.size(); ++i) {
      // The first rounds only soften (Huber): rejecting before the fit is near would reject the good ones.
      const double u = relative[i] / spread;
      double w = 1;
      if (round < kRounds / 2) {
        w = u <= 1.5 ? 1 : std::sqrt(1.5 / u);
      } else {
        w = u < 6 ? 1 - (u / 6) * (u / 6) : 0;
      }
      const bool far = relative[i] > 0.5;
      weights[i] = std::max(w, 1e-6) / (far ? std::max(predicted[i], y[i]) : y[i]);
    }
  }
  return x;
}

void select_terms(const Samples& samples, const Terms& chosen, Rows& rows, std::vector<double>& y) {
  for (const Sample& s : samples) {
    const auto all = terms_of(s.work);
    std::vector<double> row(kTerms, 0.0);
    for (const size_t t : chosen)
      row[t] = all[t];
    rows.push_back(std::move(row));
    y.push_back(s.seconds);
  }
}

std::map<std::array<uint64_t, 3>, Samples> by_local(const Samples& samples) {
  std::map<std::array<uint64_t, 3>, Samples> classes;
  for (const Sample& s : samples)
    classes[s.work.local].push_back(s);
  return classes;
}

Model linear(const Samples& samples, const Terms& terms) {
  Model model;
  if (samples.size() < 2) return model;
  Rows rows;
  std::vector<double> y;
  select_terms(samples, terms, rows, y);
  model.classes.push_back({{}, robust_fit(rows, y)});
  return model;
}

// One shape of formula, scaled by a factor of its own for each local size.
Model scaled(const Samples& samples, const Terms& terms) {
  const auto classes = by_local(samples);
  Model model;
  if (classes.size() < 2 || samples.size() < 2 * classes.size()) return model;
  std::map<std::array<uint64_t, 3>, double> factor;
  for (const auto& [local, of_class] : classes)
    factor[local] = 1;
  std::vector<double> x;
  for (int round = 0; round < 8; ++round) {
    Samples unscaled = samples;
    for (Sample& s : unscaled)
      s.seconds /= factor[s.work.local];
    Rows rows;
    std::vector<double> y;
    select_terms(unscaled, terms, rows, y);
    x = robust_fit(rows, y);
    Model pooled;
    pooled.classes.push_back({{}, x});
    for (const auto& [local, of_class] : classes) {
      std::vector<double> ratios;
      for (const Sample& s : of_class) {
        if (const double p = pooled.evaluate(s.work); p > 0) ratios.push_back(s.seconds / p);
      }
      if (!ratios.empty()) factor[local] = median(ratios);
    }
  }
  for (const auto& [local, f] : factor) {
    Model::Class c{local, x};
    for (double& coefficient : c.coefficients)
      coefficient *= f;
    model.classes.push_back(std::move(c));
  }
  return model;
}

// A formula of its own for each local size.
Model separate(const Samples& samples, const Terms& terms) {
  const auto classes = by_local(samples);
  Model model;
  if (classes.size() < 2) return model;
  for (const auto& [local, of_class] : classes) {
    if (of_class.size() < terms.size()) return {};
    Rows rows;
    std::vector<double> y;
    select_terms(of_class, terms, rows, y);
    model.classes.push_back({local, robust_fit(rows, y)});
  }
  return model;
}

// a · operations^b + c, of the EMSOFT and JSA papers: b by scanning, a and c by least squares.
Model power(const Samples& samples) {
  Model model;
  model.form = Model::Form::power;
  if (samples.size() < 4) return model;
  double best = 0;
  for (int step = 0; step <= 60; ++step) {
    const double b = 0.25 + step * 0.05;
    Rows rows;
    std::vector<double> y;
    for (const Sample& s : samples) {
      rows.push_back({std::pow(std::max(1.0, s.work.operations), b), 1.0});
      y.push_back(s.seconds);
    }
    double error = 0;
    const std::vector<double> x = robust_fit(rows, y, &error);
    if (model.classes.empty() || error < best) {
      best = error;
      model.classes = {{{}, {x[0], b, x[1]}}};
    }
  }
  return model;
}

Model local(const Samples& samples) {
  Model model;
  model.form = Model::Form::local;
  const size_t stride = samples.size() / kPointsKept + 1;
  for (size_t i = 0; i < samples.size(); i += stride)
    model.points.push_back({samples[i].work, samples[i].seconds});
  return model;
}

// 0 constant, 1 items, 2 operations, 3 bytes, 4 lines, 5 crowded, 6… beyond a cache, then conflicts and
// reach.
Terms eq3_terms() {
  return {0, 1, 2};
}
Terms byte_terms() {
  return {0, 1, 2, 3, 5};
}
Terms footprint_terms() {
  Terms all(kTerms);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

}  // namespace

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> list = {
      {"eq3", [](const Samples& s) { return linear(s, eq3_terms()); }},
      {"eq3, scaled by local size", [](const Samples& s) { return scaled(s, eq3_terms()); }},
      {"power", power},
      {"bytes, scaled by local size", [](const Samples& s) { return scaled(s, byte_terms()); }},
      {"eq3 by local size", [](const Samples& s) { return separate(s, eq3_terms()); }},
      {"footprint", [](const Samples& s) { return linear(s, footprint_terms()); }},
      {"footprint, scaled by local size", [](const Samples& s) { return scaled(s, footprint_terms()); }},
      {"footprint by local size", [](const Samples& s) { return separate(s, footprint_terms()); }},
      {"local median", local},
  };
  return list;
}

}  // namespace mkmd::models
