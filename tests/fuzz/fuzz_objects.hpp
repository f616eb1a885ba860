// SPDX-License-Identifier: Apache-2.0
// The OpenCL objects of one case of the fuzzer, and the memory of the program that plays it.
#pragma once

#include <CL/cl.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fuzz {

using Json = nlohmann::json;
using Bytes = std::vector<unsigned char>;

inline void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::printf("error %d in %s\n", code, what);
  std::fflush(stdout);
  std::_Exit(3);
}
#define CHECK(call) check((call), #call)

inline uint64_t hash_of(const unsigned char* bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

// Bytes as the case's seed says. Many are small numbers: guards and gathers then see both sides.
inline void fill_random(unsigned char* bytes, size_t count, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes[i] = static_cast<unsigned char>(state >> 33);
    if ((state & 0x300) == 0) bytes[i] = 0;
  }
}

inline Bytes from_hex(const std::string& hex) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

struct Sizes {
  size_t v[3] = {0, 0, 0};
  Sizes() = default;
  explicit Sizes(const Json& json) {
    for (size_t i = 0; i < json.size() && i < 3; ++i)
      v[i] = json[i].get<size_t>();
  }
};

class Objects {
protected:
  explicit Objects(const Json& json) : json_(json) {
    CHECK(clGetPlatformIDs(1, &platform_, nullptr));
    CHECK(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr));
    cl_int error = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    for (const Json& queue : json_.at("queues")) {
      const cl_command_queue_properties properties =
          queue == "out-of-order" ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
      queues_.push_back(clCreateCommandQueue(context_, device_, properties, &error));
      check(error, "clCreateCommandQueue");
    }
    for (const Json& size : json_.at("areas")) {
      areas_.emplace_back(size.get<size_t>());
      fill_random(areas_.back().data(), areas_.back().size(), areas_.size());
    }
    for (size_t b = 0; b < json_.at("buffers").size(); ++b) {
      buffers_.push_back(nullptr);
      if (!json_["buffers"][b].value("late", false)) make_buffer(b);
    }
    build();
  }

  void make_buffer(size_t index) {
    const Json& b = json_["buffers"][index];
    cl_int error = CL_SUCCESS;
    const size_t size = b.at("bytes").get<size_t>();
    cl_mem& memory = buffers_[index];
    if (b.contains("parent")) {
      const cl_buffer_region region = {b.at("origin").get<size_t>(), size};
      memory = clCreateSubBuffer(buffers_[b.at("parent").get<size_t>()], CL_MEM_READ_WRITE,
                                 CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    } else if (b.contains("permutation")) {  // of the first so many ints
      std::vector<cl_int> values(size / sizeof(cl_int));
      const size_t count = b.at("permutation").get<size_t>();
      for (size_t i = 0; i < count; ++i)
        values[i] = static_cast<cl_int>((i * b.at("factor").get<size_t>() + 5) % count);
      memory = clCreateBuffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size, values.data(), &error);
    } else {
      Bytes& bytes = new_bytes(size);
      fill_random(bytes.data(), size, b.at("seed").get<uint64_t>());
      if (b.contains("image")) {
        const Sizes extent(b["image"]);
        const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
        cl_image_desc description = {};
        description.image_type = CL_MEM_OBJECT_IMAGE2D;
        description.image_width = extent.v[0];
        description.image_height = extent.v[1];
        memory = clCreateImage(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &description,
                               bytes.data(), &error);
      } else {
        const cl_mem_flags flags =
            b.value("use_host_ptr", false) ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
        memory = clCreateBuffer(context_, CL_MEM_READ_WRITE | flags, size, bytes.data(), &error);
      }
    }
    check(error, "making a memory object");
  }

  Bytes& new_bytes(size_t size) {
    host_.push_back(std::make_unique<Bytes>(size));
    return *host_.back();
  }

  void build() {
    const std::string source = json_.at("source").get<std::string>();
    const char* text = source.c_str();
    cl_int error = CL_SUCCESS;
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    const std::string options = json_.value("options", "");
    error = clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr);
    if (error == CL_SUCCESS) return;
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    std::fprintf(stderr, "%s\n", log.data());
    check(error, "clBuildProgram");
  }

  cl_kernel kernel(const std::string& name) {
    cl_kernel& k = kernels_[name];
    if (k != nullptr) return k;
    cl_int error = CL_SUCCESS;
    k = clCreateKernel(program_, name.c_str(), &error);
    check(error, "clCreateKernel");
    return k;
  }

  const Json& json_;
  cl_platform_id platform_ = nullptr;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_command_queue> queues_;
  std::vector<cl_mem> buffers_;
  std::map<std::string, cl_kernel> kernels_;
  std::vector<std::unique_ptr<Bytes>> host_;  // until the end: commands may still use it
  std::vector<Bytes> areas_;                  // of the program's memory, which several commands use
};

}  // namespace fuzz
