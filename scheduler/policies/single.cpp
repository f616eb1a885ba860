// SPDX-License-Identifier: Apache-2.0
// single:<device>: what a program does without us. Every task runs on one device in the program's order, each
// after its own transfers and those after everything before (one in-order queue: nothing overlaps). Tasks
// that this device may not run go to the first device that may.
#include "scheduler/placement.hpp"
#include "scheduler/policies/factories.hpp"

#include <charconv>

namespace mkmd::scheduler {
namespace {

Result<int> find_device(const Platform& platform, const std::string& which) {
  const int count = static_cast<int>(platform.devices.size());
  int index = -1;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), index);
  if (error == std::errc() && end == which.data() + which.size() && index >= 0 && index < count) return index;
  std::string names;
  for (int d = 0; d < count; ++d) {
    if (platform.devices[d].name == which) return d;
    names += ", " + platform.devices[d].name;
  }
  return Status::internal("single: no device " + which + " (accepted: 0.." + std::to_string(count - 1) +
                          names + ")");
}

class Single : public Policy {
public:
  explicit Single(std::string device) : device_(std::move(device)) {}

  Result<Schedule> schedule(const Problem& problem, const Options&) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    Result<int> device = find_device(problem.platform, device_);
    if (!device) return device.status();
    Placement placement(*index);
    double now = 0;
    for (int t : index->order()) {
      int d = *device;
      for (int other = 0; !index->eligible(t, d); ++other)
        d = other;
      now = placement.place_in_order(t, d, now).end;
    }
    Schedule schedule = placement.schedule("single:" + device_);
    schedule.in_order = true;
    return schedule;
  }

private:
  std::string device_;
};

}  // namespace

MadePolicy make_single(ParameterReader& parameters) {
  std::string device = "0";
  parameters.unnamed(device, "a device's index or name");
  if (Status s = parameters.finish(); !s) return s;
  return made<Single>(std::move(device));
}

}  // namespace mkmd::scheduler
