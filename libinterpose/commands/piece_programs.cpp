// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/piece_programs.hpp"

#include "compiler/build_options.hpp"
#include "compiler/spirv.hpp"
#include "libinterpose/vendor/pocl.hpp"

#include <algorithm>
#include <string_view>

namespace mkmd {

namespace {

using DeviceIds = std::vector<cl_device_id>;
using Programs = std::vector<vendor::Owned<cl_program>>;

// A driver may tell linked programs apart by their code alone: a macro of the build options is not in it.
constexpr const char* kCopyInCode = "\n#ifdef MKMD_COPY\n"
                                    "#define MKMD_COPY_NAMED_(copy) mkmd_copy_##copy\n"
                                    "#define MKMD_COPY_NAMED(copy) MKMD_COPY_NAMED_(copy)\n"
                                    "__constant int MKMD_COPY_NAMED(MKMD_COPY) = 1;\n"
                                    "#endif\n";

DeviceIds devices_in(cl_context context) {
  const auto& table = vendor::table(context);
  cl_uint count = 0;
  table.clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr);
  DeviceIds devices(count);
  table.clGetContextInfo(context, CL_CONTEXT_DEVICES, count * sizeof(cl_device_id), devices.data(), nullptr);
  return devices;
}

// A table from before OpenCL 2.1 ends ahead of the function.
bool all_take_spirv(const DeviceIds& devices) {
  return std::ranges::all_of(devices, [](cl_device_id device) {
    return vendor::device_string(device, CL_DEVICE_IL_VERSION).find("SPIR-V") != std::string::npos;
  });
}

// From 7.0 on, PoCL calls functions of one program from another program of the process. It does so where
// both are built with -cl-opt-disable and name them alike, as code for pieces does.
bool mixes_up_functions(cl_device_id device, std::string_view options) {
  if (options.find("-cl-opt-disable") == std::string_view::npos) return false;
  const auto platform = vendor::device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  return vendor::pocl_version(platform).value_or(0) >= 7;
}

vendor::Owned<cl_program> from_text(cl_context context, const DeviceIds& devices, const std::string& source,
                                    cl_int& error) {
  if (compiler::is_spirv(source)) {
    error = CL_INVALID_OPERATION;
    if (!all_take_spirv(devices) || vendor::table(context).clCreateProgramWithIL == nullptr) return {};
    return vendor::Owned<cl_program>(
        vendor::table(context).clCreateProgramWithIL(context, source.data(), source.size(), &error));
  }
  const char* text = source.c_str();
  return vendor::Owned<cl_program>(
      vendor::table(context).clCreateProgramWithSource(context, 1, &text, nullptr, &error));
}

vendor::Owned<cl_program> link(cl_context context, const DeviceIds& devices, const compiler::Link& step,
                               const Programs& units, const Programs& links, cl_int& error) {
  std::vector<cl_program> inputs;
  for (const compiler::Link::Input& input : step.inputs)
    inputs.push_back((input.is_link ? links : units)[input.index].get());
  vendor::Owned<cl_program> made(vendor::table(context).clLinkProgram(
      context, static_cast<cl_uint>(devices.size()), devices.data(), step.options.c_str(),
      static_cast<cl_uint>(inputs.size()), inputs.data(), nullptr, nullptr, &error));
  if (error != CL_SUCCESS) made.reset();
  return made;
}

}  // namespace

vendor::Owned<cl_program> make_piece_program(cl_context context, const std::vector<std::string>& sources,
                                             const compiler::Recipe& recipe, const std::string& options,
                                             cl_int& error) {
  const DeviceIds devices = devices_in(context);
  const auto& table = vendor::table(context);
  const bool is_linked = !recipe.links.empty();
  error = CL_INVALID_OPERATION;
  if (is_linked && (table.clCompileProgram == nullptr || table.clLinkProgram == nullptr)) return {};
  error = CL_SUCCESS;
  Programs units, links;
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string& source = sources[i];
    const bool tells_copies = is_linked && i == 0 && !compiler::is_spirv(source);
    units.push_back(from_text(context, devices, tells_copies ? source + kCopyInCode : source, error));
    if (!units.back()) return {};
    cl_program const unit = units.back().get();
    const std::string all = compiler::source_build_options(recipe.units[i].options) + options;
    const auto count = static_cast<cl_uint>(devices.size());
    error = CL_INVALID_BUILD_OPTIONS;
    if (std::ranges::any_of(devices, [&](cl_device_id d) { return mixes_up_functions(d, all); })) return {};
    error = is_linked ? table.clCompileProgram(unit, count, devices.data(), all.c_str(), 0, nullptr, nullptr,
                                               nullptr, nullptr)
                      : table.clBuildProgram(unit, count, devices.data(), all.c_str(), nullptr, nullptr);
    if (error != CL_SUCCESS) return {};
  }
  for (const compiler::Link& step : recipe.links) {
    links.push_back(link(context, devices, step, units, links, error));
    if (!links.back()) return {};
  }
  return std::move((is_linked ? links : units).back());
}

}  // namespace mkmd
