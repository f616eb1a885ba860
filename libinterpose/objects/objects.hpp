// SPDX-License-Identifier: Apache-2.0
// The objects a program holds: platform, device, context, command-queue, memory object, sampler, program,
// kernel, event. Each owns the vendor's object of the home device, where everything can run whole (Rule 1
// of docs/architecture.md). It also owns what our own execution needs. Entry points in api/ check arguments
// and work on these.
#pragma once

#include "common/settings.hpp"
#include "common/thread_annotations.hpp"
#include "compiler/client.hpp"
#include "libinterpose/objects/image_shape.hpp"
#include "libinterpose/objects/object.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mkmd {

struct CallbackOrder;

class Memory;
class Queue;
class Storage;       // memory/storage.hpp: where the bytes of one root buffer are valid
class Command;       // commands/command.hpp
struct KernelModel;  // timing/time_model.hpp
class LaunchFacts;   // timing/launch_facts.hpp
namespace compiler {
struct Origin;  // compiler/binary_origin.hpp
}

// Owns what only floors above know: who makes it says how it ends.
template <typename T>
struct Ending {
  void (*end)(T*) = nullptr;
  void operator()(T* object) const { end(object); }
};
template <typename T>
using Opaque = std::unique_ptr<T, Ending<T>>;

// What carries out the captured commands of a context, as its objects know it (capture/runtime.hpp).
class ContextRuntime {
public:
  virtual ~ContextRuntime() = default;
  // For a root buffer that is being made, or an image that stands alone; null: its kernels run whole at home.
  virtual Opaque<Storage> make_storage(Memory& root) = 0;
  // The queue is about to go.
  virtual void note_end(Queue& queue) = 0;
  // The context goes. Destroys this, on a thread where it may: the last reference may go anywhere.
  virtual void retire() = 0;
};

// The one platform of the process. `home` is the real platform whose answers it gives.
class Platform : public Object<Platform, ObjectType::platform, cl_platform_id> {
public:
  explicit Platform(cl_platform_id home) : home(home) {}
  const cl_platform_id home;
};

// The virtual device (`is_virtual`), or a sub-device the program made of it, which is the vendor's and
// nothing more.
class Device : public Object<Device, ObjectType::device, cl_device_id> {
public:
  Device(Platform* platform, cl_device_id home, bool is_virtual, Device* parent);
  ~Device();

  Platform* const platform;
  const cl_device_id home;
  const bool is_virtual;
  const Ref<Device> parent;
  // What the driver takes where a launch has no local size (cl_khr_suggested_local_work_size); may be null.
  const clGetKernelSuggestedLocalWorkSizeKHR_fn suggested_local_size;
};

class Context : public Object<Context, ObjectType::context, cl_context> {
public:
  Context(vendor::Owned<cl_context> native, std::vector<Ref<Device>> devices,
          std::vector<cl_context_properties> properties);
  ~Context();

  const vendor::Owned<cl_context> native;  // holds the home device, and every device that shares its memory
  const std::vector<Ref<Device>> devices;
  const std::vector<cl_context_properties> properties;  // as the program gave them
  // Null where nothing is ever split: one real device, or a context of the program's own sub-devices.
  std::unique_ptr<ContextRuntime> runtime;
  // While a user event of the context is unset nothing new is captured: what waits behind it stays the
  // vendor's.
  std::atomic<int> unset_user_events{0};
};

class Queue : public Object<Queue, ObjectType::queue, cl_command_queue> {
public:
  Queue(Context* context, Device* device, vendor::Owned<cl_command_queue> native,
        cl_command_queue_properties properties, std::vector<cl_queue_properties> property_list,
        bool traced = false);
  ~Queue();

  bool in_order() const { return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }
  bool profiling() const { return (properties & CL_QUEUE_PROFILING_ENABLE) != 0; }

  const Ref<Context> context;
  const Ref<Device> device;
  const vendor::Owned<cl_command_queue> native;
  cl_command_queue_properties properties;
  const std::vector<cl_queue_properties> property_list;  // as given to clCreateCommandQueueWithProperties
  // `native` measures its commands for the trace, though the program may not have asked for that.
  const bool traced;

  int waiting = 0;  // threads that wait for captured commands of it; the executor's mutex guards it
  std::atomic<int> unposted{0};  // its captured actions of which no driver has said that they are complete
  std::atomic<bool> native_active{false};  // something went to `native` since the runtime last looked
};

// Of a root buffer whose bytes at home the host may touch without a command (vendor/host_visible.hpp).
struct VisibleBytes {
  char* begin = nullptr;   // null: it may not
  cl_mem_flags place = 0;  // which of vendor::kPlaceFlags the program gave
};

// A buffer, sub-buffer or image. `native` lives in the home context and was made with the program's own
// flags and host pointer. So limits, errors and USE_HOST_PTR behave as the home's. Only where its bytes are
// visible, they lie in memory of ours.
class Memory : public Object<Memory, ObjectType::memory, cl_mem> {
public:
  Memory(Context* context, vendor::Owned<cl_mem> native, Memory* parent, size_t origin, size_t size,
         bool is_buffer, const VisibleBytes& visible_bytes = {});
  // An image. `stands_alone`: no other memory object has its pixels.
  Memory(Context* context, vendor::Owned<cl_mem> native, Memory* parent, const ImageShape& image,
         bool stands_alone);
  ~Memory();

  Memory* root() { return parent ? parent->root() : this; }
  // Bytes that are never parted: those of a pixel.
  uint64_t unit() const { return image.pixel > 0 ? image.pixel : 1; }
  // Whether these are bytes of it, and any at all.
  bool has(size_t at, size_t count) const { return count > 0 && at <= size && count <= size - at; }

  const Ref<Context> context;
  const vendor::Owned<cl_mem> native;
  const Ref<Memory> parent;  // of a sub-buffer, or the buffer an image was made from
  const size_t origin;       // of a sub-buffer, in its root
  const size_t size;         // in bytes, as asked for; of an image all its pixels', 0: not known
  const bool is_buffer;      // plain buffer or sub-buffer
  const VisibleBytes visible_bytes;
  const ImageShape image{};
  std::atomic<bool> was_argument{false};  // of some kernel, at some time
  Opaque<Storage> storage;  // of a root buffer, or an image that stands alone, in a context with a runtime
  // Of a sub-buffer: the vendors' in other memory domains, made when first needed; the executor's mutex
  // guards them.
  std::vector<vendor::Owned<cl_mem>> elsewhere;
};

class Sampler : public Object<Sampler, ObjectType::sampler, cl_sampler> {
public:
  Sampler(Context* context, vendor::Owned<cl_sampler> native,
          std::vector<cl_sampler_properties> property_list);
  ~Sampler();

  // Such a one of another vendor context, which outlives this. Null: its driver has none.
  cl_sampler in(cl_context vendor_context);
  // It is nothing but what samplers of every driver are.
  bool is_plain() const;

  const Ref<Context> context;
  const vendor::Owned<cl_sampler> native;
  const std::vector<cl_sampler_properties> property_list;

private:
  Mutex mutex_;
  std::map<cl_context, vendor::Owned<cl_sampler>> elsewhere_ GUARDED_BY(mutex_);
};

// What our compiler made of a program: shared by its kernels, which outlive a rebuild.
struct SubKernels {
  compiler::Module module;
  std::shared_ptr<const compiler::Origin> built_from;
  // Code for pieces, by place of the runtime's (commands/piece_code.hpp).
  struct PieceCode {
    enum class State { none, in_making, ready, refused } state = State::none;
    vendor::Owned<cl_program> program;
    std::string why;  // it was refused
  };
  Mutex mutex;
  std::condition_variable made;  // some place's code is no longer in the making
  std::map<size_t, PieceCode> code GUARDED_BY(mutex);
  bool wanted GUARDED_BY(mutex) = false;  // the CodeBuilder was asked to make it
  std::atomic<bool> recalled{false};      // what earlier runs have learned is taken up (capture)
  // Of launches that had to do without: see timing::WithoutCode.
  struct Without {
    double whole = 0, missed = 0, surely = 0;
    double since = 0;  // when the first of them was asked about
  } without GUARDED_BY(mutex);
  vendor::Owned<cl_program>
      repair GUARDED_BY(mutex);  // for the lane of repairs, built when something has failed

  // What drivers surely have compiled: pieces that have run. See capture/at_exit.cpp.
  struct Code {
    std::string kernel;
    std::array<uint64_t, 3> local;
    bool lasts;  // it is the home's driver that has it

    auto operator<=>(const Code&) const = default;
  };
  struct Ran {
    int lane = 0;
    std::array<uint64_t, 3> groups{};  // of the largest such piece
  };
  Mutex ran_mutex;
  std::map<Code, Ran> ran GUARDED_BY(ran_mutex);
};

// What our compiler says of a program as it was built. The program may go on meanwhile. Thread-safe.
class Analysis {
public:
  struct Result {
    std::shared_ptr<SubKernels> sub_kernels;  // null: there are none, for the reason `why_not`
    std::string why_not;
  };
  void end(Result result);  // at most once

  bool has_ended() const { return ended_.load(std::memory_order_acquire); }
  const Result& result() const { return result_; }  // once it has ended

private:
  std::atomic<bool> ended_{false};
  Result result_;
};

class Program : public Object<Program, ObjectType::program, cl_program> {
public:
  Program(Context* context, vendor::Owned<cl_program> native, std::shared_ptr<const compiler::Origin> origin,
          std::string not_analysed);
  ~Program();

  const Ref<Context> context;
  const vendor::Owned<cl_program> native;
  std::vector<Ref<Device>> devices;  // it is for; all of the context's unless made for fewer

  mutable Mutex mutex;
  // Its source or intermediate language alone, or of a binary, all that the binary was made from. Null: not
  // known, or it was linked.
  std::shared_ptr<const compiler::Origin> origin GUARDED_BY(mutex);
  std::shared_ptr<Analysis> analysis GUARDED_BY(mutex);  // of its latest build; null: there is none
  std::string not_analysed GUARDED_BY(mutex);            // why there is none; empty: it was not tried
  int builds GUARDED_BY(mutex) = 0, builds_under_way GUARDED_BY(mutex) = 0;
  // What the latest build, compilation or link made; null: not known.
  std::shared_ptr<const compiler::Origin> built_from GUARDED_BY(mutex);
};

// One argument as last set. Memory objects are our own handles: devices other than home need their own.
struct KernelArgument {
  enum class Kind { unset, value, memory, image, sampler, local, other } kind = Kind::unset;
  std::vector<unsigned char> value;  // of a value, or the vendor's handle of an image or a sampler
  Ref<Memory> memory;                // a buffer, which may be null, or an image
  // A sampler goes when no command uses it any more, but PoCL 3.1 lets go of it with the program's last
  // reference.
  Ref<Sampler> sampler;
  size_t local_size = 0;

  // The memory object of whose bytes or pixels it is known who uses them; null: none.
  Memory* tracked() const {
    const bool is = kind == Kind::memory || (kind == Kind::image && memory && memory->storage);
    return is ? memory.get() : nullptr;
  }
};
using KernelArguments = std::vector<KernelArgument>;

// Why the last launch was not worth splitting: asked again only when something changed, or now and then.
struct LaunchDecision {
  uint64_t version = 0;  // of the arguments
  cl_uint work_dim = 0;
  std::array<uint64_t, 3> global{}, local{}, offset{};  // local all zero: the program gave none
  const char* why_not = nullptr;                        // a literal; null: it was
  uint32_t uses_left = 0;
};

// What of its program's analysis is about a kernel, which may be made before that has ended.
class KernelAnalysis {
public:
  explicit KernelAnalysis(std::shared_ptr<const Analysis> program) : program_(std::move(program)) {}

  const Analysis* program() const { return program_.get(); }  // null: there is none
  const compiler::KernelInfo* info() const { return info_.load(std::memory_order_acquire); }
  const std::shared_ptr<SubKernels>& sub_kernels() const { return sub_kernels_; }  // where info() is not null

  bool is_to_be_taken_up() const;
  // Sets info() if the program has such a kernel. One caller at a time.
  void take_up(const std::string& name, size_t argument_count);

private:
  const std::shared_ptr<const Analysis> program_;
  std::atomic<bool> taken_up_{false};
  std::shared_ptr<SubKernels> sub_kernels_;  // does not change once info_ is set
  std::atomic<const compiler::KernelInfo*> info_{nullptr};
};

class Kernel : public Object<Kernel, ObjectType::kernel, cl_kernel> {
public:
  Kernel(Program* program, vendor::Owned<cl_kernel> native, std::string name, cl_uint argument_count);
  ~Kernel();

  const Ref<Program> program;
  Context* context() const { return program->context.get(); }
  const vendor::Owned<cl_kernel> native;  // always has the program's latest arguments set
  const std::string name;

  // What our compiler says of the kernel. Null: it runs whole at home. A kernel may be made before its
  // program has been analysed. Then this is null until take_up_analysis() finds that it has.
  const compiler::KernelInfo* info() const { return analysis_.info(); }
  void take_up_analysis() EXCLUDES(mutex);
  const std::shared_ptr<SubKernels>& sub_kernels() const {
    return analysis_.sub_kernels();
  }                                      // with info() alone
  std::string why_not_analysed() const;  // where info() is null

  // Guards `native`'s arguments, too. The driver is called with it held to set those, or to copy them to
  // another kernel: they must stay the same as ours.
  Mutex mutex;
  // Copied before a change if a command still holds it.
  std::shared_ptr<KernelArguments> arguments GUARDED_BY(mutex);
  uint64_t arguments_version GUARDED_BY(mutex) = 0;  // rises with every clSetKernelArg
  bool uses_svm GUARDED_BY(mutex) = false;  // an SVM pointer or exec info was set: always runs whole at home

  // The runtime's own copies, one per lane, so that setting arguments never meets the program's.
  Mutex lane_mutex;
  std::map<std::pair<const void*, bool>, vendor::Owned<cl_kernel>>
      lane_kernels GUARDED_BY(lane_mutex);               // (lane, as sub-kernel)
  std::shared_ptr<KernelModel> model GUARDED_BY(mutex);  // what is known of its times
  LaunchDecision decision GUARDED_BY(mutex);
  std::vector<std::shared_ptr<const LaunchFacts>> facts GUARDED_BY(mutex);  // of its last launches
  std::vector<bool> scalars_that_matter GUARDED_BY(mutex);                  // to these; set with the first

private:
  KernelAnalysis analysis_;
};

// An event of a command the vendor runs (`native` set), of a user event (both), or of a captured command.
class Event : public Object<Event, ObjectType::event, cl_event> {
public:
  Event(Context* context, Queue* queue, cl_command_type command_type);
  ~Event();

  const Ref<Context> context;
  const Ref<Queue> queue;  // null for a user event
  const cl_command_type command_type;
  const std::chrono::steady_clock::time_point made = std::chrono::steady_clock::now();
  vendor::Owned<cl_event> native;
  bool is_user = false;
  std::atomic<bool> user_status_set{false};
  std::atomic<bool> waited_for{false};  // a user event: by a command

  // Captured commands only (native is null). The runtime writes; anybody reads.
  std::atomic<cl_int> status{CL_QUEUED};
  std::array<std::atomic<cl_ulong>, 4>
      times{};                                 // queued, submit, start, end: nanoseconds of the home's clock
  std::atomic<uint32_t> unchanged_answers{0};  // for polling programs, see api/objects/event.cpp

  struct Callback {
    cl_int trigger;
    void(CL_CALLBACK* function)(cl_event, cl_int, void*);
    void* user_data;
  };
  Mutex mutex;
  std::vector<Callback> callbacks GUARDED_BY(mutex);  // of captured commands, not yet due
};

// Drivers end the callbacks of an event before they begin what waited for it.
CallbackOrder order_of_callbacks(const Event& event);

// The status of a captured command's event has changed: its callbacks that are due are run (run_callback).
void event_status_changed(Event& event);

}  // namespace mkmd
