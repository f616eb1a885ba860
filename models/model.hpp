// SPDX-License-Identifier: Apache-2.0
// Model: how long one kernel takes on one kind of device, as a formula fitted to measured samples. This
// file predicts and describes; fit.hpp makes models. Times are seconds of the kernel itself, without the
// cost of launching it. Eq. 3 of the MKMD paper is y = β1·T·f + β2·T + ε, with T work-items and f the trip
// count. It is the linear form with the terms `operations` and `items`.
#pragma once

#include "common/own_files.hpp"
#include "common/status.hpp"

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mkmd::models {

// What is known of a launch, or of a piece of one, before it runs.
struct Work {
  std::array<uint64_t, 3> local{1, 1, 1};  // the class: models never mix local sizes unless that fits better
  double items = 0;                        // work-items executed
  double operations = 0;                   // of all of them
  double bytes = 0;                        // loaded and stored by all of them
  double footprint = 0;                    // distinct bytes they touch
  double crowding = 1;                     // cache lines of one access of a work-group that share a set, see
                                           // LaunchFootprints::crowding()
  // See LaunchFootprints::one_group(). `lines`: bytes in the cache lines that work-groups touch, each for
  // itself. `group_reach`: bytes in the pages one of them touches. `group_crowding`: how many of its lines
  // share a set.
  double lines = 0, group_reach = 0, group_crowding = 1;

  bool operator==(const Work&) const = default;
};

struct Sample {
  Work work;
  uint64_t input = 0;  // equal for samples of the same launch shape and scalars: held out together
  double seconds = 0;
  bool alone = true;  // nothing else ran on any device
};

// Terms of the linear form, in this order everywhere. The `beyond` terms are bytes · max(0, 1 −
// cache/footprint): what no longer fits in a cache of so many bytes.
// `crowded` is bytes · (crowding − kWaysKept), for as many as kMostCrowded: lines that are gone before their
// neighbours have been used. `conflicts` is bytes, as far as group_crowding has come from kWaysSafe to
// kWaysLost: lines that are gone before their work-group comes back to them. The `reach` terms are like the
// `beyond` terms, of the pages a work-group touches and those whose addresses a processor keeps.
// `lines` is what work-groups would load if none found anything left by another.
inline constexpr double kWaysKept = 4, kMostCrowded = 16;
inline constexpr double kWaysSafe = 8, kWaysLost = 16;
inline constexpr std::array<double, 6> kCaches = {32e3, 256e3, 1e6, 4e6, 16e6, 64e6};
inline constexpr std::array<double, 3> kReaches = {128e3, 512e3, 4e6};
inline constexpr size_t kTerms = 7 + kCaches.size() + kReaches.size();
const std::array<std::string, kTerms>& term_names();
std::array<double, kTerms> terms_of(const Work& work);

struct Interval {
  double lo = 0, hi = 0;
  bool contains(double x) const { return x >= lo && x <= hi; }
  bool operator==(const Interval&) const = default;
};

// What was measured, as features: predictions hold inside only.
struct Range {
  Interval items, operations, bytes, footprint, operations_per_item;
  bool contains(const Work& work) const;
  bool operator==(const Range&) const = default;
};

struct Prediction {
  double seconds = 0;
  double lo = 0, hi = 0;  // nine of ten measurements were inside
};

struct Model {
  enum class Form {
    linear,  // Σ coefficient · term
    power,   // a · operations^b + c; coefficients are a, b, c
    local,   // the median rate of the nearest measured points, where no formula fits
  };
  struct Class {
    std::array<uint64_t, 3> local{};  // all zero: any local size
    std::vector<double> coefficients;
  };
  struct Point {
    Work work;
    double seconds = 0;
  };

  Form form = Form::linear;
  std::vector<Class> classes;  // linear and power
  std::vector<Point> points;   // local
  std::vector<std::array<uint64_t, 3>> locals_seen;
  Range range;
  double error_lo = 0.5, error_hi = 2;  // 5 % and 95 % quantiles of measured / predicted, held out
  int samples = 0;                      // used
  int stored = 0;                       // of the kernel and device in the store when it was fitted
  double r2 = 0;                        // of the samples used
  double held_out_mape = 0;  // mean |predicted − measured| / measured of held-out inputs; 0.05 = 5 %
  bool imported = false;     // from a file, not from this machine's store
  // Times as long as alone while every device works, at least 1: median of samples not alone.
  std::optional<double> together;

  // Nothing outside the range of validity, or if the formula gives no positive number.
  std::optional<Prediction> predict(const Work& work) const;
  // The formula's value wherever; not positive if there is none. For fitting and plotting.
  double evaluate(const Work& work) const;
  std::string formula() const;  // for people; one line per local-size class
};

const char* to_string(Model::Form form);

// Which kernel on which device.
struct Key {
  std::string kernel;   // its name
  std::string content;  // hash of the program it is in
  std::string device;   // devices of equal kind share models: name, driver, compute units
  auto operator<=>(const Key&) const = default;
};

struct Entry {
  Key key;
  Model model;
};

// The models file: `{"mkmd_models": 1, "models": […]}`. Reading checks every number; the message names the
// entry. Entries that cannot be used are an error as a whole: a half-read file would mislead.
nlohmann::json to_json(const std::vector<Entry>& entries);
nlohmann::json to_json(const Work& work);  // as points of models have it, and samples
// Of this version or an earlier one, which knew less.
Result<Work> work_from_json(const nlohmann::json& json);
Result<std::vector<Entry>> entries_from_json(const nlohmann::json& json);
// A missing file is an empty list. The message names the file. `damaged` becomes true if it is no models
// file of any version, or not ours where it should be.
Result<std::vector<Entry>> read_models(const std::string& file, Whose whose, bool* damaged = nullptr);
// Atomically: readers see the old file or the new one.
Status write_models(const std::string& file, Whose whose, const std::vector<Entry>& entries);
std::string default_models_file();  // in the data directory

}  // namespace mkmd::models
