// SPDX-License-Identifier: Apache-2.0
// From samples to the models file. Takes in the spool, and fits the kernels that have new samples. All other
// models stay as they are: imported ones, and those of other machines.
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
  std::vector<models::Entry> entries;  // all models there are now
};

// `notices`: what a user should know, also if it fails in the end.
Result<Learned> learn(const Places& places, std::vector<std::string>& notices);

// The models there are. A file that is none is moved aside, never deleted; `notices` says where to. The
// samples measured here are in the store, and are fitted again. A file of another version is refused and
// left as it is.
Result<std::vector<models::Entry>> read_own_models(const std::string& file,
                                                   std::vector<std::string>& notices);

struct Taken {
  int models = 0;
  int measured_here = 0;  // of them replace one that was
};

// Takes over the models of a file, in place of those for the same kernel and device. They hold until the
// kernel is profiled here.
Result<Taken> import_models(const std::string& file, const std::string& models_file);

// Each model with its samples: the measured seconds, and those that the model predicts.
Result<nlohmann::json> predictions(Store& store, const std::vector<models::Entry>& entries);

}  // namespace mkmd::profiler
