// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/time_model.hpp"

#include "libinterpose/timing/launch_facts.hpp"
#include "libinterpose/timing/profile_transfers.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd {

namespace {

// How far an unconfirmed model may differ from the roofline. The first limit is for the speed of a device
// against the others; a model is cut to it. The second is for all devices together; a model beyond it is not
// used. The roofline may be wrong by more. But a window planned with it is near one planned with the right
// times, and it confirms the model. A window planned with times of a tenth of the right ones loses against
// one device.
constexpr double kRelativeTrust = 3;
constexpr double kCommonTrust = 4;
constexpr double kCopyTrust = 16;
// A model is given up when measurements differ from it by more, and confirmed when they differ by less.
constexpr double kStale = 3;
constexpr double kConfirmed = 1.5;

// By device; null: no launch of that shape has run.
const std::vector<KernelModel::Learned>* learned_of(const KernelModel& model, uint64_t shape) {
  const auto found = model.by_shape.find(shape);
  return found != model.by_shape.end() ? &found->second : nullptr;
}

}  // namespace

LaunchCost cost_of(const LaunchFacts& facts, const KernelModel& model) {
  LaunchCost cost{facts.operations(), facts.bytes(), facts.shape()};
  if (model.has_profile) cost.work = facts.work();
  return cost;
}

TimeModel::TimeModel(std::vector<DeviceRates> rates, std::vector<models::Entry> profiles)
    : rates_(std::move(rates)), profiles_(std::move(profiles)) {}

// Programs may make sources without end. With the mutex held, so nobody else begins to hold one.
void TimeModel::forget_unused() {
  using Entry = std::map<std::string, Known>::iterator;
  std::vector<Entry> unused;
  for (Entry it = kernels_.begin(); it != kernels_.end(); ++it) {
    if (it->second.model.use_count() > 1) {
      it->second.held = asked_;
    } else {
      unused.push_back(it);
    }
  }
  if (unused.size() > kKept) {
    const auto kept = unused.end() - kKept;
    std::nth_element(unused.begin(), kept, unused.end(),
                     [](Entry a, Entry b) { return a->second.held < b->second.held; });
    for (auto it = unused.begin(); it != kept; ++it)
      kernels_.erase(*it);
  }
  look_again_ = kernels_.size() + kKept;
}

size_t TimeModel::kernels() const {
  const Lock lock(mutex_);
  return kernels_.size();
}

std::shared_ptr<KernelModel> TimeModel::of_kernel(const std::string& name, const std::string& content) {
  const Lock lock(mutex_);
  Known& known = kernels_[name + "#" + content];
  known.held = ++asked_;
  if (known.model != nullptr) return known.model;
  auto made = known.model = std::make_shared<KernelModel>();
  KernelModel& model = *made;
  model.number = asked_;
  model.devices.resize(rates_.size());
  model.against_profile.resize(rates_.size());
  model.profiled.resize(rates_.size(), nullptr);
  for (const models::Entry& e : profiles_) {
    if (e.key.kernel != name || e.key.content != content) continue;
    for (size_t d = 0; d < rates_.size(); ++d) {
      if (rates_[d].kind != e.key.device) continue;
      model.profiled[d] = &e.model;
      model.has_profile = true;
    }
  }
  model.ran.resize(rates_.size());
  if (auto earlier = recalled_.extract(name + "#" + content); !earlier.empty()) {
    model.devices = std::move(earlier.mapped().kernel.devices);
    model.by_shape = std::move(earlier.mapped().kernel.shapes);
    model.history.recall(earlier.mapped().kernel.history, earlier.mapped().at);
  }
  if (kernels_.size() >= look_again_) forget_unused();
  return made;
}

// Sources without end must not grow us here, either.
void TimeModel::recall(const std::string& content, const timing::LearnedSource& source, double now) {
  const Lock lock(mutex_);
  if (recalled_.size() > kKept) recalled_.clear();
  for (const auto& [name, kernel] : source.kernels)
    recalled_.insert_or_assign(std::string(name).append("#").append(content), Recalled{kernel, now});
}

std::vector<TimeModel::Taught> TimeModel::taught() const {
  const Lock lock(mutex_);
  std::vector<Taught> all;
  for (const auto& [key, known] : kernels_) {
    const KernelModel& model = *known.model;
    const auto was_measured = [](const KernelModel::Learned& of) { return of.samples > 0; };
    const bool measured = std::ranges::any_of(model.devices, was_measured);
    if (!measured && std::ranges::count(model.ran, true) == 0) continue;
    const size_t end = key.rfind('#');
    timing::LearnedKernel learned{model.devices, model.by_shape, {}, model.gain.load()};
    all.push_back({key.substr(0, end), key.substr(end + 1), known.model, std::move(learned), measured});
  }
  return all;
}

double TimeModel::estimate(const LaunchCost& cost, int device) const {
  const DeviceRates& r = rates_[device];
  return std::max(cost.operations / r.operations_per_second, cost.bytes / r.bytes_per_second);
}

std::optional<double> TimeModel::shape_correction(const KernelModel& model, uint64_t shape,
                                                  int device) const {
  const auto* const learned = learned_of(model, shape);
  if (learned == nullptr) return std::nullopt;
  if ((*learned)[device].samples > 0) return (*learned)[device].correction;
  for (size_t d = 0; d < rates_.size(); ++d) {  // a device just like this one has run it
    if ((*learned)[d].samples > 0 && rates_[d].kind == rates_[device].kind) return (*learned)[d].correction;
  }
  return std::nullopt;
}

double TimeModel::overall_correction(const std::vector<KernelModel::Learned>& learned, int device) const {
  if (learned[device].samples > 0) return learned[device].correction;
  double sum = 0;
  int count = 0;
  for (const auto& one : learned) {
    if (one.samples == 0) continue;
    sum += one.correction;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

double TimeModel::reference(const KernelModel& model, const LaunchCost& cost, int device) const {
  return estimate(cost, device) * std::exp(overall_correction(model.devices, device));
}

bool TimeModel::stale(const KernelModel& model) const {
  return std::any_of(model.against_profile.begin(), model.against_profile.end(), [](const auto& learned) {
    return learned.samples >= 2 && std::abs(learned.correction) > std::log(kStale);
  });
}

std::optional<double> TimeModel::from_profile(const KernelModel& model, const LaunchCost& cost,
                                              int device) const {
  if (!cost.work || model.profiled[device] == nullptr) return std::nullopt;
  const auto predicted = model.profiled[device]->predict(*cost.work);
  if (!predicted) return std::nullopt;
  return predicted->seconds * std::exp(overall_correction(model.against_profile, device));
}

double TimeModel::kernel_seconds(const KernelModel& model, const LaunchCost& cost, int device) const {
  if (const auto measured = shape_correction(model, cost.shape, device)) {
    return estimate(cost, device) * std::exp(*measured);
  }
  const double expected = reference(model, cost, device);
  if (!model.has_profile || stale(model)) return expected;
  const auto predicted = from_profile(model, cost, device);
  if (!predicted) return expected;
  const auto& confirmed = model.against_profile[device];
  if (confirmed.samples > 0 && std::abs(confirmed.correction) < std::log(kConfirmed)) return *predicted;
  // The devices' ratios to the roofline should be alike; the one nearest to 1 says what is common to all.
  double common = 1e300;
  for (size_t d = 0; d < rates_.size(); ++d) {
    const auto other = from_profile(model, cost, static_cast<int>(d));
    if (!other) continue;
    const double ratio = std::log(*other / reference(model, cost, static_cast<int>(d)));
    if (std::abs(ratio) < std::abs(common)) common = ratio;
  }
  if (std::abs(common) > std::log(kCommonTrust)) return expected;
  const double ratio = std::clamp(std::log(*predicted / expected), common - std::log(kRelativeTrust),
                                  common + std::log(kRelativeTrust));
  return expected * std::exp(ratio);
}

double TimeModel::seconds(const KernelModel& model, const LaunchCost& cost, int device) const {
  const Lock lock(mutex_);
  return rates_[device].launch_seconds + kernel_seconds(model, cost, device);
}

int TimeModel::samples(const KernelModel& model, int device) const {
  const Lock lock(mutex_);
  return model.devices[device].samples;
}

bool TimeModel::knows(const KernelModel& model, int device) const {
  const Lock lock(mutex_);
  for (size_t d = 0; d < rates_.size(); ++d) {
    if (model.devices[d].samples > 0 && rates_[d].kind == rates_[device].kind) return true;
  }
  return false;
}

bool TimeModel::has_run(const KernelModel& model, int device) const {
  const Lock lock(mutex_);
  return model.ran[device];
}

void TimeModel::note_run(KernelModel& model, int device) {
  const Lock lock(mutex_);
  model.ran[device] = true;
}

double TimeModel::seconds_at_most(const KernelModel& model, const LaunchCost& cost, int device) const {
  const Lock lock(mutex_);
  double kernel = kernel_seconds(model, cost, device);
  const auto& confirmed = model.against_profile[device];
  if (model.has_profile && !shape_correction(model, cost.shape, device) &&
      (confirmed.samples == 0 || std::abs(confirmed.correction) >= std::log(kConfirmed))) {
    kernel = std::max(kernel, reference(model, cost, device));
  }
  return rates_[device].launch_seconds + kernel;
}

std::optional<double> TimeModel::measured(const KernelModel& model, const LaunchCost& cost,
                                          int device) const {
  const Lock lock(mutex_);
  const auto* const learned = learned_of(model, cost.shape);
  if (learned == nullptr || (*learned)[device].samples == 0) return std::nullopt;
  return rates_[device].launch_seconds + estimate(cost, device) * std::exp((*learned)[device].correction);
}

void TimeModel::learn(KernelModel& model, const LaunchCost& cost, int device, double share, double seconds) {
  if (share <= 0 || seconds <= 0) return;
  const Lock lock(mutex_);
  const double whole = seconds / share;
  const double measured = std::log(whole / estimate(cost, device));
  model.ran[device] = true;
  model.devices[device].note(measured);
  if (cost.work && model.profiled[device] != nullptr) {
    if (const auto predicted = model.profiled[device]->predict(*cost.work)) {
      model.against_profile[device].note(std::log(whole / predicted->seconds));
    }
  }
  auto it = model.by_shape.find(cost.shape);
  if (it == model.by_shape.end()) {
    if (model.by_shape.size() >= timing::kShapesKept) return;
    it = model.by_shape.emplace(cost.shape, std::vector<KernelModel::Learned>(rates_.size())).first;
  }
  it->second[device].note(measured);
}

std::optional<double> TimeModel::together(const KernelModel& model, const LaunchCost& cost,
                                          int device) const {
  const Lock lock(mutex_);
  if (!from_profile(model, cost, device) || stale(model)) return std::nullopt;
  return model.profiled[device]->together;
}

namespace {

double calibrated_copy(const DeviceRates& rates, double bytes) {
  return rates.copy_seconds + bytes / rates.copy_bytes_per_second;
}

}  // namespace

std::optional<double> TimeModel::profiled_copy(int device, bool to_device, double bytes) const {
  for (const models::Entry& e : profiles_) {
    if (e.key.device != rates_[device].kind || e.key.kernel != (to_device ? kCopyIn : kCopyOut)) continue;
    const double calibrated = calibrated_copy(rates_[device], bytes);
    const double seconds = e.model.evaluate(work_of_copy(bytes));
    const bool plausible = seconds >= calibrated / kCopyTrust && seconds <= calibrated * kCopyTrust;
    return plausible ? std::optional(seconds) : std::nullopt;
  }
  return std::nullopt;
}

double TimeModel::copy_seconds(int from, int to, double bytes) const {
  const auto out = profiled_copy(from, false, bytes);
  const auto in = profiled_copy(to, true, bytes);
  if (out && in) return *out + *in;
  return std::max(calibrated_copy(rates_[from], bytes), calibrated_copy(rates_[to], bytes));
}

double seconds_alone(double seconds, double bytes, int devices, const scheduler::Memory* memory) {
  constexpr double kFull = 0.9;  // of what the memory gives; measured rates are never quite equal
  if (memory == nullptr || memory->bw_one <= 0 || devices < 2 || bytes <= 0 || seconds <= 0) return seconds;
  const bool used_up = bytes / seconds * devices >= kFull * memory->bw_all;
  return used_up ? std::min(seconds, bytes / memory->bw_one) : seconds;
}

}  // namespace mkmd
