// SPDX-License-Identifier: Apache-2.0
#include "models/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace mkmd::models {

namespace {

constexpr double kBeyond = 1.5;  // a formula may be asked this factor outside of what was measured
constexpr size_t kNeighbours = 3;
// Where in terms_of() the terms begin that there are several of.
constexpr size_t kCacheTerms = 6;
constexpr size_t kConflictsTerm = kCacheTerms + kCaches.size();
constexpr size_t kReachTerms = kConflictsTerm + 1;

bool within(const Interval& interval, double x) {
  return x >= interval.lo / kBeyond && x <= interval.hi * kBeyond;
}

double per_item(const Work& work) {
  return work.items > 0 ? work.operations / work.items : 0;
}

const Model::Class* class_of(const Model& model, const std::array<uint64_t, 3>& local) {
  const Model::Class* any = nullptr;
  for (const Model::Class& c : model.classes) {
    if (c.local == local) return &c;
    if (c.local == std::array<uint64_t, 3>{}) any = &c;
  }
  return any;
}

double distance(const Work& a, const Work& b) {
  const auto apart = [](double x, double y) { return std::abs(std::log((x + 1) / (y + 1))); };
  const double local = a.local == b.local ? 0.0 : 3.0;
  return apart(a.items, b.items) + 2 * apart(per_item(a), per_item(b)) + apart(a.footprint, b.footprint) +
         local +
         2 * apart(std::clamp(a.crowding, kWaysKept, kMostCrowded),
                   std::clamp(b.crowding, kWaysKept, kMostCrowded));
}

double local_rate(const std::vector<Model::Point>& points, const Work& work) {
  std::vector<std::pair<double, double>> near;  // distance, seconds per operation
  for (const Model::Point& p : points) {
    near.emplace_back(distance(p.work, work), p.seconds / std::max(1.0, p.work.operations));
  }
  if (near.empty()) return 0;
  const size_t count = std::min(kNeighbours, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  near.resize(count);
  if (near.front().first == 0) return near.front().second;
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return near[count / 2].second;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::string local_name(const std::array<uint64_t, 3>& local) {
  if (local == std::array<uint64_t, 3>{}) return "any local size";
  return "local " + std::to_string(local[0]) + "x" + std::to_string(local[1]) + "x" +
         std::to_string(local[2]);
}

}  // namespace

const std::array<std::string, kTerms>& term_names() {
  static const auto* names = [] {
    auto* list =
        new std::array<std::string, kTerms>{"constant", "items", "operations", "bytes", "lines", "crowded"};
    for (size_t i = 0; i < kCaches.size(); ++i)
      (*list)[kCacheTerms + i] = "beyond_" + std::to_string(static_cast<int>(kCaches[i] / 1000)) + "k";
    (*list)[kConflictsTerm] = "conflicts";
    for (size_t i = 0; i < kReaches.size(); ++i)
      (*list)[kReachTerms + i] = "reach_" + std::to_string(static_cast<int>(kReaches[i] / 1000)) + "k";
    return list;
  }();
  return *names;
}

std::array<double, kTerms> terms_of(const Work& work) {
  std::array<double, kTerms> t{
      1.0,        work.items, work.operations,
      work.bytes, work.lines, work.bytes * std::max(0.0, std::min(work.crowding, kMostCrowded) - kWaysKept)};
  const auto beyond = [&](double size, double cache) {
    return size > cache ? work.bytes * (1 - cache / size) : 0.0;
  };
  for (size_t i = 0; i < kCaches.size(); ++i)
    t[kCacheTerms + i] = beyond(work.footprint, kCaches[i]);
  t[kConflictsTerm] =
      work.bytes * std::clamp((work.group_crowding - kWaysSafe) / (kWaysLost - kWaysSafe), 0.0, 1.0);
  for (size_t i = 0; i < kReaches.size(); ++i)
    t[kReachTerms + i] = beyond(work.group_reach, kReaches[i]);
  return t;
}

bool Range::contains(const Work& work) const {
  return within(items, work.items) && within(operations, work.operations) && within(bytes, work.bytes) &&
         within(footprint, work.footprint) && within(operations_per_item, per_item(work));
}

double Model::evaluate(const Work& work) const {
  if (form == Form::local) return local_rate(points, work) * std::max(1.0, work.operations);
  const Class* c = class_of(*this, work.local);
  if (c == nullptr) return 0;
  if (form == Form::power) {
    if (c->coefficients.size() != 3) return 0;
    return c->coefficients[0] * std::pow(std::max(1.0, work.operations), c->coefficients[1]) +
           c->coefficients[2];
  }
  const auto terms = terms_of(work);
  double sum = 0;
  for (size_t i = 0; i < std::min(kTerms, c->coefficients.size()); ++i)
    sum += c->coefficients[i] * terms[i];
  return sum;
}

std::optional<Prediction> Model::predict(const Work& work) const {
  if (!range.contains(work)) return std::nullopt;
  const bool seen = std::find(locals_seen.begin(), locals_seen.end(), work.local) != locals_seen.end();
  // A formula that held for several local sizes holds for another; what was measured at one only does not.
  const bool general = form != Form::local && classes.size() == 1 && locals_seen.size() > 1;
  if (!seen && !general) return std::nullopt;
  const double seconds = evaluate(work);
  if (!std::isfinite(seconds) || seconds <= 0) return std::nullopt;
  return Prediction{seconds, seconds * error_lo, seconds * error_hi};
}

std::string Model::formula() const {
  if (form == Form::local) return "median rate of the nearest " + std::to_string(points.size()) + " points";
  std::string text;
  for (const Class& c : classes) {
    if (!text.empty()) text += "\n";
    std::string sum;
    if (form == Form::power && c.coefficients.size() == 3) {
      sum = number(c.coefficients[0]) + "·operations^" + number(c.coefficients[1]) + " + " +
            number(c.coefficients[2]);
    }
    for (size_t i = 0; form == Form::linear && i < std::min(kTerms, c.coefficients.size()); ++i) {
      if (c.coefficients[i] == 0) continue;
      sum += (sum.empty() ? "" : " + ") + number(c.coefficients[i]) +
             (i == 0 ? std::string() : "·" + term_names()[i]);
    }
    text += (sum.empty() ? "0" : sum) + "  (" + local_name(c.local) + ")";
  }
  return text;
}

const char* to_string(Model::Form form) {
  switch (form) {
  case Model::Form::linear:
    return "linear";
  case Model::Form::power:
    return "power";
  case Model::Form::local:
    return "local";
  }
  return "linear";
}

}  // namespace mkmd::models
