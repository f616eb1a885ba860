// SPDX-License-Identifier: Apache-2.0
// Plays one case of the fuzzer: a file with kernels' source, buffers and host commands (generate.py makes
// it). It knows plain OpenCL only. Each read gives one line with a hash, and so does each buffer at the end.
// Exit code 3: a call failed, which no case should make happen.
#include "fuzz_objects.hpp"

#include <chrono>
#include <cinttypes>
#include <fstream>
#include <thread>

namespace fuzz {

// The commands of a case.
class Case : Objects {
public:
  explicit Case(const Json& json) : Objects(json) {}

  void play() {
    for (const Json& command : json_.at("commands"))
      play(command);
    finish();
    for (size_t b = 0; b < buffers_.size(); ++b)
      show_at_end(b);
  }

private:
  void show_at_end(size_t b) {
    const Json& known = json_["buffers"][b];
    if (buffers_[b] == nullptr || known.contains("parent")) return;
    Bytes bytes(known["bytes"].get<size_t>());
    if (known.contains("image")) {
      const Sizes extent(known["image"]);
      const size_t origin[3] = {0, 0, 0};
      const size_t region[3] = {extent.v[0], extent.v[1], 1};
      CHECK(clEnqueueReadImage(queues_[0], buffers_[b], CL_TRUE, origin, region, 0, 0, bytes.data(), 0,
                               nullptr, nullptr));
    } else {
      CHECK(clEnqueueReadBuffer(queues_[0], buffers_[b], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                nullptr));
    }
    show("end b" + std::to_string(b), bytes.data(), bytes.size());
  }

  static void show(const std::string& label, const unsigned char* bytes, size_t count) {
    std::printf("%s %016" PRIx64 "\n", label.c_str(), hash_of(bytes, count));
  }

  // What a command has brought into the program's memory: now, if the call has waited for it.
  void show_read(const std::string& label, const unsigned char* bytes, size_t count, bool blocking) {
    if (blocking) return show(label, bytes, count);
    pending_.push_back({label, bytes, count});
  }

  cl_mem memory_of(const Json& c, const char* name) const { return buffers_[c.at(name).get<size_t>()]; }

  void finish() {
    for (const cl_command_queue queue : queues_)
      CHECK(clFlush(queue));
    for (const cl_command_queue queue : queues_)
      CHECK(clFinish(queue));
    for (const Pending& p : pending_)
      show(p.label, p.bytes, p.count);
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
    CHECK(clEnqueueNDRangeKernel(queue, k, static_cast<cl_uint>(c["global"].size()),
                                 c.contains("offset") ? offset.v : nullptr, global.v,
                                 c.contains("local") ? local.v : nullptr, waits, list, event));
  }

  void rect(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const Sizes from(c.at("from_origin"));
    const Sizes to(c.at("to_origin"));
    const Sizes region(c.at("region"));
    const auto from_pitch = c.at("from_pitch").get<size_t>();
    const auto to_pitch = c.at("to_pitch").get<size_t>();
    const std::string op = c.at("op").get<std::string>();
    if (op == "copy_rect") {
      CHECK(clEnqueueCopyBufferRect(queue, memory_of(c, "from"), memory_of(c, "to"), from.v, to.v, region.v,
                                    from_pitch, 0, to_pitch, 0, waits, list, event));
      return;
    }
    const bool blocking = c.value("blocking", false);
    const cl_mem memory = memory_of(c, "buffer");
    const size_t slices = to.v[2] + region.v[2];
    Bytes& bytes = new_bytes(to_pitch * (slices * region.v[1] + to.v[1]) + to.v[0] + region.v[0]);
    if (op == "read_rect") {
      CHECK(clEnqueueReadBufferRect(queue, memory, blocking, from.v, to.v, region.v, from_pitch, 0, to_pitch,
                                    0, bytes.data(), waits, list, event));
      show_read("rect " + std::to_string(c["id"].get<int>()), bytes.data(), bytes.size(), blocking);
    } else {
      fill_random(bytes.data(), bytes.size(), c.at("seed").get<uint64_t>());
      CHECK(clEnqueueWriteBufferRect(queue, memory, blocking, from.v, to.v, region.v, from_pitch, 0, to_pitch,
                                     0, bytes.data(), waits, list, event));
    }
  }

  void image(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const std::string op = c.at("op").get<std::string>();
    const cl_mem memory = memory_of(c, "image");
    const Sizes at(c.at("image_origin"));
    Sizes region(c.at("region"));
    region.v[2] = 1;
    const bool blocking = c.value("blocking", false);
    if (op == "copy_to_image") {
      CHECK(clEnqueueCopyBufferToImage(queue, memory_of(c, "buffer"), memory, c["offset"].get<size_t>(), at.v,
                                       region.v, waits, list, event));
    } else if (op == "copy_from_image") {
      CHECK(clEnqueueCopyImageToBuffer(queue, memory, memory_of(c, "buffer"), at.v, region.v,
                                       c["offset"].get<size_t>(), waits, list, event));
    } else if (op == "fill_image") {
      const Bytes hex = from_hex(c.at("hex").get<std::string>());
      const cl_uint color[4] = {hex[0], hex[1], hex[2], hex[3]};
      CHECK(clEnqueueFillImage(queue, memory, color, at.v, region.v, waits, list, event));
    } else {
      Bytes& bytes = new_bytes(4 * region.v[0] * region.v[1]);
      if (op == "read_image") {
        CHECK(clEnqueueReadImage(queue, memory, blocking, at.v, region.v, 0, 0, bytes.data(), waits, list,
                                 event));
        show_read("image " + std::to_string(c["id"].get<int>()), bytes.data(), bytes.size(), blocking);
      } else {
        fill_random(bytes.data(), bytes.size(), c.at("seed").get<uint64_t>());
        CHECK(clEnqueueWriteImage(queue, memory, blocking, at.v, region.v, 0, 0, bytes.data(), waits, list,
                                  event));
      }
    }
  }

  void map(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const std::string how = c.at("how").get<std::string>();
    const cl_map_flags flags = how == "read"    ? CL_MAP_READ
                               : how == "write" ? CL_MAP_READ | CL_MAP_WRITE
                                                : CL_MAP_WRITE_INVALIDATE_REGION;
    Mapped& mapped = mapped_[c["id"].get<int>()];
    mapped.size = c.at("size").get<size_t>();
    mapped.memory = memory_of(c, "buffer");
    mapped.how = how;
    cl_event ready = nullptr;
    cl_int error = CL_SUCCESS;
    mapped.bytes = static_cast<unsigned char*>(
        clEnqueueMapBuffer(queue, mapped.memory, c.value("blocking", true) ? CL_TRUE : CL_FALSE, flags,
                           c.at("offset").get<size_t>(), mapped.size, waits, list, &ready, &error));
    check(error, "clEnqueueMapBuffer");
    mapped.ready = ready;
    if (event != nullptr) *event = ready;
  }

  void unmap(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const int of = c.at("of").get<int>();
    const Mapped& mapped = mapped_.at(of);
    flush_all();
    CHECK(clWaitForEvents(1, &mapped.ready));
    unsigned char* const bytes = mapped.bytes;
    if (mapped.how == "invalidate") {
      fill_random(bytes, mapped.size, static_cast<uint64_t>(of));
    } else {
      show("map " + std::to_string(of), bytes, mapped.size);
    }
    for (size_t i = 0; i < mapped.size && mapped.how == "write"; i += 3)
      bytes[i] = static_cast<unsigned char>(bytes[i] * 5U + i);
    CHECK(clEnqueueUnmapMemObject(queue, mapped.memory, bytes, waits, list, event));
  }

  void transfer(const Json& c, cl_command_queue queue, cl_uint waits, const cl_event* list, cl_event* event) {
    const std::string op = c.at("op").get<std::string>();
    const auto size = c.at("size").get<size_t>();
    if (op == "copy") {
      CHECK(clEnqueueCopyBuffer(queue, memory_of(c, "from"), memory_of(c, "to"),
                                c["from_offset"].get<size_t>(), c["to_offset"].get<size_t>(), size, waits,
                                list, event));
      return;
    }
    const cl_mem memory = memory_of(c, "buffer");
    const auto offset = c.at("offset").get<size_t>();
    if (op == "fill") {
      const Bytes pattern = from_hex(c.at("hex").get<std::string>());
      CHECK(clEnqueueFillBuffer(queue, memory, pattern.data(), pattern.size(), offset, size, waits, list,
                                event));
      return;
    }
    const bool blocking = c.value("blocking", false);
    unsigned char* const bytes = c.contains("area")
                                     ? areas_[c["area"].get<size_t>()].data() + c["area_offset"].get<size_t>()
                                     : new_bytes(size).data();
    if (op == "read") {
      CHECK(clEnqueueReadBuffer(queue, memory, blocking, offset, size, bytes, waits, list, event));
      show_read("read " + std::to_string(c["id"].get<int>()), bytes, size, blocking);
    } else if (op == "write") {
      if (!c.contains("area")) fill_random(bytes, size, c.at("seed").get<uint64_t>());
      CHECK(clEnqueueWriteBuffer(queue, memory, blocking, offset, size, bytes, waits, list, event));
    } else {
      check(-1, op.c_str());
    }
  }

  // Commands of the program alone. False: it is one for a queue.
  bool play_here(const Json& c, const std::string& op, int id) {
    if (op == "finish") {
      finish();
    } else if (op == "release") {
      for (const Json& b : c.at("buffers")) {
        CHECK(clReleaseMemObject(buffers_[b.get<size_t>()]));
        buffers_[b.get<size_t>()] = nullptr;
      }
    } else if (op == "create") {
      make_buffer(c.at("buffer").get<size_t>());
    } else if (op == "user_event") {
      cl_int error = CL_SUCCESS;
      events_[id] = clCreateUserEvent(context_, &error);
      check(error, "clCreateUserEvent");
    } else if (op == "set_user_event") {
      set_user_event(c.at("of").get<int>());
    } else if (op == "wait") {
      flush_all();
      for (const Json& of : c.at("of_all")) {
        const auto known = events_.find(of.get<int>());
        if (known == events_.end()) continue;
        CHECK(clWaitForEvents(1, &known->second));
        std::printf("waited for %d: status %d\n", known->first, status_of(known->second));
      }
    } else {
      return false;
    }
    return true;
  }

  static cl_int status_of(cl_event event) {
    cl_int status = 0;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
    return status;
  }

  // No command that waits for the event can be over yet.
  void set_user_event(int event) {
    flush_all();
    for (const Json& c : json_.at("commands")) {
      const auto made = events_.find(c.at("id").get<int>());
      if (c.value("after", -1) != event || made == events_.end()) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (status_of(made->second) <= CL_RUNNING) std::printf("%d does not wait\n", made->first);
    }
    CHECK(clSetUserEventStatus(events_.at(event), CL_COMPLETE));
  }

  void play(const Json& c) {
    const std::string op = c.at("op").get<std::string>();
    const int id = c.at("id").get<int>();
    if (play_here(c, op, id)) return;
    const cl_command_queue queue = queues_[c.value("queue", 0)];
    if (op == "flush") return check(clFlush(queue), "clFlush");
    if (c.value("blocking", false)) flush_all();
    std::vector<cl_event> list;
    for (const Json& w : c.value("waits", Json::array()))
      list.push_back(events_.at(w.get<int>()));
    const auto waits = static_cast<cl_uint>(list.size());
    const cl_event* const first = list.empty() ? nullptr : list.data();
    cl_event made = nullptr;
    cl_event* const event = c.value("event", false) ? &made : nullptr;
    if (op == "launch") {
      launch(c, queue, waits, first, event);
    } else if (op.ends_with("_rect")) {
      rect(c, queue, waits, first, event);
    } else if (c.contains("image")) {
      image(c, queue, waits, first, event);
    } else if (op == "map") {
      map(c, queue, waits, first, event);
    } else if (op == "unmap") {
      unmap(c, queue, waits, first, event);
    } else if (op == "barrier") {
      CHECK(clEnqueueBarrierWithWaitList(queue, waits, first, event));
    } else if (op == "marker") {
      CHECK(clEnqueueMarkerWithWaitList(queue, waits, first, event));
    } else {
      transfer(c, queue, waits, first, event);
    }
    if (made != nullptr) events_[id] = made;
  }

  struct Mapped {
    cl_mem memory = nullptr;
    unsigned char* bytes = nullptr;
    size_t size = 0;
    std::string how;
    cl_event ready = nullptr;
  };
  struct Pending {
    std::string label;
    const unsigned char* bytes;
    size_t count;
  };

  std::map<int, cl_event> events_;
  std::map<int, Mapped> mapped_;
  std::vector<Pending> pending_;
};

}  // namespace fuzz

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1]);
  const fuzz::Json json = fuzz::Json::parse(file);
  fuzz::Case player(json);
  player.play();
  return 0;
}
