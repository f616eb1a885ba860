// SPDX-License-Identifier: Apache-2.0
// Plays one case of the fuzzer: a file with kernels' source, buffers and host commands (generate.py makes
// it). It knows plain OpenCL only. Each read gives one line with a hash, and so does each buffer at the end.
// Exit code 3: a call failed, which no case should make happen.
#include <CL/cl.h>

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Bytes = std::vector<unsigned char>;

void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::printf("error %d in %s\n", code, what);
  std::fflush(stdout);
  std::_Exit(3);
}
#define CHECK(call) check((call), #call)

uint64_t hash_of(const unsigned char* bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

// Bytes as the case's seed says. Many are small numbers: guards and gathers then see both sides.
void fill_random(unsigned char* bytes, size_t count, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes[i] = static_cast<unsigned char>(state >> 33);
    if ((state & 0x300) == 0) bytes[i] = 0;
  }
}

Bytes from_hex(const std::string& hex) {
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

class Case {
public:
  explicit Case(const Json& json) : json_(json) {
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
    make_buffers();
    build();
  }

  void play() {
    for (const Json& command : json_.at("commands"))
      play(command);
    finish();
    for (size_t b = 0; b < buffers_.size(); ++b) {
      if (buffers_[b] == nullptr || json_["buffers"][b].contains("parent")) continue;
      Bytes bytes(json_["buffers"][b]["bytes"].get<size_t>());
      CHECK(clEnqueueReadBuffer(queues_[0], buffers_[b], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                nullptr));
      std::printf("end b%zu %016" PRIx64 "\n", b, hash_of(bytes.data(), bytes.size()));
    }
  }

private:
  void make_buffers() {
    cl_int error = CL_SUCCESS;
    for (const Json& b : json_.at("buffers")) {
      const size_t size = b.at("bytes").get<size_t>();
      cl_mem memory = nullptr;
      if (b.contains("parent")) {
        const cl_buffer_region region = {b.at("origin").get<size_t>(), size};
        memory = clCreateSubBuffer(buffers_[b.at("parent").get<size_t>()], CL_MEM_READ_WRITE,
                                   CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
      } else if (b.contains("permutation")) {  // of the first so many ints
        std::vector<cl_int> values(size / sizeof(cl_int));
        const size_t count = b.at("permutation").get<size_t>();
        for (size_t i = 0; i < count; ++i)
          values[i] = static_cast<cl_int>((i * b.at("factor").get<size_t>() + 5) % count);
        memory =
            clCreateBuffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size, values.data(), &error);
      } else {
        host_.push_back(std::make_unique<Bytes>(size));
        Bytes& bytes = *host_.back();
        fill_random(bytes.data(), size, b.at("seed").get<uint64_t>());
        const cl_mem_flags flags =
            b.value("use_host_ptr", false) ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
        memory = clCreateBuffer(context_, CL_MEM_READ_WRITE | flags, size, bytes.data(), &error);
      }
      check(error, "clCreateBuffer");
      buffers_.push_back(memory);
    }
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

  void finish() {
    for (const cl_command_queue queue : queues_)
      CHECK(clFlush(queue));
    for (const cl_command_queue queue : queues_)
      CHECK(clFinish(queue));
    for (const auto& [label, bytes] : pending_)
      std::printf("%s %016" PRIx64 "\n", label.c_str(), hash_of(bytes->data(), bytes->size()));
    pending_.clear();
  }

  void flush_all() {
    for (const cl_command_queue queue : queues_)
      CHECK(clFlush(queue));
  }

  void launch(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const cl_kernel k = kernel(c.at("kernel").get<std::string>());
    cl_uint index = 0;
    for (const Json& a : c.at("args")) {
      if (a.contains("buffer")) {
        const cl_mem memory = buffers_[a["buffer"].get<size_t>()];
        CHECK(clSetKernelArg(k, index++, sizeof(memory), &memory));
      } else if (a.contains("local")) {
        CHECK(clSetKernelArg(k, index++, a["local"].get<size_t>(), nullptr));
      } else {
        const Bytes bytes = from_hex(a.at("hex").get<std::string>());
        CHECK(clSetKernelArg(k, index++, bytes.size(), bytes.data()));
      }
    }
    const Sizes global(c.at("global"));
    const Sizes local(c.value("local", Json::array()));
    const Sizes offset(c.value("offset", Json::array()));
    CHECK(clEnqueueNDRangeKernel(queue, k, c["global"].size(), c.contains("offset") ? offset.v : nullptr,
                                 global.v, c.contains("local") ? local.v : nullptr, waits, list, event));
  }

  void rect(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const Sizes from(c.at("from_origin"));
    const Sizes to(c.at("to_origin"));
    const Sizes region(c.at("region"));
    const auto from_pitch = c.at("from_pitch").get<size_t>();
    const auto to_pitch = c.at("to_pitch").get<size_t>();
    const std::string op = c.at("op").get<std::string>();
    if (op == "copy_rect") {
      CHECK(clEnqueueCopyBufferRect(queue, buffers_[c["from"].get<size_t>()], buffers_[c["to"].get<size_t>()],
                                    from.v, to.v, region.v, from_pitch, 0, to_pitch, 0, waits, list, event));
      return;
    }
    const cl_mem memory = buffers_[c.at("buffer").get<size_t>()];
    const size_t size = to_pitch * (to.v[1] + region.v[1]) + to.v[0] + region.v[0];
    host_.push_back(std::make_unique<Bytes>(size));
    Bytes& bytes = *host_.back();
    if (op == "read_rect") {
      CHECK(clEnqueueReadBufferRect(queue, memory, c.value("blocking", false), from.v, to.v, region.v,
                                    from_pitch, 0, to_pitch, 0, bytes.data(), waits, list, event));
      pending_.emplace_back("rect " + std::to_string(c["id"].get<int>()), &bytes);
    } else {
      fill_random(bytes.data(), size, c.at("seed").get<uint64_t>());
      CHECK(clEnqueueWriteBufferRect(queue, memory, c.value("blocking", false), from.v, to.v, region.v,
                                     from_pitch, 0, to_pitch, 0, bytes.data(), waits, list, event));
    }
  }

  void map(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const cl_mem memory = buffers_[c.at("buffer").get<size_t>()];
    const auto size = c.at("size").get<size_t>();
    const bool writes = c.value("changes", false);
    cl_int error = CL_SUCCESS;
    auto* bytes = static_cast<unsigned char*>(
        clEnqueueMapBuffer(queue, memory, CL_TRUE, writes ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ,
                           c.at("offset").get<size_t>(), size, waits, list, nullptr, &error));
    check(error, "clEnqueueMapBuffer");
    std::printf("map %d %016" PRIx64 "\n", c["id"].get<int>(), hash_of(bytes, size));
    if (writes) {
      for (size_t i = 0; i < size; i += 3)
        bytes[i] = static_cast<unsigned char>(bytes[i] * 5 + i);
    }
    CHECK(clEnqueueUnmapMemObject(queue, memory, bytes, 0, nullptr, event));
  }

  void play(const Json& c) {
    const std::string op = c.at("op").get<std::string>();
    const int id = c.at("id").get<int>();
    const cl_command_queue queue = queues_[c.value("queue", 0)];
    if (op == "finish") return finish();
    if (op == "flush") return check(clFlush(queue), "clFlush");
    if (op == "release") {
      cl_mem& memory = buffers_[c.at("buffer").get<size_t>()];
      CHECK(clReleaseMemObject(memory));
      memory = nullptr;
      return;
    }
    if (op == "user_event") {
      cl_int error = CL_SUCCESS;
      events_[id] = clCreateUserEvent(context_, &error);
      return check(error, "clCreateUserEvent");
    }
    if (op == "set_user_event") {
      CHECK(clSetUserEventStatus(events_.at(c.at("of").get<int>()), CL_COMPLETE));
      return;
    }
    if (c.value("blocking", false) || op == "map") flush_all();
    std::vector<cl_event> list;
    for (const Json& w : c.value("waits", Json::array()))
      list.push_back(events_.at(w.get<int>()));
    const auto waits = static_cast<cl_uint>(list.size());
    const cl_event* const first = list.empty() ? nullptr : list.data();
    cl_event made = nullptr;
    cl_event* const event = c.value("event", false) ? &made : nullptr;
    const cl_bool blocking = c.value("blocking", false) ? CL_TRUE : CL_FALSE;
    if (op == "launch") {
      launch(c, queue, waits, first, event);
    } else if (op == "copy_rect" || op == "read_rect" || op == "write_rect") {
      rect(c, queue, waits, first, event);
    } else if (op == "map") {
      map(c, queue, waits, first, event);
    } else if (op == "barrier") {
      CHECK(clEnqueueBarrierWithWaitList(queue, waits, first, event));
    } else if (op == "marker") {
      CHECK(clEnqueueMarkerWithWaitList(queue, waits, first, event));
    } else if (op == "copy") {
      CHECK(clEnqueueCopyBuffer(queue, buffers_[c["from"].get<size_t>()], buffers_[c["to"].get<size_t>()],
                                c["from_offset"].get<size_t>(), c["to_offset"].get<size_t>(),
                                c["size"].get<size_t>(), waits, first, event));
    } else {
      const cl_mem memory = buffers_[c.at("buffer").get<size_t>()];
      const auto offset = c.at("offset").get<size_t>();
      const auto size = c.at("size").get<size_t>();
      if (op == "fill") {
        const Bytes pattern = from_hex(c.at("hex").get<std::string>());
        CHECK(clEnqueueFillBuffer(queue, memory, pattern.data(), pattern.size(), offset, size, waits, first,
                                  event));
      } else {
        host_.push_back(std::make_unique<Bytes>(size));
        Bytes& bytes = *host_.back();
        if (op == "read") {
          CHECK(
              clEnqueueReadBuffer(queue, memory, blocking, offset, size, bytes.data(), waits, first, event));
          pending_.emplace_back("read " + std::to_string(id), &bytes);
        } else if (op == "write") {
          fill_random(bytes.data(), size, c.at("seed").get<uint64_t>());
          CHECK(
              clEnqueueWriteBuffer(queue, memory, blocking, offset, size, bytes.data(), waits, first, event));
        } else {
          check(-1, op.c_str());
        }
      }
    }
    if (made != nullptr) events_[id] = made;
  }

  const Json& json_;
  cl_platform_id platform_ = nullptr;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_command_queue> queues_;
  std::vector<cl_mem> buffers_;
  std::map<std::string, cl_kernel> kernels_;
  std::map<int, cl_event> events_;
  std::vector<std::unique_ptr<Bytes>> host_;  // until the end: commands may still use it
  std::vector<std::pair<std::string, const Bytes*>> pending_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  const Json json = Json::parse(file);
  Case player(json);
  player.play();
  return 0;
}
