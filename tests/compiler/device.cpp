// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <stdexcept>

namespace mkmd::compiler::test {
namespace {

void require(cl_int error, const char* what) {
  if (error != CL_SUCCESS) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(error));
}

constexpr int kFirstUsableMesa = 25;
constexpr int kFirstPoclThatMixesUpFunctions = 7;
constexpr int kSkipped = 77;  // CMakeLists.txt tells ctest

std::string platform_text(cl_platform_id id, cl_platform_info what) {
  size_t size = 0;
  require(clGetPlatformInfo(id, what, 0, nullptr, &size), "clGetPlatformInfo");
  std::string text(size, '\0');
  require(clGetPlatformInfo(id, what, size, text.data(), nullptr), "clGetPlatformInfo");
  return text.c_str();
}

std::string device_text(cl_device_id id, cl_device_info what) {
  size_t size = 0;
  require(clGetDeviceInfo(id, what, 0, nullptr, &size), "clGetDeviceInfo");
  std::string text(size, '\0');
  require(clGetDeviceInfo(id, what, size, text.data(), nullptr), "clGetDeviceInfo");
  return text.c_str();
}

}  // namespace

Device& Device::instance() {
  static auto* device = new Device;  // never destroyed: drivers do not like late calls
  return *device;
}

Device::Device() {
  cl_platform_id platform = nullptr;
  require(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id_, nullptr), "clGetDeviceIDs");
  const std::string driver = device_text(id_, CL_DRIVER_VERSION);
  if (platform_text(platform, CL_PLATFORM_NAME) == "rusticl" && std::stoi(driver) < kFirstUsableMesa) {
    std::printf("skipped: rusticl of Mesa %s crashes on ordinary programs\n", driver.c_str());
    std::exit(kSkipped);
  }
  simulator_ = device_text(id_, CL_DEVICE_NAME).find("Oclgrind") != std::string::npos;
  const std::string version = platform_text(platform, CL_PLATFORM_VERSION);  // "OpenCL 3.0 PoCL 7.1 …"
  if (const size_t at = version.find("PoCL "); at != std::string::npos)
    pocl_ = std::atoi(version.c_str() + at + 5);
  cl_int error = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &error);
  require(error, "clCreateContext");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  queue_ = clCreateCommandQueue(context_, id_, 0, &error);  // Oclgrind is an OpenCL 1.2 platform
#pragma GCC diagnostic pop
  require(error, "clCreateCommandQueue");
}

bool Device::has(const std::string& extension) const {
  return (" " + device_text(id_, CL_DEVICE_EXTENSIONS) + " ").find(" " + extension + " ") !=
         std::string::npos;
}

bool Device::takes(const std::string& options) const {
  if (options.find("-cl-std=CL3.0") == std::string::npos) return true;
  return device_text(id_, CL_DEVICE_VERSION).starts_with("OpenCL 3.");
}

bool Device::mixes_up_functions(const std::string& options) const {
  return pocl_ >= kFirstPoclThatMixesUpFunctions && options.find("-cl-opt-disable") != std::string::npos;
}

Request Device::request(const std::string& source, const std::string& options) const {
  Request r;
  r.units = {{source, options, {}}};
  std::istringstream names(device_text(id_, CL_DEVICE_EXTENSIONS));
  for (std::string name; names >> name;)
    r.extensions.push_back(name);
  r.device_version = device_text(id_, CL_DEVICE_VERSION);
  r.c_version = device_text(id_, CL_DEVICE_OPENCL_C_VERSION);
  return r;
}

cl_program Device::finish(cl_program program, const std::string& options, std::string& log) {
  if (clBuildProgram(program, 1, &id_, options.c_str(), nullptr, nullptr) == CL_SUCCESS) return program;
  size_t size = 0;
  clGetProgramBuildInfo(program, id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  log.resize(size);
  clGetProgramBuildInfo(program, id_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  clReleaseProgram(program);
  return nullptr;
}

cl_program Device::build_source(const std::string& source, const std::string& options, std::string& log) {
  const char* text = source.c_str();
  cl_int error = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, &error);
  require(error, "clCreateProgramWithSource");
  return finish(program, options, log);
}

Memory initial_memory(const LaunchLine& line) {
  Memory memory;
  for (const ArgumentValue& a : line.arguments)
    memory.push_back(a.is_memory() ? a.bytes : std::vector<uint8_t>());
  return memory;
}

namespace {

cl_mem make_memory(const ArgumentValue& a, std::vector<uint8_t> bytes) {
  const cl_context context = Device::instance().context();
  constexpr cl_mem_flags kFlags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  cl_int error = CL_SUCCESS;
  if (a.kind == ArgumentValue::Kind::buffer) {
    const cl_mem buffer = clCreateBuffer(context, kFlags, bytes.size(), bytes.data(), &error);
    require(error, "clCreateBuffer");
    return buffer;
  }
  static const std::map<std::string, cl_mem_object_type> kTypes = {
      {"image1d", CL_MEM_OBJECT_IMAGE1D},
      {"image1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY},
      {"image2d", CL_MEM_OBJECT_IMAGE2D},
      {"image2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY},
      {"image3d", CL_MEM_OBJECT_IMAGE3D}};
  static const std::map<char, cl_channel_type> kChannels = {
      {'f', CL_FLOAT}, {'i', CL_SIGNED_INT32}, {'u', CL_UNSIGNED_INT32}};
  const cl_image_format format = {CL_RGBA, kChannels.at(a.channels)};
  cl_image_desc desc = {};
  desc.image_type = kTypes.at(a.image);
  desc.image_width = a.extent[0];
  // Mesa's rusticl 25.0 uses the height of a 1D image array. So what OpenCL does not use is 0.
  if (a.image == "image1d_array") {
    desc.image_array_size = a.extent[1];
  } else if (a.image != "image1d") {
    desc.image_height = a.extent[1];
    (a.image == "image3d" ? desc.image_depth : desc.image_array_size) = a.extent[2];
  }
  const cl_mem image = clCreateImage(context, kFlags, &format, &desc, bytes.data(), &error);
  require(error, "clCreateImage");
  return image;
}

void read_memory(const ArgumentValue& a, cl_mem memory, std::vector<uint8_t>& bytes) {
  const cl_command_queue queue = Device::instance().queue();
  if (a.kind == ArgumentValue::Kind::buffer) {
    require(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    return;
  }
  const size_t origin[3] = {0, 0, 0}, region[3] = {a.extent[0], a.extent[1], a.extent[2]};
  require(clEnqueueReadImage(queue, memory, CL_TRUE, origin, region, 0, 0, bytes.data(), 0, nullptr, nullptr),
          "clEnqueueReadImage");
}

}  // namespace

Memory run(cl_program program, const LaunchLine& line, const Memory& before,
           const std::vector<GroupBox>* boxes) {
  Device& device = Device::instance();
  cl_int error = CL_SUCCESS;
  cl_kernel kernel = clCreateKernel(program, line.kernel.c_str(), &error);
  require(error, "clCreateKernel");
  std::vector<cl_mem> buffers(line.arguments.size());
  cl_uint index = 0;
  for (; index < line.arguments.size(); ++index) {
    const ArgumentValue& a = line.arguments[index];
    if (a.is_memory()) {
      buffers[index] = make_memory(a, before[index]);
      require(clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers[index]), "clSetKernelArg");
    } else if (a.kind == ArgumentValue::Kind::local) {
      require(clSetKernelArg(kernel, index, a.local_bytes, nullptr), "clSetKernelArg");
    } else {
      require(clSetKernelArg(kernel, index, a.bytes.size(), a.bytes.data()), "clSetKernelArg");
    }
  }
  std::array<size_t, 3> global{}, local{}, offset{};
  for (size_t d = 0; d < 3; ++d) {
    global[d] = line.launch.global[d];
    local[d] = line.launch.local[d];
    offset[d] = line.launch.offset[d];
  }
  if (!boxes) {
    require(clEnqueueNDRangeKernel(device.queue(), kernel, line.dimensions, offset.data(), global.data(),
                                   local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
  } else {
    const std::array<uint64_t, 3> groups = line.groups();
    for (const GroupBox& box : *boxes) {
      for (size_t d = 0; d < 3; ++d) {
        const uint64_t boxed = box.hi[d] - box.lo[d];
        global[d] = boxed * local[d];
        offset[d] = line.launch.offset[d] + (device.by_offset() ? box.lo[d] * local[d] : 0);
        const cl_ulong values[] = {box.lo[d], groups[d] - boxed, line.launch.offset[d] - offset[d],
                                   line.launch.global[d] - global[d]};
        for (cl_uint v = 0; v < std::size(values); ++v)
          require(
              clSetKernelArg(kernel, index + 3 * v + static_cast<cl_uint>(d), sizeof(cl_ulong), &values[v]),
              "clSetKernelArg");
      }
      require(clEnqueueNDRangeKernel(device.queue(), kernel, line.dimensions, offset.data(), global.data(),
                                     local.data(), 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
    }
  }
  Memory after = before;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i]) continue;
    read_memory(line.arguments[i], buffers[i], after[i]);
    clReleaseMemObject(buffers[i]);
  }
  clReleaseKernel(kernel);
  return after;
}

std::vector<GroupBox> cut(const LaunchLine& line, uint64_t parts) {
  std::vector<GroupBox> boxes{{{0, 0, 0}, line.groups()}};
  for (size_t d = 0; d < line.dimensions; ++d) {
    std::vector<GroupBox> finer;
    for (const GroupBox& box : boxes) {
      const uint64_t n = box.hi[d], pieces = std::min(parts, n);
      for (uint64_t p = 0; p < pieces; ++p) {
        GroupBox piece = box;
        piece.lo[d] = n * p / pieces;
        piece.hi[d] = n * (p + 1) / pieces;
        finer.push_back(piece);
      }
    }
    boxes = std::move(finer);
  }
  return boxes;
}

}  // namespace mkmd::compiler::test
