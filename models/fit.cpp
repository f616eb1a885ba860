// SPDX-License-Identifier: Apache-2.0
#include "models/fit.hpp"

#include "models/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace mkmd::models {

namespace {

constexpr size_t kMost = 240;           // samples in one fit; more tell nothing new and cost time
constexpr size_t kFolds = 8;            // of the comparison of candidates
constexpr size_t kOuterFolds = 5;       // of the error that is reported
constexpr size_t kInputsToHoldOut = 5;  // fewer distinct inputs: single pieces of work are held out
constexpr double kErrorOfNothing = 10;  // where a formula gives no positive time

bool good(const Sample& s) {
  const auto sane = [](double x) { return std::isfinite(x) && x >= 0 && x < 1e24; };
  return std::isfinite(s.seconds) && s.seconds > 0 && s.seconds < 1e9 && sane(s.work.items) &&
         s.work.items > 0 && sane(s.work.operations) && sane(s.work.bytes) && sane(s.work.footprint);
}

// Folds hold whole inputs, or whole distinct pieces of work: a repeated measurement in both parts would make
// any model look good.
std::vector<size_t> folds_of(const Samples& samples, size_t count) {
  std::map<uint64_t, size_t> inputs;
  for (const Sample& s : samples)
    inputs.emplace(s.input, inputs.size());
  std::vector<size_t> folds;
  for (size_t i = 0; i < samples.size(); ++i) {
    const size_t group = inputs.size() >= kInputsToHoldOut ? inputs[samples[i].input] : i;
    folds.push_back((group * 7 + group / count) % count);
  }
  return folds;
}

double error_of(const Model& model, const Sample& s) {
  const double predicted = model.evaluate(s.work);
  if (!std::isfinite(predicted) || predicted <= 0) return kErrorOfNothing;
  return std::min(kErrorOfNothing, std::abs(predicted - s.seconds) / s.seconds);
}

void divide(const Samples& samples, const std::vector<size_t>& folds, size_t fold, Samples& train,
            Samples& test) {
  for (size_t i = 0; i < samples.size(); ++i)
    (folds[i] == fold ? test : train).push_back(samples[i]);
}

struct Score {
  double mean = kErrorOfNothing;
  double noise = 0;  // standard error of the mean
};

// Errors above this are not told apart: one outlier must not decide between candidates.
double capped(double error) {
  return std::min(error, 1.0);
}

Score score(const Candidate& candidate, const Samples& samples) {
  const size_t count = std::min(kFolds, samples.size());
  const auto folds = folds_of(samples, count);
  std::vector<double> errors;
  for (size_t fold = 0; fold < count; ++fold) {
    Samples train;
    Samples test;
    divide(samples, folds, fold, train, test);
    if (test.empty() || train.empty()) continue;
    const Model model = candidate.fit(train);
    for (const Sample& s : test)
      errors.push_back(capped(error_of(model, s)));
  }
  Score result;
  if (errors.empty()) return result;
  double sum = 0;
  double squares = 0;
  for (const double e : errors)
    sum += e;
  result.mean = sum / static_cast<double>(errors.size());
  for (const double e : errors)
    squares += (e - result.mean) * (e - result.mean);
  result.noise = std::sqrt(squares) / static_cast<double>(errors.size());
  return result;
}

Model choose(const Samples& samples) {
  const Candidate* best = nullptr;
  double best_mean = kErrorOfNothing;
  if (samples.size() >= 4) {
    for (const Candidate& candidate : candidates()) {
      const Model whole = candidate.fit(samples);
      if (whole.classes.empty() && whole.points.empty()) continue;
      const Score s = score(candidate, samples);
      if (best == nullptr || s.mean < best_mean - std::max(0.002, 0.5 * s.noise)) {
        best = &candidate;
        best_mean = s.mean;
      }
    }
  }
  if (best != nullptr) return best->fit(samples);
  return candidates().back().fit(samples);  // the local median holds with one sample
}

Range range_of(const Samples& samples) {
  Range range;
  bool first = true;
  for (const Sample& s : samples) {
    const auto widen = [&](Interval& interval, double x) {
      interval = first ? Interval{x, x} : Interval{std::min(interval.lo, x), std::max(interval.hi, x)};
    };
    widen(range.items, s.work.items);
    widen(range.operations, s.work.operations);
    widen(range.bytes, s.work.bytes);
    widen(range.footprint, s.work.footprint);
    widen(range.operations_per_item, s.work.operations / s.work.items);
    first = false;
  }
  return range;
}

double r_squared(const Model& model, const Samples& samples) {
  double mean = 0;
  for (const Sample& s : samples)
    mean += s.seconds / static_cast<double>(samples.size());
  double left = 0;
  double all = 0;
  for (const Sample& s : samples) {
    const double p = model.evaluate(s.work);
    left += (p - s.seconds) * (p - s.seconds);
    all += (mean - s.seconds) * (mean - s.seconds);
  }
  const double r2 = all > 0 ? 1 - left / all : 0;
  return std::isfinite(r2) ? std::max(-1.0, r2) : 0;
}

void measure_error(Model& model, const Samples& samples) {
  const size_t count = std::min(kOuterFolds, samples.size());
  const auto folds = folds_of(samples, count);
  std::vector<double> ratios;
  double errors = 0;
  size_t tested = 0;
  for (size_t fold = 0; fold < count && count > 1; ++fold) {
    Samples train;
    Samples test;
    divide(samples, folds, fold, train, test);
    if (test.empty() || train.empty()) continue;
    const Model partial = choose(train);
    for (const Sample& s : test) {
      ++tested;
      errors += error_of(partial, s);
      const double p = partial.evaluate(s.work);
      if (p > 0 && std::isfinite(p)) ratios.push_back(s.seconds / p);
    }
  }
  if (tested == 0 || ratios.size() < 4) {  // too little to say: a wide interval, and no claim of accuracy
    model.held_out_mape = 1;
    return;
  }
  model.held_out_mape = errors / static_cast<double>(tested);
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double q) {
    return ratios[static_cast<size_t>(q * static_cast<double>(ratios.size() - 1))];
  };
  model.error_lo = at(0.05);
  model.error_hi = at(0.95);
}

// Models are of what a device does alone. What devices lose to each other, through the memory they share,
// is one factor per kernel and device. It is never below 1: nothing gets faster by company.
std::optional<double> together_over_alone(const Model& model, const std::vector<Sample>& samples) {
  std::vector<double> ratios;
  for (const Sample& s : samples) {
    const double alone = model.evaluate(s.work);
    if (!s.alone && good(s) && alone > 0 && std::isfinite(alone) && model.range.contains(s.work))
      ratios.push_back(s.seconds / alone);
  }
  if (ratios.size() < 3) return std::nullopt;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  return std::max(1.0, ratios[ratios.size() / 2]);
}

}  // namespace

std::vector<Sample> usable(const std::vector<Sample>& samples) {
  const auto collect = [&](bool co_running_too) {
    using Identity = std::tuple<std::array<uint64_t, 3>, uint64_t, double, double, double, double, double>;
    std::map<Identity, std::vector<Sample>> same;
    for (const Sample& s : samples) {
      if (!good(s) || (!s.alone && !co_running_too)) continue;
      same[{s.work.local, s.input, s.work.items, s.work.operations, s.work.bytes, s.work.footprint,
            s.work.crowding}]
          .push_back(s);
    }
    std::vector<Sample> result;
    for (auto& [identity, list] : same) {
      std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
      result.push_back(list[list.size() / 2]);
    }
    return result;
  };
  std::vector<Sample> result = collect(false);
  if (result.size() < 3) {
    auto all = collect(true);
    if (all.size() > result.size()) result = std::move(all);
  }
  if (result.size() > kMost) {  // evenly over all of them
    std::vector<Sample> fewer;
    for (size_t i = 0; i < kMost; ++i)
      fewer.push_back(result[i * result.size() / kMost]);
    result = std::move(fewer);
  }
  return result;
}

std::optional<Model> fit(const std::vector<Sample>& given) {
  const Samples samples = usable(given);
  if (samples.empty()) return std::nullopt;
  Model model = choose(samples);
  model.samples = static_cast<int>(samples.size());
  model.stored = static_cast<int>(given.size());
  model.range = range_of(samples);
  for (const Sample& s : samples) {
    if (std::find(model.locals_seen.begin(), model.locals_seen.end(), s.work.local) ==
        model.locals_seen.end())
      model.locals_seen.push_back(s.work.local);
  }
  model.r2 = r_squared(model, samples);
  measure_error(model, samples);
  model.together = together_over_alone(model, given);
  return model;
}

}  // namespace mkmd::models
