// SPDX-License-Identifier: Apache-2.0
// From samples to the models file: takes in the spool, fits the kernels about which something new is known,
// and leaves every other model (imported ones, those of other machines) as it is.
#pragma once

#include "profiler/store.hpp"

namespace mkmd::profiler {

struct Places {
  std::string spool = default_spool_folder();
  std::string store = default_store_file();
  std::string models = models::default_models_file();
};

struct Learned {
  int samples = 0;                     // new in the store
  int damaged = 0;                     // lines of the spool that were no records
  int fitted = 0;                      // models
  std::string notice;                  // something a user should know, or empty
  std::vector<models::Entry> entries;  // all models there are now
};

Result<Learned> learn(const Places& places);

// Takes over the models of a file, in place of those for the same kernel and device. They hold until the
// kernel is profiled here.
Result<int> import_models(const std::string& file, const std::string& models_file);

// Predicted against measured, both axes logarithmic, one colour and mark per kernel and device.
Status plot(const std::string& svg_file, Store& store, const std::vector<models::Entry>& entries);

}  // namespace mkmd::profiler
