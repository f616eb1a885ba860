// SPDX-License-Identifier: Apache-2.0
#include "platform/json.hpp"

#include "common/json_reader.hpp"

namespace mkmd::platform {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Device read_device(JsonReader& in) {
  Device device;
  device.name = in.text("name");
  const std::string name = in.text("class");
  const std::optional<DeviceClass> known = device_class_named(name);
  if (!known) in.fail("class", "is \"" + name + "\", not CPU, GPU or ACCELERATOR");
  device.device_class = known.value_or(DeviceClass::cpu);
  device.mem = in.integer("mem");
  device.launch = in.number_or("launch", 0);
  device.mem_bw = in.number_or("mem_bw", 0);
  if (in.has("model")) device.model = in.text("model");
  device.rates = read_rates(in);
  return device;
}

// One number for all devices, or a list.
void read_launch(const json& j, JsonReader& in, Platform& p) {
  if (!in.has("launch")) return;
  if (j["launch"].is_number()) {
    for (Device& d : p.devices)
      d.launch = in.number("launch");
    return;
  }
  const json& launch = in.list("launch");
  if (launch.size() != p.devices.size()) return in.fail("launch", "must have one time per device");
  for (size_t i = 0; i < launch.size(); ++i)
    p.devices[i].launch = in.as_number(launch[i], "launch[" + std::to_string(i) + "]");
}

}  // namespace

Rates read_rates(JsonReader& device) {
  Rates rates;
  if (!device.has("rates")) return rates;
  JsonReader in = device.inner("rates");
  rates.operations = in.number_or("operations", 0);
  rates.bytes = in.number_or("bytes", 0);
  rates.bytes_rows = in.number_or("bytes_rows", rates.bytes);
  rates.bytes_tiles = in.number_or("bytes_tiles", rates.bytes);
  return rates;
}

Result<Platform> from_json(const json& j) {
  Status status;
  Platform p;
  JsonReader in(j, "platform", status);
  in.each("devices", true, [&](JsonReader& d) { p.devices.push_back(read_device(d)); });
  p.bw = in.number_or("bw", 0);
  p.lat = in.number_or("lat", 0);
  in.each("links", false, [&](JsonReader& l) {
    p.links.push_back({l.integer("src"), l.integer("dst"), l.number("bw"), l.number_or("lat", p.lat)});
  });
  in.each("memories", false, [&](JsonReader& m) {
    p.memories.push_back({m.integer("mem"), m.number_or("bw_one", 0), m.number_or("bw_all", 0)});
  });
  if (status.ok()) read_launch(j, in, p);
  if (status.ok()) status = check(p);
  if (!status.ok()) return status;
  return p;
}

ordered_json to_json(const Rates& rates) {
  ordered_json out = {{"operations", rates.operations}, {"bytes", rates.bytes}};
  if (rates.bytes_rows != rates.bytes) out["bytes_rows"] = rates.bytes_rows;
  if (rates.bytes_tiles != rates.bytes) out["bytes_tiles"] = rates.bytes_tiles;
  return out;
}

ordered_json to_json(const Platform& p) {
  ordered_json devices = ordered_json::array();
  for (const Device& d : p.devices) {
    ordered_json device = {{"name", d.name}, {"class", to_string(d.device_class)}, {"mem", d.mem}};
    if (!d.model.empty()) device["model"] = d.model;
    if (d.launch > 0) device["launch"] = d.launch;
    if (d.mem_bw > 0) device["mem_bw"] = d.mem_bw;
    if (d.rates.operations > 0 || d.rates.bytes > 0) device["rates"] = to_json(d.rates);
    devices.push_back(std::move(device));
  }
  ordered_json links = ordered_json::array();
  for (const Link& l : p.links)
    links.push_back({{"src", l.src}, {"dst", l.dst}, {"bw", l.bw}, {"lat", l.lat}});
  ordered_json out = {
      {"devices", std::move(devices)}, {"bw", p.bw}, {"lat", p.lat}, {"links", std::move(links)}};
  for (const Memory& m : p.memories) {
    ordered_json memory = {{"mem", m.mem}};
    if (m.bw_one > 0) memory["bw_one"] = m.bw_one;
    if (m.bw_all > 0) memory["bw_all"] = m.bw_all;
    out["memories"].push_back(std::move(memory));
  }
  return out;
}

}  // namespace mkmd::platform
