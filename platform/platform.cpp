// SPDX-License-Identifier: Apache-2.0
#include "platform/platform.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace mkmd::platform {
namespace {

char in_capitals(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

Status bad(const char* list, size_t i, const std::string& what) {
  return Status::internal("platform." + std::string(list) + "[" + std::to_string(i) + "]." + what);
}

bool not_negative(double x) {
  return std::isfinite(x) && x >= 0;
}
bool positive(double x) {
  return std::isfinite(x) && x > 0;
}

Status check_device(const Device& d, size_t i) {
  if (!not_negative(d.launch)) return bad("devices", i, "launch: must be a time of 0 or more");
  if (!not_negative(d.mem_bw)) return bad("devices", i, "mem_bw: must be 0 or more");
  const std::initializer_list<std::pair<const char*, double>> rates = {{"operations", d.rates.operations},
                                                                       {"bytes", d.rates.bytes},
                                                                       {"bytes_rows", d.rates.bytes_rows},
                                                                       {"bytes_tiles", d.rates.bytes_tiles}};
  for (const auto& [name, rate] : rates)
    if (!not_negative(rate)) return bad("devices", i, "rates." + std::string(name) + ": must be 0 or more");
  return {};
}

Status check_link(const Platform& p, size_t i) {
  const Link& l = p.links[i];
  if (!p.has_memory(l.src)) return bad("links", i, "src: no device has memory " + std::to_string(l.src));
  if (!p.has_memory(l.dst)) return bad("links", i, "dst: no device has memory " + std::to_string(l.dst));
  if (!positive(l.bw)) return bad("links", i, "bw: must be greater than 0");
  if (!not_negative(l.lat)) return bad("links", i, "lat: must be a time of 0 or more");
  return {};
}

Status check_memory(const Platform& p, size_t i) {
  const Memory& m = p.memories[i];
  if (!p.has_memory(m.mem)) return bad("memories", i, "mem: no device has memory " + std::to_string(m.mem));
  for (size_t j = 0; j < i; ++j)
    if (p.memories[j].mem == m.mem)
      return bad("memories", i, "mem: memory " + std::to_string(m.mem) + " is there twice");
  if (!not_negative(m.bw_one)) return bad("memories", i, "bw_one: must be 0 or more");
  if (!not_negative(m.bw_all)) return bad("memories", i, "bw_all: must be 0 or more");
  return {};
}

}  // namespace

std::string_view to_string(DeviceClass device_class) {
  switch (device_class) {
  case DeviceClass::cpu:
    return "CPU";
  case DeviceClass::gpu:
    return "GPU";
  case DeviceClass::accelerator:
    return "ACCELERATOR";
  }
  return "CPU";
}

std::optional<DeviceClass> device_class_named(std::string_view name) {
  for (const DeviceClass one : {DeviceClass::cpu, DeviceClass::gpu, DeviceClass::accelerator}) {
    const std::string_view known = to_string(one);
    if (std::equal(name.begin(), name.end(), known.begin(), known.end(),
                   [](char given, char wanted) { return in_capitals(given) == wanted; }))
      return one;
  }
  return {};
}

bool Platform::has_memory(int mem) const {
  return std::any_of(devices.begin(), devices.end(), [mem](const Device& d) { return d.mem == mem; });
}

Link Platform::link(int src, int dst) const {
  for (const Link& l : links) {
    if (l.src == src && l.dst == dst) return l;
  }
  return {src, dst, bw, lat};
}

double Platform::bw_all(int mem) const {
  for (const Memory& m : memories) {
    if (m.mem == mem) return m.bw_all;
  }
  return 0;
}

void Platform::set_bw_all(int mem, double bytes_per_second) {
  for (Memory& m : memories) {
    if (m.mem != mem) continue;
    m.bw_all = bytes_per_second;
    return;
  }
  memories.push_back({mem, 0, bytes_per_second});
}

Status check(const Platform& p) {
  if (p.devices.empty()) return Status::internal("platform.devices: there must be at least one device");
  bool several = false;
  Status status;
  for (size_t i = 0; i < p.devices.size() && status.ok(); ++i) {
    status = check_device(p.devices[i], i);
    several = several || p.devices[i].mem != p.devices[0].mem;
  }
  if (!status.ok()) return status;
  if (!not_negative(p.lat)) return Status::internal("platform.lat: must be a time of 0 or more");
  if (several && !positive(p.bw)) return Status::internal("platform.bw: must be greater than 0");
  for (size_t i = 0; i < p.links.size() && status.ok(); ++i)
    status = check_link(p, i);
  for (size_t i = 0; i < p.memories.size() && status.ok(); ++i)
    status = check_memory(p, i);
  return status;
}

}  // namespace mkmd::platform
