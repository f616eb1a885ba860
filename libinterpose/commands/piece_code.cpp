// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/piece_code.hpp"

#include "common/log.hpp"
#include "compiler/build_options.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <optional>

namespace mkmd {

namespace {

using Devices = std::vector<cl_device_id>;
using Made = vendor::Owned<cl_program>;

Devices devices_in(cl_context context) {
  const auto& table = vendor::table(context);
  cl_uint count = 0;
  table.clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr);
  Devices devices(count);
  table.clGetContextInfo(context, CL_CONTEXT_DEVICES, count * sizeof(cl_device_id), devices.data(), nullptr);
  return devices;
}

// The device's own compiler makes of it what it makes of the program: the same bits, at the same speed.
Made build(const SubKernels& sub_kernels, const CodePlace& place) {
  std::optional<emulation::VirtualClock::Stop> stop;  // compiling takes no emulated time
  if (place.machine != nullptr) stop.emplace(place.machine->clock());
  const cl_context context = place.context;
  const Devices devices = devices_in(context);
  const std::string& source = sub_kernels.module.source;
  std::string why = sub_kernels.module.no_source;
  if (!source.empty()) {
    const auto& table = vendor::table(context);
    const char* text = source.c_str();
    cl_int status = CL_SUCCESS;
    Made program(table.clCreateProgramWithSource(context, 1, &text, nullptr, &status));
    const std::string options = compiler::source_build_options(sub_kernels.options) + place.options;
    if (program)
      status = table.clBuildProgram(program.get(), static_cast<cl_uint>(devices.size()), devices.data(),
                                    options.c_str(), nullptr, nullptr);
    if (program && status == CL_SUCCESS) return program;
    why = "it refuses it (" + std::to_string(status) + ")";
  }
  const std::string name =
      devices.empty() ? "a device" : vendor::device_string(devices.front(), CL_DEVICE_NAME);
  log(LogLevel::info, name + " has no code for pieces of this program: " + why);
  return {};
}

}  // namespace

bool has_piece_code(SubKernels& sub_kernels, const std::vector<CodePlace>& places, size_t place) {
  const std::lock_guard lock(sub_kernels.mutex);
  sub_kernels.programs.resize(places.size());
  sub_kernels.tried.resize(places.size());
  if (!sub_kernels.tried[place]) {
    sub_kernels.tried[place] = true;
    sub_kernels.programs[place] = build(sub_kernels, places[place]);
  }
  return static_cast<bool>(sub_kernels.programs[place]);
}

bool can_be_divided(SubKernels& sub_kernels, const std::vector<CodePlace>& places,
                    const std::vector<Lane*>& lanes, size_t devices) {
  size_t ready = 0;
  for (size_t d = 0; d < devices; ++d) {
    if (has_piece_code(sub_kernels, places, lanes[d]->code))
      ++ready;
    else if (d == 0)
      return false;
  }
  return ready > 1;
}

cl_program piece_code(const Lane& lane, SubKernels& sub_kernels) {
  const std::lock_guard lock(sub_kernels.mutex);
  if (!lane.repair_options.empty()) {
    if (!sub_kernels.repair)
      sub_kernels.repair = build(sub_kernels, {lane.native_context, lane.repair_options});
    return sub_kernels.repair.get();
  }
  return lane.code < sub_kernels.programs.size() ? sub_kernels.programs[lane.code].get() : nullptr;
}

}  // namespace mkmd
