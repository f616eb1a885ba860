// SPDX-License-Identifier: Apache-2.0
// What the fuzzer knows of the objects it has made. It knows how many references it holds, and which
// commands may still be under way. It knows what bytes a buffer has once everything enqueued is done.
// Nothing here calls OpenCL, but for the last release of an event that the model holds.
#pragma once

#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

namespace fuzz {

// Reproducible, and the same in every build.
class Random {
public:
  explicit Random(uint64_t seed = 1) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  size_t below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(next() % limit); }
  size_t between(size_t least, size_t most) { return least + below(most - least + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T>
  T& pick(std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <typename T>
  T one_of(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }

private:
  uint64_t state_;
};

using Bytes = std::vector<unsigned char>;

// Bytes of which none is like its neighbours, eight at a time: most of what a run does is making and
// comparing them.
inline void scatter(unsigned char* to, size_t size, uint64_t salt) {
  for (size_t at = 0; at < size; at += sizeof salt) {
    std::memcpy(to + at, &salt, std::min(size - at, sizeof salt));
    salt = salt * 0x5851F42D4C957F2Du + 0x14057B7EF767814Fu;
  }
}

inline void repeat(unsigned char* to, size_t size, const unsigned char* pattern, size_t width) {
  size_t done = std::min(size, width);
  std::memcpy(to, pattern, done);
  for (size_t more = 0; done < size; done += more) {
    more = std::min(size - done, done);
    std::memcpy(to + done, to, more);
  }
}

// Callbacks that have been registered and those that came, each counted apart.
struct Callbacks {
  std::atomic<uint64_t> events_expected{0}, events_called{0};
  std::atomic<uint64_t> memories_expected{0}, memories_called{0};
  std::atomic<uint64_t> builds_expected{0}, builds_called{0};
  std::atomic<uint64_t> contexts_expected{0}, contexts_called{0};
  std::atomic<uint64_t> twice{0};        // called more than once
  std::atomic<uint64_t> out_of_turn{0};  // wrong status, handle, or order
};

// The program's references of an object.
template <typename Handle>
struct Counted {
  Handle handle = nullptr;
  int references = 1;
};

struct Gate {  // a user event that has not been set
  cl_event handle = nullptr;
  bool is_set = false;
};
using GatePtr = std::shared_ptr<Gate>;

struct Queue;
using QueuePtr = std::shared_ptr<Queue>;

// Contents to compare once the command is complete.
struct Check {
  std::shared_ptr<Bytes> got;  // or `mapped`
  const unsigned char* mapped = nullptr;
  std::vector<std::pair<size_t, Bytes>> expected;  // by position in `got`
  const char* what = "";
};

struct Command {
  ~Command() {
    if (event != nullptr) clReleaseEvent(event);
  }
  cl_event event = nullptr;  // one reference is the model's own; null: has none
  QueuePtr queue;
  std::set<GatePtr> gates;       // user events that it may wait for
  std::set<GatePtr> sure_gates;  // of these, those that it does wait for
  bool complete = false;
  std::vector<std::shared_ptr<void>> kept;  // host memory that it uses
  std::vector<Check> checks;
};
using CommandPtr = std::shared_ptr<Command>;

struct Queue : Counted<cl_command_queue> {
  bool in_order = true, profiling = false, shared = false;
  bool flushed = true;               // nothing was enqueued since
  std::vector<CommandPtr> commands;  // not known to be complete
  std::set<GatePtr> gates;           // that some of them wait for
  std::set<GatePtr> sure_gates;      // that the next command waits for, too: of an in-order queue
};

struct Access {
  CommandPtr command;
  size_t begin, end;
  bool written;
};

// Host memory that a buffer uses; freed when the buffer is destroyed.
struct HostMemory {
  std::unique_ptr<unsigned char[]> bytes;
  std::atomic<int> destroyed{0};
};

struct Mapping {
  unsigned char* pointer;
  size_t origin, size;  // in the root
  cl_map_flags flags;
  cl_mem handle;  // it was made of
  CommandPtr command;
};

// A buffer and all its sub-buffers, or an image.
struct Root {
  Bytes bytes;
  std::vector<Access> accesses;
  std::vector<Mapping> mappings;
  std::shared_ptr<HostMemory> host;  // with CL_MEM_USE_HOST_PTR
  bool device_writes = true, device_reads = true;
  bool host_reads = true, host_writes = true;
};

struct Memory : Counted<cl_mem> {
  std::shared_ptr<Root> root;
  std::shared_ptr<Memory> parent;
  size_t origin = 0, size = 0;  // in the root
  cl_mem_flags flags = 0;
  bool device_writes = true, device_reads = true;
  bool host_reads = true, host_writes = true;
};
using MemoryPtr = std::shared_ptr<Memory>;

struct Image : Counted<cl_mem> {
  std::shared_ptr<Root> root;  // accesses are of rows
  size_t width = 0, height = 0;
};
using ImagePtr = std::shared_ptr<Image>;

struct Svm {
  std::shared_ptr<Root> root;
  unsigned char* pointer = nullptr;
};
using SvmPtr = std::shared_ptr<Svm>;

struct Event : Counted<cl_event> {
  CommandPtr command;  // null for a user event
  GatePtr gate;        // of a user event
  bool profiling = false;
};
using EventPtr = std::shared_ptr<Event>;

struct Program : Counted<cl_program> {
  bool built = false;
  int kernels = 0;
  unsigned which = 0;  // of the sources
};
using ProgramPtr = std::shared_ptr<Program>;

struct Kernel : Counted<cl_kernel> {
  ProgramPtr program;
  unsigned which = 0;  // of the kernels in kernels.cpp
};
using KernelPtr = std::shared_ptr<Kernel>;

// A context and what was made in it. A family is one player's own; the context may be shared.
struct Family {
  Counted<cl_context> context;
  bool shared = false;
  std::vector<QueuePtr> queues;
  std::vector<MemoryPtr> memories;
  std::vector<ImagePtr> images;
  std::vector<SvmPtr> svm;
  std::vector<ProgramPtr> programs;
  std::vector<KernelPtr> kernels;
  std::vector<EventPtr> events;
  std::vector<std::shared_ptr<Counted<cl_sampler>>> samplers;
  std::vector<CommandPtr> left;  // perhaps under way, of queues that are gone
};

}  // namespace fuzz
