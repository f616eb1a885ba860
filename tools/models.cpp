// SPDX-License-Identifier: Apache-2.0
// `mkmd models`: what is known of kernels' times. First takes in what profiling runs have left in the spool,
// so that nothing a killed run measured is missing.
#include "common/files.hpp"
#include "common/json.hpp"
#include "common/text.hpp"
#include "profiler/learn.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace mkmd::tool {

namespace {

constexpr size_t kWorstShown = 3;  // of a model's tests

// A kind of device is its name, driver and number of compute units.
std::string device_name(const std::string& kind) {
  const size_t name = kind.find('|');
  const size_t units = kind.rfind('|');
  if (name == std::string::npos || units == name) return kind;
  return kind.substr(0, name) + ", " + kind.substr(units + 1) +
         (kind.substr(units + 1) == "1" ? " unit" : " units");
}

void print(const mkmd::models::Entry& e) {
  const mkmd::models::Model& m = e.model;
  std::printf("%s  on %s  (program %.8s%s)\n", printable(e.key.kernel).c_str(),
              printable(device_name(e.key.device)).c_str(), printable(e.key.content).c_str(),
              m.imported ? ", imported" : "");
  std::printf("    samples %d   R2 %.4f   held-out MAPE %.1f %%   nine of ten within %+.0f…%+.0f %%\n",
              m.samples, m.r2, 100 * m.held_out_mape, 100 * (m.error_lo - 1), 100 * (m.error_hi - 1));
  std::printf("    range   items %.4g…%.4g   operations %.4g…%.4g   bytes touched %.4g…%.4g\n",
              m.range.items.lo, m.range.items.hi, m.range.operations.lo, m.range.operations.hi,
              m.range.footprint.lo, m.range.footprint.hi);
  if (m.together) std::printf("    while all devices work: %.2f times as long\n", *m.together);
  const std::string formula = m.formula();
  for (size_t at = 0; at < formula.size();) {
    const size_t end = std::min(formula.find('\n', at), formula.size());
    std::printf("    seconds = %s\n", formula.substr(at, end - at).c_str());
    at = end + 1;
  }
}

struct Tested {
  const mkmd::models::Sample* sample;
  double predicted;
  double error() const { return std::abs(predicted - sample->seconds) / sample->seconds; }
};

void print(const mkmd::models::Entry& e, std::vector<Tested>& tested, int outside) {
  std::sort(tested.begin(), tested.end(), [](const auto& a, const auto& b) { return a.error() > b.error(); });
  double mean = 0;
  for (const Tested& t : tested)
    mean += t.error() / static_cast<double>(tested.size());
  const auto percent = [&](size_t at) { return tested.empty() ? 0 : 100 * tested[at].error(); };
  std::printf(
      "%s  on %s: %zu samples tested, mean error %.1f %%, median %.1f %%, largest %.1f %%; %d outside "
      "of the model's range\n",
      printable(e.key.kernel).c_str(), printable(device_name(e.key.device)).c_str(), tested.size(),
      100 * mean, percent(tested.size() / 2), percent(0), outside);
  for (size_t i = 0; i < std::min(kWorstShown, tested.size()); ++i) {
    const mkmd::models::Work& w = tested[i].sample->work;
    std::printf("    %4.0f %%  predicted %.4g ms, measured %.4g: %.0f work-items in %llux%llux%llu, %.0f "
                "operations each, %.3g MB\n",
                percent(i), 1e3 * tested[i].predicted, 1e3 * tested[i].sample->seconds, w.items,
                static_cast<unsigned long long>(w.local[0]), static_cast<unsigned long long>(w.local[1]),
                static_cast<unsigned long long>(w.local[2]), w.operations / w.items, w.footprint / 1e6);
  }
}

// What the models say of samples they were not made from: those of another data directory, for instance of
// runs on other inputs. Only samples taken alone count, as in fitting.
Status test(const std::string& folder, const std::vector<mkmd::models::Entry>& entries) {
  if (!std::filesystem::is_directory(folder))
    return Status::internal(folder +
                            ": no such folder; --test takes one that has samples.db or spool/ in it");
  // Opening would make a store where there is none.
  std::error_code unknown;
  if (!std::filesystem::exists(folder + "/samples.db", unknown) &&
      !std::filesystem::is_directory(folder + "/spool", unknown)) {
    return Status::internal(folder + ": no samples there; --test takes a folder that has samples.db or "
                                     "spool/ in it");
  }
  std::string notice;
  auto store = profiler::Store::open(folder + "/samples.db", Whose::named, notice);
  if (!notice.empty()) print_notices({notice});
  if (!store) return store.status();
  if (const auto taken = (*store)->import_spool(folder + "/spool"); !taken) return taken.status();
  for (const mkmd::models::Entry& e : entries) {
    const auto samples = (*store)->samples(e.key);
    if (!samples) return samples.status();
    std::vector<Tested> tested;
    int outside = 0;
    for (const mkmd::models::Sample& s : *samples) {
      if (!s.alone || s.seconds <= 0) continue;
      const auto predicted = e.model.predict(s.work);
      if (predicted) {
        tested.push_back({&s, predicted->seconds});
      } else {
        ++outside;
      }
    }
    if (!tested.empty() || outside != 0) print(e, tested, outside);
  }
  return {};
}

int fail(const Status& status) {
  say(status.message());
  return 1;
}

}  // namespace

int models(const std::vector<std::string>& arguments) {
  const Result<ModelsOptions> options = parse_models(arguments);
  if (!options) return wrong_use("models: " + options.status().message());
  if (!options->help.empty()) return help({"models"});
  const auto& [export_file, import_file, json_file, test_folder, none] = *options;
  const profiler::Places places;
  std::vector<std::string> notices;
  const auto learned = profiler::learn(places, notices);
  print_notices(notices);
  if (!learned) return fail(learned.status());
  if (!import_file.empty()) {
    const auto taken = profiler::import_models(import_file, places.models);
    if (!taken) return fail(taken.status());
    std::printf("%s imported", counted(static_cast<uint64_t>(taken->models), "model").c_str());
    if (taken->measured_here > 0) {
      std::printf(", %d of them in place of what was measured here; `mkmd profile` measures that again",
                  taken->measured_here);
    }
    std::printf("\n");
  }
  auto entries = mkmd::models::read_models(places.models, Whose::ours);
  if (!entries) return fail(entries.status());
  if (!export_file.empty()) {
    if (entries->empty())
      return fail(Status::internal("there are no models to export; `mkmd profile program` makes some"));
    if (const Status s = mkmd::models::write_models(export_file, Whose::named, *entries); !s) return fail(s);
  }
  if (!json_file.empty()) {
    std::string notice;
    auto store = profiler::Store::open(places.store, Whose::ours, notice);
    if (!store) return fail(store.status());
    const auto listed = profiler::predictions(**store, *entries);
    if (!listed) return fail(listed.status());
    const std::string text = listed->dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (const Status s = replace_file(json_file, text); !s) return fail(s);
  }
  if (!test_folder.empty()) {
    if (const Status s = test(test_folder, *entries); !s) return fail(s);
    return 0;
  }
  if (!export_file.empty() || !import_file.empty() || !json_file.empty()) return 0;
  if (entries->empty()) std::printf("nothing is known yet; `mkmd profile program` measures its kernels\n");
  for (const mkmd::models::Entry& e : *entries)
    print(e);
  return 0;
}

}  // namespace mkmd::tool
