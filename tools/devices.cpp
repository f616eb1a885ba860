// SPDX-License-Identifier: Apache-2.0
// `mkmd devices`: the real devices, and how to name them for --devices.
#include "common/log.hpp"
#include "common/text.hpp"
#include "libinterpose/vendor/rivals.hpp"
#include "tools/commands.hpp"

#include <algorithm>
#include <cstdio>

namespace mkmd::tool {

namespace {

const char* type_name(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "gpu";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  if (type & CL_DEVICE_TYPE_CPU) return "cpu";
  return "other";
}

std::string size_text(cl_ulong bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
  return text;
}

using Row = std::vector<std::string>;

Row row_of(const std::string& spec, cl_device_id id) {
  return {spec, vendor::device_string(id, CL_DEVICE_NAME),
          type_name(vendor::device_value<cl_device_type>(id, CL_DEVICE_TYPE)),
          std::to_string(vendor::device_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS)),
          size_text(vendor::device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE))};
}

void print(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    std::printf("%s\n", printable(line).c_str());
  }
}

void print_rivals(const std::vector<vendor::Device>& devices) {
  const std::vector<int> teams = vendor::rival_teams(devices);
  std::string names;
  for (size_t d = 0; d < devices.size(); ++d) {
    if (teams[d] > 0) names += (names.empty() ? "" : ", ") + devices[d].name;
  }
  if (!names.empty())
    std::printf("%s use the same cores: their drivers take turns.\n", printable(names).c_str());
}

}  // namespace

int devices(const std::vector<std::string>& arguments) {
  set_log_level(LogLevel::info);  // why a device is left out
  if (arguments.size() > 1) return wrong_use("devices: accepted is one SPEC, or nothing for all devices");
  if (!arguments.empty() && arguments[0].starts_with("-"))
    return wrong_use("devices: unknown option " + arguments[0] + "; accepted: one SPEC, or nothing");
  // Devices that no system lists are found by name only, so the one we know of is asked for by name.
  std::vector<vendor::Device> found;
  std::string problem;
  for (const std::string& wanted : arguments.empty() ? std::vector<std::string>{"", "oclgrind"}
                                                     : std::vector<std::string>{arguments[0]}) {
    auto selected = vendor::select_devices(wanted);
    if (!selected) {
      if (problem.empty()) problem = selected.status().message();
      continue;
    }
    for (vendor::Device& device : *selected) {
      if (std::none_of(found.begin(), found.end(), [&](const auto& d) { return d.id == device.id; })) {
        found.push_back(std::move(device));
      }
    }
  }
  if (!arguments.empty() && found.empty()) return wrong_use("devices: " + problem);
  if (found.empty()) {
    say(problem);
    return 1;
  }
  std::vector<Row> rows{{"SPEC", "DEVICE", "TYPE", "UNITS", "MEMORY"}};
  for (const vendor::Device& device : found)
    rows.push_back(row_of(device.name, device.id));
  print(rows);
  print_rivals(found);
  return 0;
}

}  // namespace mkmd::tool
