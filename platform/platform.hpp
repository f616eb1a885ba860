// SPDX-License-Identifier: Apache-2.0
// What a machine is made of: devices, the memories they work in, the links between those, and their rates.
// The one value for schedules, traces and the files of emulated machines. Seconds, bytes, operations.
#pragma once

#include "common/status.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mkmd::platform {

enum class DeviceClass { cpu, gpu, accelerator };  // as CL_DEVICE_TYPE_… (OpenCL 3.0, 4.2, table 5)

// As files name it: "CPU", "GPU" or "ACCELERATOR".
std::string_view to_string(DeviceClass device_class);
// Capital and small letters are the same. Nothing if no class has this name.
std::optional<DeviceClass> device_class_named(std::string_view name);

// How fast a device is, per second; 0: not known.
struct Rates {
  double operations = 0;   // as our compiler counts them
  double bytes = 0;        // distinct bytes, of kernels that read and write in order
  double bytes_rows = 0;   // of kernels whose work-items loop over memory
  double bytes_tiles = 0;  // of kernels that rearrange data through local memory
};

struct Device {
  std::string name;
  DeviceClass device_class = DeviceClass::cpu;
  int mem = 0;          // devices with equal ids share a memory: no transfer and no merge between them
  double launch = 0;    // seconds added to every piece that computes
  double mem_bw = 0;    // bytes/s a merge kernel moves; 0: merges take no time
  std::string model{};  // equal for devices that are alike; empty: like no other
  Rates rates{};
};

struct Link {
  int src = 0, dst = 0;  // memory ids
  double bw = 0, lat = 0;
};

// How fast what runs on its devices gets at a memory: tasks that say how many bytes they move are bound by
// it. Memories not listed have no limit.
struct Memory {
  int mem = 0;
  double bw_one = 0;  // bytes/s that a device working alone reaches; 0: not known, times say it all
  double bw_all = 0;  // bytes/s that all devices of the memory reach together; 0: no common limit
};

struct Platform {
  std::vector<Device> devices;
  double bw = 0, lat = 0;  // between any two memories without a link of their own
  std::vector<Link> links;
  std::vector<Memory> memories;

  bool has_memory(int mem) const;     // some device works in it
  Link link(int src, int dst) const;  // the one given, or bw and lat
  double bw_all(int mem) const;       // 0: no common limit
  void set_bw_all(int mem, double bytes_per_second);
};

// Whether every number makes sense, naming the place that does not ("platform.links[1].bw: …").
Status check(const Platform& platform);

}  // namespace mkmd::platform
