// SPDX-License-Identifier: Apache-2.0
#include "profiler/learn.hpp"

#include "models/fit.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace mkmd::profiler {

using nlohmann::json;

Result<json> predictions(Store& store, const std::vector<models::Entry>& entries) {
  json list = json::array();
  for (const models::Entry& e : entries) {
    const auto samples = store.samples(e.key);
    if (!samples) return samples.status();
    json points = json::array();
    for (const models::Sample& s : models::usable(*samples)) {
      const double predicted = e.model.evaluate(s.work);
      if (predicted > 0 && std::isfinite(predicted))
        points.push_back({{"measured", s.seconds}, {"predicted", predicted}});
    }
    list.push_back({{"kernel", e.key.kernel},
                    {"device", e.key.device},
                    {"program", e.key.content},
                    {"held_out_mape", e.model.held_out_mape},
                    {"samples", std::move(points)}});
  }
  return list;
}

}  // namespace mkmd::profiler
