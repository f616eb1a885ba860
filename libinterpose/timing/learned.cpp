// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/learned.hpp"

#include "common/json.hpp"
#include "common/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mkmd::timing {

namespace {

using nlohmann::json;

json to_json(const std::vector<LearnedTime>& devices) {
  json all = json::array();
  for (const LearnedTime& one : devices)
    all.push_back({{"correction", one.correction}, {"samples", one.samples}});
  return all;
}

json to_json(const Outcomes::Kept& of) {
  return {{"ratios", of.ratios}, {"noted", of.noted},   {"lost_from", of.lost_from},
          {"wait", of.wait},     {"regret", of.regret}, {"last_loss", of.last_loss}};
}

// Those with the most samples.
std::vector<uint64_t> shapes_to_keep(const LearnedKernel& kernel) {
  std::vector<std::pair<int, uint64_t>> all;
  for (const auto& [shape, devices] : kernel.shapes) {
    int samples = 0;
    for (const LearnedTime& one : devices)
      samples = std::max(samples, one.samples);
    all.emplace_back(-samples, shape);
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), kShapesToKeep));
  std::vector<uint64_t> shapes;
  shapes.reserve(all.size());
  for (const auto& [samples, shape] : all)
    shapes.push_back(shape);
  return shapes;
}

json to_json(const OutcomesByLength::Kept& kept) {
  json j = json::object();
  for (const auto& [length, outcomes] : kept)
    j[std::to_string(length)] = to_json(outcomes);
  return j;
}

json to_json(const LearnedKernel& kernel) {
  json j = {{"devices", to_json(kernel.devices)},           {"shapes", json::object()},
            {"captured", to_json(kernel.history.captured)}, {"moved", to_json(kernel.history.moved)},
            {"split", to_json(kernel.history.split)},       {"gain", kernel.gain}};
  for (const uint64_t shape : shapes_to_keep(kernel))
    j["shapes"][std::to_string(shape)] = to_json(kernel.shapes.at(shape));
  return j;
}

// Reads what one text holds. After the first mistake everything else is read as nothing.
class Reader {
public:
  explicit Reader(size_t devices) : devices_(devices) {}

  LearnedSource read(const json& all, const std::string& of) {
    LearnedSource source;
    JsonReader top(all, "", status_);
    if (status_.ok() && (top.integer("format") != kLearnedFormat || top.text("of") != printable(of)))
      top.fail("of", "is of something else");
    source.runs = static_cast<int>(within(top, "runs", 0, 1e9));
    source.left = within(top, "left", -1e3, kLimits.free_exploring);
    source.saved = within(top, "saved", 0, 1e3);
    source.making = within(top, "making", 0, 1e3);
    for_each(top, "kernels", [&](const std::string& name, const json& j) {
      JsonReader kernel(j, "kernels", status_);
      source.kernels.emplace(name, read_kernel(kernel));
    });
    return source;
  }

  const Status& status() const { return status_; }

private:
  // What the object under `key` has, while nothing is wrong.
  template <typename Each>
  void for_each(JsonReader& of, const char* key, const Each& each) {
    if (!of.has(key)) return of.fail(key, "is missing");
    const JsonReader inside = of.inner(key);
    for (auto it = inside.json().begin(); status_.ok() && it != inside.json().end(); ++it)
      each(it.key(), it.value());
  }

  template <typename Number>
  Number number(const std::string& key, JsonReader& place) {
    Number value{};
    const char* const end = key.data() + key.size();
    if (const auto [stop, error] = std::from_chars(key.data(), end, value);
        error != std::errc() || stop != end)
      place.fail("", "is not named by a number");
    return value;
  }

  double within(JsonReader& of, const char* key, double least, double most) {
    const double value = of.number(key);
    if (status_.ok() && (value < least || value > most)) of.fail(key, "makes no sense");
    return value;
  }

  std::vector<LearnedTime> read_times(const json& list, JsonReader& of) {
    std::vector<LearnedTime> times;
    if (!list.is_array() || list.size() != devices_) of.fail("", "is of other devices");
    for (size_t d = 0; status_.ok() && d < devices_; ++d) {
      JsonReader one(list[d], "time", status_);
      times.push_back(
          {within(one, "correction", -100, 100), static_cast<int>(within(one, "samples", 0, 1e9))});
    }
    return times;
  }

  Outcomes::Kept read_outcomes(JsonReader& of) {
    Outcomes::Kept kept;
    const json& ratios = of.list("ratios");
    if (ratios.size() != kept.ratios.size()) of.fail("ratios", "are too few or too many");
    for (size_t i = 0; status_.ok() && i < kept.ratios.size(); ++i) {
      kept.ratios[i] = of.as_number(ratios[i], "ratios");
      if (kept.ratios[i] < 0) of.fail("ratios", "make no sense");
    }
    kept.noted = static_cast<size_t>(within(of, "noted", 0, 1e9));
    kept.lost_from = within(of, "lost_from", 1, 10);
    kept.wait = within(of, "wait", 0, 1e9);
    kept.regret = within(of, "regret", kLimits.least_regret, kLimits.regret);
    kept.last_loss = within(of, "last_loss", 0, 1e9);
    return kept;
  }

  OutcomesByLength::Kept read_outcomes(JsonReader& of, const char* key) {
    OutcomesByLength::Kept kept;
    for_each(of, key, [&](const std::string& length, const json& j) {
      JsonReader outcomes(j, key, status_);
      kept.emplace(number<int>(length, outcomes), read_outcomes(outcomes));
    });
    return kept;
  }

  LearnedKernel read_kernel(JsonReader& of) {
    LearnedKernel kernel;
    kernel.devices = read_times(of.list("devices"), of);
    kernel.gain = within(of, "gain", 0, 1e9);
    kernel.history = {read_outcomes(of, "captured"), read_outcomes(of, "moved"), read_outcomes(of, "split")};
    for_each(of, "shapes", [&](const std::string& shape, const json& times) {
      kernel.shapes.emplace(number<uint64_t>(shape, of), read_times(times, of));
    });
    return kernel;
  }

  const size_t devices_;
  Status status_;
};

}  // namespace

void LearnedTime::note(double measured) {
  if (samples > 0) {
    const double limit = std::log(2.0);
    measured = std::clamp(measured, correction - limit, correction + limit);
  }
  ++samples;
  const double weight = std::max(1.0 / samples, 0.25);
  correction += weight * (measured - correction);
}

double gain_of(const LearnedSource& source) {
  double gain = 0;
  for (const auto& [name, kernel] : source.kernels)
    gain += kernel.gain;
  return gain;
}

std::string to_text(const LearnedSource& source, const std::string& of) {
  json all = {{"format", kLearnedFormat}, {"of", printable(of)},   {"runs", source.runs},
              {"left", source.left},      {"saved", source.saved}, {"making", source.making},
              {"kernels", json::object()}};
  for (const auto& [name, kernel] : source.kernels) {
    if (all["kernels"].size() >= kKernelsToKeep) break;
    all["kernels"][name] = to_json(kernel);
  }
  return all.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

Result<LearnedSource> learned_from(std::string_view text, const std::string& of, size_t devices) {
  Result<json> parsed = parse_json(text);
  if (!parsed) return parsed.status();
  Reader reader(devices);
  LearnedSource source = reader.read(*parsed, of);
  if (!reader.status()) return reader.status();
  return source;
}

void forget_rivals(LearnedSource& source, const std::vector<int>& teams) {
  const auto forget = [&](std::vector<LearnedTime>& devices) {
    for (size_t d = 0; d < std::min(devices.size(), teams.size()); ++d) {
      if (teams[d] > 0 && teams[d] != teams.front()) devices[d] = {};
    }
  };
  for (auto& [name, kernel] : source.kernels) {
    forget(kernel.devices);
    for (auto& [shape, devices] : kernel.shapes)
      forget(devices);
  }
}

}  // namespace mkmd::timing
