// SPDX-License-Identifier: Apache-2.0
// From the text of a specification to real devices. An empty text means every device there is, the fastest
// first.
#include "common/log.hpp"
#include "common/text.hpp"
#include "libinterpose/vendor/careful.hpp"
#include "libinterpose/vendor/icd.hpp"
#include "libinterpose/vendor/pci.hpp"
#include "libinterpose/vendor/pocl.hpp"
#include "libinterpose/vendor/specification.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <unistd.h>

namespace mkmd::vendor {

namespace {

constexpr cl_device_type kUsableTypes = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;

struct Candidate {
  Platform platform;
  cl_device_id id;
};

bool usable(cl_device_id device) {
  return (device_value<cl_device_type>(device, CL_DEVICE_TYPE) & kUsableTypes) != 0 &&
         device_value<cl_bool>(device, CL_DEVICE_AVAILABLE, CL_TRUE) == CL_TRUE;
}

std::vector<Candidate> devices_of_all(const std::vector<Platform>& platforms) {
  std::vector<Candidate> found;
  for (const Platform& platform : platforms) {
    for (cl_device_id device : devices_of(platform.id)) {
      if (usable(device)) found.push_back({platform, device});
    }
  }
  return found;
}

Device describe(const Candidate& candidate, std::string name, cl_device_id parent) {
  std::string device_name = device_string(candidate.id, CL_DEVICE_NAME);
  const bool synchronous = executes_in_caller(candidate.platform, device_name);
  return {candidate.platform.id,
          candidate.id,
          std::move(name),
          std::move(device_name),
          synchronous,
          parent,
          device_value<cl_device_type>(candidate.id, CL_DEVICE_TYPE)};
}

std::string name_of(const Candidate& candidate, const std::vector<Candidate>& of_platform, size_t index) {
  const std::string name = short_name(candidate.platform);
  return of_platform.size() > 1 ? name + ":" + std::to_string(index) : name;
}

// Sub-devices of PoCL scale only if its threads stay on their cores. Without sub-devices, or where the user
// has chosen (the variable, or an affinity mask of the process), nothing is changed.
void prepare_for_sub_devices() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (CPU_COUNT(&allowed) < sysconf(_SC_NPROCESSORS_ONLN)) return;
  // More threads than cores: it would end the process over the first thread without one.
  const char* const threads = std::getenv("POCL_MAX_PTHREAD_COUNT");
  if (threads != nullptr && std::atoi(threads) > CPU_COUNT(&allowed)) return;
  setenv(kBindsThreads, "1", 0);
}

Status split_equally(const Candidate& candidate, const Item& item, const std::string& name,
                     std::vector<Device>& devices) {
  const auto units = device_value<cl_uint>(candidate.id, CL_DEVICE_MAX_COMPUTE_UNITS);
  const auto parts = static_cast<cl_uint>(item.parts);
  const auto cannot = [&](const std::string& why) {
    return Status::internal("\"" + item.text + "\": " + name + " cannot be divided into " +
                            std::to_string(parts) + " parts: " + why);
  };
  if (units < parts) return cannot("it has " + std::to_string(units) + " compute units");
  const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, units / parts, 0};
  const auto create = table(candidate.id).clCreateSubDevices;
  cl_uint count = 0;
  std::vector<cl_device_id> ids;
  if (create == nullptr || create(candidate.id, equally, 0, nullptr, &count) != CL_SUCCESS || count < parts) {
    return cannot("its driver does not divide devices");
  }
  ids.resize(count);
  if (create(candidate.id, equally, count, ids.data(), nullptr) != CL_SUCCESS)
    return cannot("its driver failed");
  for (cl_uint i = 0; i < count; ++i) {
    if (i >= parts) {  // left over where the units do not divide evenly
      release(ids[i]);
      continue;
    }
    devices.push_back(describe({candidate.platform, ids[i]},
                               name + "/" + std::to_string(parts) + "#" + std::to_string(i), candidate.id));
  }
  return {};
}

std::vector<Platform> matching(const std::vector<Platform>& platforms, const std::string& wanted) {
  std::vector<Platform> found;
  std::copy_if(platforms.begin(), platforms.end(), std::back_inserter(found),
               [&](const Platform& platform) { return platform_matches(platform.name, wanted); });
  return found;
}

// Adds platforms of libraries nobody listed, if the user names them.
std::vector<Platform> load_unlisted(const std::string& wanted, std::vector<Platform>& platforms) {
  for (const UnlistedIcd& icd : unlisted_icds()) {
    if (wanted != icd.platform) continue;
    std::vector<Platform> found = load_icd(icd.library);
    if (found.empty()) continue;
    platforms.insert(platforms.end(), found.begin(), found.end());
    return found;
  }
  return {};
}

std::string what_is_available(const std::vector<Platform>& platforms) {
  std::string text;
  for (const Platform& platform : platforms) {
    const size_t count = devices_of_all({platform}).size();
    text += (text.empty() ? "" : ", ") + short_name(platform) + " (" + counted(count, "device") + ")";
  }
  return text.empty() ? "no OpenCL platform is installed" : "available: " + text;
}

bool has_device(const std::vector<Device>& devices, cl_device_id id) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const Device& d) { return d.id == id || d.parent == id; });
}

// The index of an earlier one, of another driver, that is the same hardware as the last one.
std::optional<size_t> same_hardware(const std::vector<Device>& devices) {
  const auto is_of_last = [&](const Device& d) { return d.platform == devices.back().platform; };
  if (std::ranges::all_of(devices, is_of_last)) return {};  // as mostly: then no driver is asked
  std::vector<HardwarePlace> places;
  for (const Device& device : devices)
    places.push_back({device.platform, pci_address(whole_of(device).id)});
  return earlier_driver(places, places.size() - 1);
}

void leave_out_last(std::vector<Device>& devices, size_t same) {
  log(LogLevel::info, devices.back().name + " is the same device as " + devices[same].name +
                          " through another driver, and is not used; --devices (MKMD_DEVICES) chooses");
  devices.pop_back();
}

Status select_item(const Item& item, std::vector<Platform>& platforms, std::vector<Device>& devices) {
  std::vector<Platform> chosen = matching(platforms, item.platform);
  if (chosen.empty()) chosen = load_unlisted(item.platform, platforms);
  const std::vector<Candidate> candidates = devices_of_all(chosen);
  const auto wrong = [&](const std::string& why) {
    return Status::internal("\"" + item.text + "\": " + why + "; " + what_is_available(platforms));
  };
  if (chosen.empty()) return wrong("no platform is called \"" + item.platform + "\"");
  if (candidates.empty()) return wrong("the platform has no device");
  if (item.index && static_cast<size_t>(*item.index) >= candidates.size()) {
    return wrong("there is no device " + std::to_string(*item.index));
  }
  const size_t others = devices.size();  // of items before this one
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (item.index && static_cast<size_t>(*item.index) != i) continue;
    const std::string name = name_of(candidates[i], candidates, i);
    if (has_device(devices, candidates[i].id)) return wrong(name + " is named twice");
    if (item.parts > 1) {
      if (Status status = split_equally(candidates[i], item, name, devices); !status) return status;
    } else {
      devices.push_back(describe(candidates[i], name, nullptr));
    }
    const std::optional<size_t> same = same_hardware(devices);
    if (same && *same < others)
      return wrong(name + " and " + devices[*same].name + " are one device, which two drivers offer");
    if (same) leave_out_last(devices, *same);
  }
  return {};
}

// A rough order, enough to choose a home: GPUs with a memory of their own, other GPUs, the host's CPUs,
// then the rest. Among these, units times clock decide. Those do not compare between vendors: an integrated
// GPU has more units than a large card.
double speed(cl_device_id device) {
  constexpr double kMore = 1e12;  // than any rate
  const bool gpu = (device_value<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
  const bool own_memory = device_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE) == CL_FALSE;
  const double rate = 1.0 * device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS) *
                      device_value<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, 1);
  return rate + kMore * (gpu ? (own_memory ? 3 : 2) : is_host_cpu(device) ? 1 : 0);
}

Result<std::vector<Device>> select_all() {
  std::vector<Device> devices;
  const std::vector<Platform> platforms = find_platforms();
  for (const Platform& platform : platforms) {
    // Those that the user means by the name, as in select_item().
    const std::vector<Candidate> candidates = devices_of_all(matching(platforms, short_name(platform)));
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (has_device(devices, candidates[i].id)) continue;
      devices.push_back(describe(candidates[i], name_of(candidates[i], candidates, i), nullptr));
      if (const std::optional<size_t> same = same_hardware(devices)) leave_out_last(devices, *same);
    }
  }
  if (devices.empty()) return Status::internal("no OpenCL device was found; " + what_is_available(platforms));
  std::stable_sort(devices.begin(), devices.end(),
                   [](const Device& a, const Device& b) { return speed(a.id) > speed(b.id); });
  return devices;
}

}  // namespace

Result<std::vector<Device>> select_devices(const std::string& specification) {
  if (specification.empty()) return select_all();
  auto items = parse_specification(specification);
  if (!items) return items.status();
  if (std::any_of(items->begin(), items->end(), [](const Item& item) { return item.parts > 1; })) {
    prepare_for_sub_devices();  // before the vendor wakes up
  }
  std::vector<Platform> platforms = find_platforms();
  std::vector<Device> devices;
  for (const Item& item : *items) {
    Status status = select_item(item, platforms, devices);
    if (status) continue;
    for (const Device& device : devices) {
      if (device.parent != nullptr) release(device.id);
    }
    return status;
  }
  return devices;
}

Device whole_of(const Device& device) {
  if (device.parent == nullptr) return device;
  return {device.platform,
          device.parent,
          device.name.substr(0, device.name.rfind('/')),
          device_string(device.parent, CL_DEVICE_NAME),
          device.synchronous,
          nullptr,
          device.type};
}

}  // namespace mkmd::vendor
