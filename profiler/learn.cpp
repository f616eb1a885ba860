// SPDX-License-Identifier: Apache-2.0
#include "profiler/learn.hpp"

#include "models/fit.hpp"

#include <algorithm>
#include <filesystem>

namespace mkmd::profiler {

namespace {

models::Entry* find(std::vector<models::Entry>& entries, const models::Key& key) {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &*it;
}

}  // namespace

Result<std::vector<models::Entry>> read_own_models(const std::string& file,
                                                   std::vector<std::string>& notices) {
  bool damaged = false;
  auto entries = models::read_models(file, Whose::ours, &damaged);
  if (entries || !damaged) return entries;
  const auto aside = move_aside(file);
  if (!aside) return aside.status();
  notices.push_back(entries.status().message() + "; it is kept as " + *aside +
                    ", and what was measured here is fitted again");
  return std::vector<models::Entry>{};
}

Result<Learned> learn(const Places& places, std::vector<std::string>& notices) {
  Learned result;
  std::string notice;
  auto store = Store::open(places.store, Whose::ours, notice);
  if (!notice.empty()) notices.push_back(notice);
  if (!store) return store.status();
  const auto imported = (*store)->import_spool(places.spool);
  if (!imported) return imported.status();
  result.samples = imported->records;
  result.damaged = imported->damaged;
  notices.insert(notices.end(), imported->notices.begin(), imported->notices.end());
  auto entries = read_own_models(places.models, notices);
  if (!entries) return entries.status();
  auto counts = (*store)->counts();
  if (!counts) return counts.status();
  for (const auto& [key, count] : *counts) {
    models::Entry* known = find(*entries, key);
    if (known != nullptr && known->model.stored == count) continue;
    const auto samples = (*store)->samples(key);
    if (!samples) return samples.status();
    auto model = models::fit(*samples);
    if (!model) continue;
    ++result.fitted;
    if (known != nullptr) {
      known->model = std::move(*model);
    } else {
      entries->push_back({key, std::move(*model)});
    }
  }
  std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  if (result.fitted > 0) {
    if (const Status s = models::write_models(places.models, Whose::ours, *entries); !s) return s;
  }
  result.entries = std::move(*entries);
  return result;
}

Result<Taken> import_models(const std::string& file, const std::string& models_file) {
  auto given = models::read_models(file, Whose::named);
  if (!given) return given.status();
  std::error_code unknown;
  if (given->empty()) {
    return Status::internal(
        file + (std::filesystem::exists(file, unknown) ? ": no models in it" : ": no such file"));
  }
  auto entries = models::read_models(models_file, Whose::ours);
  if (!entries) return entries.status();
  Taken taken;
  for (models::Entry& e : *given) {
    ++taken.models;
    models::Entry* known = find(*entries, e.key);
    e.model.imported = true;
    e.model.stored = known != nullptr ? known->model.stored : 0;
    if (known != nullptr) {
      taken.measured_here += known->model.imported ? 0 : 1;
      *known = e;
    } else {
      entries->push_back(e);
    }
  }
  if (const Status s = models::write_models(models_file, Whose::ours, *entries); !s) return s;
  return taken;
}

}  // namespace mkmd::profiler
