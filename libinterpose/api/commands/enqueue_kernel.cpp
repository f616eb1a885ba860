// SPDX-License-Identifier: Apache-2.0
// Kernel launches: the decision between home's command-queue (at once, on this thread: Rule 7) and capture. A
// launch is captured if it is worth splitting, or if captured commands are unfinished. Only launches that the
// driver would surely accept are captured. So every error is the driver's own.
#include "libinterpose/api/commands/capture.hpp"
#include "libinterpose/api/commands/local_size.hpp"
#include "libinterpose/api/commands/touched_memories.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/profiling/profile.hpp"
#include "libinterpose/vendor/pocl.hpp"
#include "libinterpose/verify/verify.hpp"

#include <algorithm>
#include <optional>

namespace mkmd::api {

namespace {

struct Shape {
  cl_uint work_dim;
  const size_t* offset;
  const size_t* global;
  const size_t* local;
};

bool same(const std::array<uint64_t, 3>& kept, const size_t* given, cl_uint work_dim) {
  for (cl_uint d = 0; d < work_dim; ++d) {
    if (kept[d] != (given != nullptr ? given[d] : 0)) return false;
  }
  return true;
}

bool decided(const Kernel& kernel, const Shape& shape) REQUIRES(kernel.mutex) {
  const LaunchDecision& d = kernel.decision;
  return d.uses_left > 0 && d.version == kernel.arguments_version && d.work_dim == shape.work_dim &&
         same(d.global, shape.global, shape.work_dim) && same(d.local, shape.local, shape.work_dim) &&
         same(d.offset, shape.offset, shape.work_dim);
}

void decide(Kernel& kernel, const Shape& shape, const Runtime::Answer& answer) REQUIRES(kernel.mutex) {
  LaunchDecision& d = kernel.decision;
  d.version = kernel.arguments_version;
  d.work_dim = shape.work_dim;
  d.why_not = answer.why_not;
  d.uses_left = answer.for_want_of_code ? 0 : timing::kLimits.launches_per_answer;
  for (cl_uint i = 0; i < shape.work_dim; ++i) {
    d.global[i] = shape.global[i];
    d.local[i] = shape.local != nullptr ? shape.local[i] : 0;
    d.offset[i] = shape.offset != nullptr ? shape.offset[i] : 0;
  }
}

// An argument may have been set before the program was analysed. Not all drivers say what a kernel declares:
// a number may then have looked like a handle, and local memory like a buffer that is null.
bool is_as_declared(const KernelArgument& a, compiler::Argument::Kind declared) {
  using Declared = compiler::Argument::Kind;
  using Kind = KernelArgument::Kind;
  switch (declared) {
  case Declared::value:
    return a.kind == Kind::value;
  case Declared::local:
    return a.kind == Kind::local;
  case Declared::buffer:
  case Declared::constant_buffer:
    return a.kind == Kind::memory;
  case Declared::image:
    return a.kind == Kind::image;
  case Declared::sampler:
    return a.kind == Kind::sampler;
  default:
    return false;
  }
}

// Whether an argument may belong to a captured launch. An image made from a buffer shows that buffer's bytes.
// Of others whose pixels are not tracked, only commands that go straight to home, which are in order with all
// captured ones, write any. Where memories are separate, these images are home's own.
bool can_be_captured(const Kernel& kernel, const KernelArguments& arguments, size_t i) {
  using Kind = KernelArgument::Kind;
  const KernelArgument& a = arguments[i];
  const compiler::Argument& declared = kernel.info()->arguments[i];
  const bool separate = runtime_of(*kernel.context())->domains().separate();
  if (!is_as_declared(a, declared.kind)) return false;
  switch (a.kind) {
  case Kind::value:
  case Kind::local:
    return true;
  case Kind::sampler:
    return !separate || a.sampler->is_plain();
  case Kind::memory:
    return !a.memory || a.memory->root()->storage != nullptr;
  case Kind::image:
    return ((declared.access == "read_only" && !separate) || a.memory->storage) && a.memory->size > 0 &&
           !a.memory->parent && !process().session->kind.has_only_buffers();
  default:
    return false;
  }
}

// PoCL tells its compiler that an offset is at most 65,535 where no dimension has so many work-items. It
// would say so of pieces of larger launches, too, and of offsets that are larger.
bool knows_offset(const compiler::Launch& launch) {
  constexpr uint64_t kMost = 65535;
  const uint64_t offset = std::ranges::max(launch.offset);
  if (offset == 0 || (offset <= kMost && std::ranges::max(launch.global) < kMost)) return true;
  return std::ranges::none_of(process().configuration.devices, [](const vendor::Device& device) {
    return vendor::compiles_for_offsets(device.platform);
  });
}

// Everything a captured launch needs, or false if the launch is for the vendor: odd in any way, or in error.
// It has its arguments already.
bool make_launch(Queue& queue, Kernel& kernel, const Shape& shape, KernelLaunch& launch) {
  const KernelArguments& arguments = *launch.arguments;
  if (may_wait(kernel) || kernel.info()->any_buffer) return false;
  if (kernel.context() != queue.context.get() || shape.global == nullptr) return false;
  if (shape.work_dim < 1 || shape.work_dim > 3) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!can_be_captured(kernel, arguments, i)) return false;
  }
  compiler::Launch& s = launch.shape;
  s.work_dim = shape.work_dim;
  for (cl_uint d = 0; d < shape.work_dim; ++d) {
    s.global[d] = shape.global[d];
    s.offset[d] = shape.offset != nullptr ? shape.offset[d] : 0;
    // Code for pieces counts ids in 32 bits where the program does.
    constexpr uint64_t kMostIds = uint64_t{1} << 31;
    if (s.global[d] == 0 || s.global[d] > kMostIds || s.offset[d] > kMostIds - s.global[d]) return false;
  }
  if (shape.local != nullptr) {
    for (cl_uint d = 0; d < shape.work_dim; ++d)
      s.local[d] = shape.local[d];
  } else if (!choose_local_size(queue, kernel, s)) {
    return false;
  }
  if (!local_size_is_valid(kernel, s) || !knows_offset(s)) return false;
  for (int d = 0; d < 3; ++d)
    launch.groups[d] = s.global[d] / s.local[d];
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const KernelArgument& a = arguments[i];
    if (a.kind == KernelArgument::Kind::value) {
      compiler::set_scalars(*kernel.info(), i, a.value.data(), a.value.size(), s.scalars);
    } else if (a.kind == KernelArgument::Kind::image) {
      const compiler::ImageExtent& extent = a.memory->image.extent;
      compiler::set_scalars(*kernel.info(), i, extent.data(), sizeof extent, s.scalars);
    }
  }
  launch.kernel = Ref<Kernel>(&kernel);
  const Lock lock(kernel.mutex);
  launch.facts = facts_of(kernel, s);
  return true;
}

bool may_be_written(const compiler::Argument& declared) {
  return declared.kind != compiler::Argument::Kind::constant_buffer &&
         (declared.kind != compiler::Argument::Kind::image || declared.access != "read_only");
}

// What a launch names, or where it may follow pointers to other buffers, every buffer there is.
void touch(const Kernel& kernel, const Runtime* runtime, TouchedMemories& touched) REQUIRES(kernel.mutex) {
  if (may_touch_any(kernel) && runtime != nullptr && runtime->domains().separate())
    return touched.add_every();
  for (size_t i = 0; i < kernel.arguments->size(); ++i) {
    const KernelArgument& a = (*kernel.arguments)[i];
    if (!a.memory) continue;
    touched.add(a.memory.get(), kernel.info() == nullptr || may_be_written(kernel.info()->arguments[i]));
  }
}

// Why a launch is not even looked at.
std::string why_odd(const Kernel& kernel) {
  if (kernel.info() == nullptr) return kernel.why_not_analysed();
  if (!kernel.info()->split_allowed && !kernel.info()->reasons.empty())
    return kernel.info()->reasons.front().text;
  const auto is_image = [](const compiler::Argument& a) { return a.kind == compiler::Argument::Kind::image; };
  if (std::ranges::any_of(kernel.info()->arguments, is_image) &&
      runtime_of(*kernel.context())->domains().separate())
    return "an image is in the home's memory alone, or the launch is left to the driver";
  return "an argument, the shape of the launch, or what it waits for is left to the driver";
}

// For the trace: why a launch went to the home's own queue.
compiler::Reason why_native(const Kernel& kernel, const Runtime* runtime, bool odd) REQUIRES(kernel.mutex) {
  compiler::Reason why{kernel.decision.why_not != nullptr ? kernel.decision.why_not
                                                          : "measured or verified on copies"};
  if (runtime == nullptr) {
    why.text = "there is one device";
  } else if (kernel.info() != nullptr && !kernel.info()->split_allowed && !kernel.info()->reasons.empty()) {
    why = kernel.info()->reasons.front();
  } else if (kernel.info() == nullptr || odd) {
    why.text = why_odd(kernel);
  }
  return why;
}

// Whether the launch is to be captured, now that it can be. Where launches are measured or verified, that
// happens now, on copies; the launch itself then runs at home.
bool wants_capture(Runtime& runtime, Kernel& kernel, const Shape& shape, const KernelLaunch& launch,
                   bool capturing, bool& needs_code) {
  const bool exiting = process_exiting.load();
  const bool rehearses = process().profiler != nullptr || process().verifier != nullptr;
  // A rehearsal waits until native work is over.
  if (rehearses && !exiting && runtime.must_stay_native()) {
    if (process().verifier != nullptr)
      process().verifier->note_unverified(kernel, "earlier work may wait for what the program does next");
    return false;
  }
  if (process().profiler != nullptr) {
    process().profiler->measure(runtime, launch);
    return capturing && !exiting;
  }
  if (process().verifier != nullptr) {
    if (exiting) {  // drivers may have lost their compilers
      process().verifier->note_unverified(kernel, "the program is ending");
    } else {
      process().verifier->check(runtime, launch);
    }
    return capturing && !exiting;
  }
  if (capturing && !exiting) return true;
  const Runtime::Answer answer = runtime.why_native(kernel, launch);
  needs_code = answer.for_want_of_code;
  const Lock lock(kernel.mutex);
  decide(kernel, shape, answer);
  return answer.why_not == nullptr;
}

// What was found of a launch that the runtime may capture.
struct Considered {
  std::optional<cl_int> captured;  // it is captured, with this status; else it is the home's
  bool odd = false;                // not to be captured, whatever it is worth
  bool needs_code = false;         // for its pieces
};

Considered consider(Runtime& runtime, Queue& queue, Kernel& kernel, const Shape& shape, const WaitList& waits,
                    cl_event* event) {
  Considered result;
  const bool capturing = runtime.capturing();
  bool not_worth = false;
  bool can = false;
  KernelLaunch launch;
  {
    const Lock lock(kernel.mutex);
    if (!capturing && decided(kernel, shape)) {
      --kernel.decision.uses_left;
      not_worth = kernel.decision.why_not != nullptr;
    }
    can = !not_worth && !kernel.uses_svm && may_capture(queue, waits);
    if (can) launch.arguments = kernel.arguments;
  }
  can = can && make_launch(queue, kernel, shape, launch);
  if (can && wants_capture(runtime, kernel, shape, launch, capturing, result.needs_code)) {
    runtime.inspect(launch);
    Ref<Command> command(new Command(KernelCommand{std::move(launch)}, &queue));
    result.captured = capture(std::move(command), CL_COMMAND_NDRANGE_KERNEL, waits, event, false);
    if (result.captured) return result;
  }
  if (!can && process().verifier != nullptr) process().verifier->note_unverified(kernel, why_odd(kernel));
  process().session->summary.add_kernel(false);
  result.odd = !not_worth && !can;
  return result;
}

}  // namespace

cl_int EnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel_handle, cl_uint work_dim,
                            const size_t* global_work_offset, const size_t* global_work_size,
                            const size_t* local_work_size, cl_uint num_events_in_wait_list,
                            const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Kernel* kernel = object_cast<Kernel>(kernel_handle);
  if (kernel == nullptr) return CL_INVALID_KERNEL;
  const WaitList waits{num_events_in_wait_list, event_wait_list};
  Runtime* runtime = runtime_of(*queue->context);
  TouchedMemories touched;
  Considered considered;
  if (runtime != nullptr) {
    kernel->take_up_analysis();
    if (kernel->info() != nullptr) runtime->code().expect(*kernel->sub_kernels());
    const Shape shape{work_dim, global_work_offset, global_work_size, local_work_size};
    considered = consider(*runtime, *queue, *kernel, shape, waits, event);
    if (considered.captured) return *considered.captured;
    const Lock lock(kernel->mutex);
    if (runtime->domains().separate() || kernel->info() == nullptr) touch(*kernel, runtime, touched);
  }
  Trace& trace = process().session->trace;
  vendor::Owned<cl_event> timed;  // for the trace
  const cl_int status = enqueue_native(
      *queue, CL_COMMAND_NDRANGE_KERNEL, touched.list(), waits, event, false, [&](const NativeCall& asked) {
        return enqueue_waiting(*queue, may_wait(*kernel), asked, [&](const NativeCall& n) {
          cl_event own = nullptr;
          cl_event* const made = n.event == nullptr && queue->traced ? &own : n.event;
          const cl_int done = vendor::table(n.queue).clEnqueueNDRangeKernel(
              n.queue, kernel->native.get(), work_dim, global_work_offset, global_work_size, local_work_size,
              n.wait_count, n.waits, made);
          if (done == CL_SUCCESS && queue->traced)
            timed = made == &own ? vendor::Owned<cl_event>(own) : vendor::retained(*made);
          return done;
        });
      });
  if (considered.needs_code && status == CL_SUCCESS) runtime->code().ran_without(*kernel, *queue);
  if (trace.on() && status == CL_SUCCESS) {
    Lock lock(kernel->mutex);
    const compiler::Reason why = why_native(*kernel, runtime, considered.odd);
    lock.unlock();
    trace.count_native_kernel({kernel->name, why.text, why.line}, std::move(timed));
  }
  return status;
}

cl_int EnqueueTask(cl_command_queue command_queue, cl_kernel kernel_handle, cl_uint num_events_in_wait_list,
                   const cl_event* event_wait_list, cl_event* event) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Kernel* kernel = object_cast<Kernel>(kernel_handle);
  if (kernel == nullptr) return CL_INVALID_KERNEL;
  if (queue->context->runtime != nullptr && process().verifier != nullptr)
    process().verifier->note_unverified(*kernel, "it has one work-group");
  TouchedMemories touched;
  {
    const Lock lock(kernel->mutex);
    touch(*kernel, runtime_of(*queue->context), touched);
  }
  return enqueue_native(*queue, CL_COMMAND_TASK, touched.list(), {num_events_in_wait_list, event_wait_list},
                        event, false, [&](const NativeCall& asked) {
                          return enqueue_waiting(*queue, may_wait(*kernel), asked, [&](const NativeCall& n) {
                            return vendor::table(n.queue).clEnqueueTask(n.queue, kernel->native.get(),
                                                                        n.wait_count, n.waits, n.event);
                          });
                        });
}

}  // namespace mkmd::api
