// SPDX-License-Identifier: Apache-2.0
// A driver of tests: the dispatch table and the objects of an OpenCL implementation whose devices run in
// virtual time, on the thread that waits. Buffers have bytes, kernels are functions of the test, and commands
// fail as the test says. Queues are in order. One driver at a time.
#pragma once

#include <CL/cl_icd.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mkmd::fake {

class Driver;

struct Handle {
  const cl_icd_dispatch* table;
  int references = 1;
};

// This struct has more than 15 fields: most are ways in which a device may fail.
struct Device : Handle {
  std::string name;
  cl_ulong launch = 10'000;  // nanoseconds of each kernel
  double per_item = 100;     // and for each work-item
  double per_byte = 0.1;     // of a copy
  bool is_remote = false;    // its memory is not the host's
  cl_ulong gone_at =
      UINT64_MAX;  // from then on calls fail, its driver says so, and what is under way never ends
  cl_ulong mute_at = UINT64_MAX;  // from then on nothing ends, nor do calls that need its answer, and its
                                  // driver says nothing
  bool lost = false;              // from now on, every call fails, and what is under way does
  cl_int calls_pass = 0;          // the next so many calls that enqueue, and then
  cl_int calls_fail = 0;          // so many
  cl_int flushes_fail = 0;        // likewise
  cl_int kernels_fail = 0;        // the next so many kernels end with an error
  bool fails_badly = false;       // kernels that end with an error have done their work, more than once
  bool says_nothing = false;      // no callback is called
  cl_ulong busy_until = 0;
  int kernels_run = 0;
  int kernels_by_offset = 0;  // those whose first work-item is not 0
  bool is_gone() const;
  bool is_mute() const;
};

struct Context : Handle {
  std::vector<Device*> devices;
};

struct Buffer : Handle {
  Context* context = nullptr;
  std::shared_ptr<unsigned char> bytes;  // null: `host`, which is the application's
  unsigned char* host = nullptr;
  size_t origin = 0, size = 0;
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  cl_uint maps = 0;
  std::function<void()> farewell = {};
  unsigned char* data() { return (bytes != nullptr ? bytes.get() : host) + origin; }
  ~Buffer() {
    if (farewell) farewell();
  }
};

struct Program : Handle {
  std::string source;
  bool by_offset = false;  // compiler::kByOffset
};

struct Argument {
  Buffer* buffer = nullptr;
  std::vector<unsigned char> value;
};

struct Kernel : Handle {
  std::string name;
  bool by_offset = false;  // as its program
  std::vector<Argument> arguments;
};

struct Event;

struct Queue : Handle {
  Context* context;
  Device* device;
  std::deque<Event*> commands;  // not over
  size_t flushed = 0;           // of these
  cl_ulong free_at = 0;
};

struct Event : Handle {
  Queue* queue;
  cl_int status = CL_QUEUED;
  bool is_kernel = false;
  cl_ulong takes = 0, queued = 0, started = 0, ended = 0;
  std::function<void()> work;
  std::vector<Event*> after;
  struct Callback {
    void(CL_CALLBACK* function)(cl_event, cl_int, void*);
    void* user_data;
  };
  std::vector<Callback> callbacks;
};

// One work-item of a kernel of one dimension, by its global id.
using Item = std::function<void(const std::vector<Argument>&, size_t id)>;

class Driver {
public:
  // `on_host_bytes`: it says when memory of the application is no longer used, so that its buffers may lie
  // there.
  explicit Driver(size_t devices, bool on_host_bytes = false);
  ~Driver();

  cl_device_id device(size_t d) { return reinterpret_cast<cl_device_id>(devices_[d].get()); }
  cl_platform_id platform() { return reinterpret_cast<cl_platform_id>(&platform_); }
  Device& operator[](size_t d) { return *devices_[d]; }

  cl_ulong clocks_ahead = 0;  // nanoseconds that devices' clocks show more than the host's

  // What kernels of that name do, in programs that contain `pieces` below and in others.
  std::map<std::string, Item> kernels;
  // Text of the code for pieces: only programs with it can be built, unless all can. Its kernels have nine
  // more arguments. Those of the other one, in SPIR-V, are launched with an offset.
  static constexpr const char* kPieces = "pieces";
  static constexpr const char* kSpirvPieces = "\x03\x02\x23\x07pieces";
  static const char* pieces(bool in_spirv) { return in_spirv ? kSpirvPieces : kPieces; }
  struct Compiler {
    bool builds_all = false;
    cl_ulong takes = 0;  // nanoseconds for a program
    bool takes_spirv = true;
    std::string version = "OpenCL 3.0";  // of the platform
  } compiler;

  cl_program make_program();  // one that the application has built

  bool advance(cl_ulong until);  // until the next command is over, and says so; false: none is by then
  void finish(Queue& queue);
  void finish(Event& event);
  int allocations_fail = 0;  // of the next so many buffers

  // A call that never returns was made: by vendor::returns_in_time(), or the test ends here.
  void never_return();
  bool makes_call_in_time = false, has_not_returned = false;
  std::set<const void*> late;  // objects

  std::vector<Queue*> queues;  // all there are
  const bool on_host_bytes;
  static Driver* current;

private:
  bool may_start(const Event& event) const;
  static cl_int outcome_of(const Event& event);
  void end(Event& event);

  Handle platform_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace mkmd::fake
