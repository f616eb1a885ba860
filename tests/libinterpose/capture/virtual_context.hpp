// SPDX-License-Identifier: Apache-2.0
// A context with a Runtime on devices of the fake driver, in virtual time, on one thread. It has what api/
// has of a program: a queue, buffers of floats, launches. The runtime under it is the whole of the real one.
#pragma once

#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/device/emulated_kind.hpp"
#include "tests/libinterpose/fakes/fake_driver.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mkmd {

inline constexpr size_t kItems = 256 * 64;  // of the buffers of most tests

// This class has more than 25 methods: most are commands of the program.
class VirtualContext {
public:
  struct Machine {
    size_t devices = 2;
    bool separate = false;                              // each has a memory of its own
    std::optional<emulation::PlatformFile> emulated{};  // then as many devices as it has
    std::string policy = Settings().policy;
    std::string cache{};  // the folder that files of earlier runs lie in; empty: there is none
    // Each but home's has a memory that is not the host's, and may be lost. With `host_bytes`, device 1 has
    // not.
    bool losable = false;
    bool rivals = false;      // the devices are drivers that share cores
    bool host_bytes = false;  // buffers lie in memory of ours, which all other devices work in
    bool in_spirv = false;    // the program
    bool pocl = false;        // its driver
  };
  static constexpr size_t kLocal = 64;

  explicit VirtualContext(const Machine& machine);
  ~VirtualContext();

  fake::Driver& driver() { return driver_; }
  Runtime& runtime() { return *runtime_of(*context_); }
  Session& session() { return *session_; }
  Queue& queue() { return *queue_; }
  emulation::Machine* emulated() { return kind_ ? &kind_->machine() : nullptr; }

  Ref<Memory> buffer(const std::vector<float>& values);  // whose bytes are at home
  // out[i] = in[i] * 2 + 1. Both may be one buffer.
  Ref<Command> twice(const Ref<Memory>& in, const Ref<Memory>& out);
  // out[i] = a[i] + b[i].
  Ref<Command> sum(const Ref<Memory>& a, const Ref<Memory>& b, const Ref<Memory>& out);
  // numbers[in[i] % their count] changes by in[i] in the way of the update, of 32 bits. in[i] is a whole
  // number.
  // A store writes kMark, to every third place.
  static constexpr int32_t kMark = -3;
  // `and_twice`, with additions: in[i] then changes in place as by twice().
  Ref<Command> update(compiler::Update::Kind kind, const Ref<Memory>& in, const Ref<Memory>& numbers,
                      bool and_twice = false);
  // out[index[i]] = scattered(out[index[i]], i), once the runtime has looked into the index buffer, whose
  // bytes are integers. Whole numbers stay such; two work-items at one place give another one in the other
  // order.
  static float scattered(float value, size_t i);
  Ref<Command> scatter(const Ref<Memory>& index, const Ref<Memory>& out);
  // Of a kernel by name. "tally" adds as an update does, but may not be split; it may run on any device.
  Ref<Command> launch(const std::string& kernel, const std::vector<Ref<Memory>>& buffers);
  Ref<Command> fill(const Ref<Memory>& buffer, float value);
  Ref<Command> copy(const Ref<Memory>& from, const Ref<Memory>& to);
  Ref<Command> write(const Ref<Memory>& to, const std::vector<float>& values);  // `values` must live on
  Ref<Command> read(const Ref<Memory>& from, std::vector<float>& values);       // likewise
  // All of these with what they wait for.
  Ref<Command> capture(Ref<Command> command, const std::vector<Event*>& waits = {});
  Ref<Event> with_event(const Ref<Command>& command);

  // Of the whole buffer, blocking; `status` of the command.
  std::vector<float> values(const Ref<Memory>& buffer, cl_int* status = nullptr);

  // What building the program does under the real api, and what the process's exit does.
  void recall() { runtime().code().expect(*program_->analysis->result().sub_kernels); }
  void keep_learned() { session_->keep_learned(); }

  // As a program's own launch that is not captured.
  cl_int native_twice(const Ref<Memory>& in, const Ref<Memory>& out);
  cl_int native_write(const Ref<Memory>& to, const std::vector<float>& values);  // blocking

private:
  Ref<Command> command(Command::What what) {
    return Ref<Command>(new Command(std::move(what), queue_.get()));
  }
  void configure(const Machine& machine, size_t devices);
  void add_kernel(const compiler::KernelInfo& info);

  fake::Driver driver_;
  std::optional<EmulatedKind> kind_;  // empty: real devices
  Configuration configuration_;
  std::unique_ptr<Session> session_;
  Ref<Context> context_;
  Ref<Queue> queue_;
  Ref<Program> program_;
  std::map<std::string, Ref<Kernel>> kernels_;
};

}  // namespace mkmd
