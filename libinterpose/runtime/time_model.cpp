// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/time_model.hpp"

#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/emulation/rates.hpp"
#include "libinterpose/process.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd {

namespace {

constexpr size_t kShapesKept =
    256;  // per kernel: a program that changes a scalar on every launch must not grow us

// Averages at first, then follows slowly; one outlier (a preempted core) moves it by at most a factor of two.
void update(KernelModel::Learned& learned, double correction) {
  if (learned.samples > 0) {
    const double limit = std::log(2.0);
    correction = std::clamp(correction, learned.correction - limit, learned.correction + limit);
  }
  ++learned.samples;
  const double weight = std::max(1.0 / learned.samples, 0.25);
  learned.correction += weight * (correction - learned.correction);
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash;
}

}  // namespace

LaunchCost cost_of(const compiler::KernelInfo& info, const compiler::Launch& launch) {
  LaunchCost cost;
  const compiler::LaunchFootprints footprints(info, launch);
  cost.operations = std::max(1.0, footprints.operations());
  cost.bytes = std::max(0.0, footprints.bytes_moved());
  cost.shape = launch.work_dim;
  for (int d = 0; d < 3; ++d) {
    cost.shape = mix(cost.shape, launch.global[d]);
    cost.shape = mix(cost.shape, launch.local[d]);
  }
  for (const int64_t scalar : launch.scalars)
    cost.shape = mix(cost.shape, static_cast<uint64_t>(scalar));
  return cost;
}

TimeModel::TimeModel(std::vector<DeviceRates> rates) : rates_(std::move(rates)) {}

KernelModel& TimeModel::of_kernel(const std::string& content_key) {
  std::lock_guard lock(mutex_);
  KernelModel& model = kernels_[content_key];
  model.devices.resize(rates_.size());
  return model;
}

double TimeModel::estimate(const LaunchCost& cost, int device) const {
  const DeviceRates& r = rates_[device];
  return std::max(cost.operations / r.operations_per_second, cost.bytes / r.bytes_per_second);
}

double TimeModel::correction(const KernelModel& model, uint64_t shape, int device) const {
  if (const auto it = model.by_shape.find(shape); it != model.by_shape.end()) {
    if (it->second[device].samples > 0) return it->second[device].correction;
    for (size_t d = 0; d < rates_.size(); ++d) {  // a device just like this one has run it
      if (it->second[d].samples > 0 && rates_[d].kind == rates_[device].kind) return it->second[d].correction;
    }
  }
  if (model.devices[device].samples > 0) return model.devices[device].correction;
  double sum = 0;
  int count = 0;
  for (const auto& learned : model.devices) {
    if (learned.samples == 0) continue;
    sum += learned.correction;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

double TimeModel::seconds(const KernelModel& model, const LaunchCost& cost, int device) const {
  std::lock_guard lock(mutex_);
  return rates_[device].launch_seconds +
         estimate(cost, device) * std::exp(correction(model, cost.shape, device));
}

void TimeModel::learn(KernelModel& model, const LaunchCost& cost, int device, double share, double seconds) {
  if (share <= 0 || seconds <= 0) return;
  std::lock_guard lock(mutex_);
  const double whole = seconds / share;
  const double measured = std::log(whole / estimate(cost, device));
  update(model.devices[device], measured);
  auto it = model.by_shape.find(cost.shape);
  if (it == model.by_shape.end()) {
    if (model.by_shape.size() >= kShapesKept) return;
    it = model.by_shape.emplace(cost.shape, std::vector<KernelModel::Learned>(rates_.size())).first;
  }
  update(it->second[device], measured);
}

TimeModel& time_model() {
  static auto* model = [] {
    if (process().machine != nullptr) return new TimeModel(emulated_rates(*process().machine));
    std::vector<vendor::Device> devices;
    for (size_t lane = 0; lane < process().lane_count(); ++lane)
      devices.push_back(process().lane_device(lane));
    return new TimeModel(calibrate(devices));
  }();
  return *model;
}

}  // namespace mkmd
