// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/submit.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/commands/copies.hpp"
#include "libinterpose/commands/piece_code.hpp"
#include "libinterpose/commands/pixels.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>
#include <cstring>

namespace mkmd {

namespace {

using Waits = std::vector<cl_event>;

// What an enqueue returned, as the lane wants it: a threaded lane's action is over when its work returns.
Action::Outcome outcome(Lane& lane, cl_int status, cl_event event) {
  if (status != CL_SUCCESS) return {status, {}};
  Action::Outcome result{status, vendor::Owned<cl_event>(event), true};
  // Without an event, nothing else says when it is over.
  if (lane.kind == Lane::Kind::threaded || event == nullptr)
    result.status = vendor::finish_carefully(lane.queue);
  // A queue that is finished says nothing of its commands' errors.
  if (lane.kind == Lane::Kind::threaded && result.status == CL_SUCCESS && event != nullptr)
    result.status = vendor::end_of(event);
  return result;
}

// A vendor call that enqueues on the lane: (queue, wait count, waits, event) -> status.
template <typename Call>
Action::Work enqueue(Lane& lane, Call call) {
  return [&lane, call = std::move(call)](const Waits& waits) {
    cl_event event = nullptr;
    const cl_int status = call(lane.queue.get(), static_cast<cl_uint>(waits.size()),
                               waits.empty() ? nullptr : waits.data(), &event);
    return outcome(lane, status, event);
  };
}

char* at_host(Devices& devices, const Lane& lane, Memory& root, cl_mem memory) {
  return devices.host_bytes(*root.storage, lane, memory);
}

// `by_host`: does it, or returns false where the host does not get at the bytes.
template <typename ByHost>
Action::Work by_host_or(const Lane& lane, ByHost by_host, Action::Work by_driver) {
  if (lane.kind != Lane::Kind::threaded) return by_driver;
  return [by_host, by_driver = std::move(by_driver)](const Waits& waits) {
    return by_host() ? Action::Outcome{} : by_driver(waits);
  };
}

cl_kernel lane_kernel(const Lane& lane, Kernel& kernel, cl_program sub_kernels) {
  const std::pair<const void*, bool> key{&lane, sub_kernels != nullptr};
  {
    const Lock lock(kernel.lane_mutex);
    if (const auto known = kernel.lane_kernels.find(key); known != kernel.lane_kernels.end())
      return known->second.get();
  }
  const cl_program program = sub_kernels != nullptr ? sub_kernels : kernel.program->native.get();
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_kernel> own(vendor::table(program).clCreateKernel(program, kernel.name.c_str(), &error));
  if (!own) return nullptr;
  const Lock lock(kernel.lane_mutex);
  return kernel.lane_kernels.try_emplace(key, std::move(own)).first->second.get();
}

cl_int set_sampler(const Lane& lane, cl_kernel kernel, cl_uint i, Sampler& sampler) {
  const cl_sampler there = lane.domain == 0 ? sampler.native.get() : sampler.in(lane.native_context);
  if (there == nullptr) return CL_INVALID_SAMPLER;
  return vendor::table(kernel).clSetKernelArg(kernel, i, sizeof there, &there);
}

cl_int set_arguments(const Lane& lane, cl_kernel kernel, const KernelArguments& arguments,
                     const std::vector<cl_mem>& memories) {
  const auto& table = vendor::table(kernel);
  for (cl_uint i = 0; i < arguments.size(); ++i) {
    const KernelArgument& a = arguments[i];
    cl_int status = CL_SUCCESS;
    switch (a.kind) {
    case KernelArgument::Kind::image:
      status = memories[i] != nullptr ? table.clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[i])
                                      : table.clSetKernelArg(kernel, i, a.value.size(), a.value.data());
      break;
    case KernelArgument::Kind::sampler:
      status = set_sampler(lane, kernel, i, *a.sampler);
      break;
    case KernelArgument::Kind::memory:
      status = table.clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[i]);
      break;
    case KernelArgument::Kind::local:
      status = table.clSetKernelArg(kernel, i, a.local_size, nullptr);
      break;
    case KernelArgument::Kind::value:
      status = table.clSetKernelArg(kernel, i, a.value.size(), a.value.data());
      break;
    default:
      status = CL_INVALID_KERNEL_ARGS;
    }
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

// One launch of a piece.
struct PieceRange {
  size_t offset[3], global[3], local[3];
};

// The hidden arguments of a sub-kernel (compiler/kernel_info.hpp).
cl_int set_hidden_arguments(cl_kernel kernel, cl_uint first, const KernelLaunch& launch,
                            const compiler::GroupBox& box, const PieceRange& piece) {
  const auto set = [&](auto&& whole_less_piece) {
    for (int d = 0; d < 3; ++d) {
      const cl_ulong value = whole_less_piece(d);
      const cl_int status = vendor::table(kernel).clSetKernelArg(kernel, first++, sizeof value, &value);
      if (status != CL_SUCCESS) return status;
    }
    return CL_SUCCESS;
  };
  cl_int status = set([&](int d) { return box.lo[d]; });
  if (status == CL_SUCCESS) status = set([&](int d) { return launch.groups[d] - (box.hi[d] - box.lo[d]); });
  if (status == CL_SUCCESS) status = set([&](int d) { return launch.shape.offset[d] - piece.offset[d]; });
  if (status == CL_SUCCESS) status = set([&](int d) { return launch.shape.global[d] - piece.global[d]; });
  return status;
}

}  // namespace

Action::Work kernel_piece(Lane& lane, const KernelCommand& command, const compiler::GroupBox& box,
                          std::vector<cl_mem> memories, bool boxed) {
  return enqueue(
      lane,
      [&lane, &command, box, memories = std::move(memories),
       boxed](cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) -> cl_int {
        const KernelLaunch& launch = command.launch;
        const cl_program sub_kernels = boxed ? piece_code(lane, *launch.kernel->sub_kernels()) : nullptr;
        if (boxed && sub_kernels == nullptr) return CL_OUT_OF_RESOURCES;
        const cl_kernel kernel = lane_kernel(lane, *launch.kernel, sub_kernels);
        if (kernel == nullptr) return CL_OUT_OF_RESOURCES;
        cl_int status = set_arguments(lane, kernel, *launch.arguments, memories);
        const auto visible = static_cast<cl_uint>(launch.arguments->size());
        const bool has_hidden = sub_kernels != nullptr && !is_programs_own(*launch.kernel->sub_kernels());
        PieceRange piece{};
        for (int d = 0; d < 3; ++d) {
          const size_t local = piece.local[d] = launch.shape.local[d];
          const bool by_arguments = has_hidden && !lane.code.by_offset;
          piece.offset[d] = launch.shape.offset[d] + (by_arguments ? 0 : box.lo[d] * local);
          piece.global[d] = (box.hi[d] - box.lo[d]) * local;
        }
        if (status == CL_SUCCESS && has_hidden)
          status = set_hidden_arguments(kernel, visible, launch, box, piece);
        if (status != CL_SUCCESS) return status;
        return vendor::table(queue).clEnqueueNDRangeKernel(queue, kernel, launch.shape.work_dim, piece.offset,
                                                           piece.global, piece.local, count, waits, event);
      });
}

Action::Work read_at_home(Devices& devices, Lane& lane, const ReadCommand& command) {
  const auto copy = [&devices, &lane, &command] {
    const char* const bytes =
        at_host(devices, lane, command.source.root(), command.source.root().native.get());
    if (bytes != nullptr) std::memcpy(command.host, bytes + command.source.in_root(), command.size);
    return bytes != nullptr;
  };
  return by_host_or(lane, copy,
                    enqueue(lane, [&command](cl_command_queue queue, cl_uint count, const cl_event* waits,
                                             cl_event* event) {
                      return vendor::table(queue).clEnqueueReadBuffer(
                          queue, command.source.memory->native.get(), CL_FALSE, command.source.offset,
                          command.size, command.host, count, waits, event);
                    }));
}

Action::Work write_at_home(Devices& devices, Lane& lane, const WriteCommand& command) {
  const auto copy = [&devices, &lane, &command] {
    command.keep();
    Memory& root = command.destination.root();
    char* const bytes = at_host(devices, lane, root, root.native.get());
    if (bytes != nullptr) std::memcpy(bytes + command.destination.in_root(), command.bytes(), command.size);
    return bytes != nullptr;
  };
  return by_host_or(lane, copy,
                    enqueue(lane, [&command](cl_command_queue queue, cl_uint count, const cl_event* waits,
                                             cl_event* event) {
                      command.keep();
                      return vendor::table(queue).clEnqueueWriteBuffer(
                          queue, command.destination.memory->native.get(), CL_FALSE,
                          command.destination.offset, command.size, command.bytes(), count, waits, event);
                    }));
}

Action::Work fill_bytes(Devices& devices, Lane& lane, const FillCommand& command, cl_mem destination,
                        ByteRange bytes) {
  const auto fill = [&devices, &lane, &command, destination, bytes] {
    char* const to = at_host(devices, lane, command.destination.root(), destination);
    for (uint64_t at = bytes.lo; to != nullptr && at < bytes.hi; at += command.pattern.size())
      std::memcpy(to + at, command.pattern.data(), command.pattern.size());
    return to != nullptr;
  };
  return by_host_or(lane, fill,
                    enqueue(lane, [&command, destination, bytes](cl_command_queue queue, cl_uint count,
                                                                 const cl_event* waits, cl_event* event) {
                      return vendor::table(queue).clEnqueueFillBuffer(
                          queue, destination, command.pattern.data(), command.pattern.size(), bytes.lo,
                          bytes.hi - bytes.lo, count, waits, event);
                    }));
}

Action::Work fill_all(Lane& lane, std::vector<Filling> fillings) {
  return enqueue(lane, [&lane, fillings = std::move(fillings)](cl_command_queue queue, cl_uint count,
                                                               const cl_event* waits, cl_event* event) {
    std::vector<std::pair<const Filling*, ByteRange>> all;
    for (const Filling& filling : fillings)
      filling.bytes.each_range([&](const ByteRange& r) { all.emplace_back(&filling, r); });
    for (size_t i = 0; i < all.size(); ++i) {
      const auto& [filling, r] = all[i];
      // The queue is in order: the first waits for all of them, and the last is over when all are.
      const cl_int status = vendor::table(queue).clEnqueueFillBuffer(
          queue, filling->memory, filling->pattern.data(), filling->pattern.size(), r.lo, r.hi - r.lo,
          i == 0 ? count : 0, i == 0 ? waits : nullptr, i + 1 == all.size() ? event : nullptr);
      if (status == CL_SUCCESS) continue;
      // Nobody waits for what has begun: it must not overwrite later bytes.
      if (i > 0) vendor::finish_carefully(lane.queue);
      return status;
    }
    return cl_int{CL_SUCCESS};
  });
}

Action::Work copy_bytes(Devices& devices, Lane& lane, const CopyCommand& command, cl_mem source,
                        cl_mem destination, ByteRange bytes) {
  const uint64_t from = bytes.lo + command.source_ahead();
  const auto copy = [&devices, &lane, &command, source, destination, bytes, from] {
    const char* const read = at_host(devices, lane, command.source.root(), source);
    char* const written = at_host(devices, lane, command.destination.root(), destination);
    if (read == nullptr || written == nullptr) return false;
    std::memcpy(written + bytes.lo, read + from, bytes.hi - bytes.lo);
    return true;
  };
  return by_host_or(lane, copy,
                    enqueue(lane, [from, source, destination, bytes](cl_command_queue queue, cl_uint count,
                                                                     const cl_event* waits, cl_event* event) {
                      return vendor::table(queue).clEnqueueCopyBuffer(queue, source, destination, from,
                                                                      bytes.lo, bytes.hi - bytes.lo, count,
                                                                      waits, event);
                    }));
}

Action::Work read_elsewhere(Devices& devices, Lane& lane, const ReadCommand& command, cl_mem memory,
                            ByteRanges ranges) {
  return [&devices, &lane, &command, memory, ranges = std::move(ranges)](const Waits&) {
    const uint64_t base = command.source.in_root();
    auto* const host = static_cast<char*>(command.host);
    Storage& storage = *command.source.root().storage;
    cl_int status = CL_SUCCESS;
    bool begun = false;
    if (!storage.stand_in.holds(lane.domain, ranges)) {
      status = copy_or_nothing({lane, memory, devices.host_bytes(storage, lane, memory)},
                               {lane, nullptr, host, base}, ranges, begun);
      if (status == CL_SUCCESS) return Action::Outcome{};
      note_failure(devices, lane, "reading its memory", status);
      status = CL_SUCCESS;
    }
    ranges.each_range([&](const ByteRange& r) {
      auto* const to = reinterpret_cast<unsigned char*>(host + (r.lo - base));
      if (status == CL_SUCCESS) status = get_bytes(devices, storage, lane, memory, r, to);
    });
    return Action::Outcome{status, {}};
  };
}

Action::Work transfer(Devices& devices, Storage& storage, const Lane& from, cl_mem from_memory, Lane& to,
                      cl_mem to_memory, ByteRanges ranges) {
  return [&devices, &storage, &from, from_memory, &to, to_memory, ranges = std::move(ranges)](const Waits&) {
    Action::Outcome outcome;
    outcome.status = copy_between(devices, storage, from, from_memory, to, to_memory, ranges, outcome.begun);
    return outcome;
  };
}

Action::Work marker_behind(Lane& lane) {
  return enqueue(lane, [](cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) {
    return vendor::table(queue).clEnqueueMarkerWithWaitList(queue, count, waits, event);
  });
}

Action::Work end_of_native(NativeEnd marker) {
  return [marker = std::move(marker)](const Waits&) {
    const bool over = vendor::execution_status(marker->get()) <= CL_COMPLETE;
    return over ? Action::Outcome{} : Action::Outcome{CL_SUCCESS, vendor::retained(marker->get())};
  };
}

cl_int copy_between(Devices& devices, Storage& storage, const Lane& from, cl_mem from_memory, const Lane& to,
                    cl_mem to_memory, const ByteRanges& ranges, bool& begun) {
  if (from_memory != nullptr && to_memory != nullptr && !storage.stand_in.holds(from.domain, ranges)) {
    const ImageShape* const image = storage.image();
    const cl_int status =
        image != nullptr
            ? copy_pixels({from, from_memory, *image}, {to, to_memory, *image}, ranges, begun)
            : copy_or_nothing({from, from_memory, devices.host_bytes(storage, from, from_memory)},
                              {to, to_memory, devices.host_bytes(storage, to, to_memory)}, ranges, begun);
    if (status == CL_SUCCESS) {
      storage.stand_in.drop(to.domain, ranges);
      return status;
    }
    note_failure(devices, to.domain != 0 ? to : from, "a transfer between memories", status);
  }
  return copy_through_host(devices, storage, from, from_memory, to, to_memory, ranges, begun);
}

bool ClockOffset::may_equal(const ClockOffset& other) const {
  constexpr int64_t kNoise = 1'000'000;  // clocks that differ begin at different moments: seconds apart
  return std::abs(between - other.between) <= error + other.error + kNoise;
}

ClockOffset device_clock_offset(const vendor::OwnQueue& own) {
  const cl_command_queue queue = own.get();
  const auto& table = vendor::table(queue);
  cl_context context = nullptr;
  if (table.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr) != CL_SUCCESS)
    return {};
  const vendor::Owned<cl_mem> byte(table.clCreateBuffer(context, CL_MEM_READ_WRITE, 1, nullptr, nullptr));
  if (!byte) return {};
  // A command ends between two readings of the host's clock. On a busy machine they may lie far apart: the
  // closest pair of a few counts. Drivers time markers on the host, so this is one that the device works at.
  ClockOffset offset;
  for (int i = 0; i < 5; ++i) {
    static const char value = 0;
    const cl_ulong before = host_nanoseconds();
    cl_event event = nullptr;
    if (table.clEnqueueWriteBuffer(queue, byte.get(), CL_FALSE, 0, 1, &value, 0, nullptr, &event) !=
        CL_SUCCESS)
      return {};
    const vendor::Owned<cl_event> written(event);
    if (vendor::finish_carefully(own) != CL_SUCCESS) return {};
    const auto half = static_cast<int64_t>(host_nanoseconds() - before) / 2;
    cl_ulong end = 0;
    if (table.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) !=
        CL_SUCCESS) {
      return {};
    }
    if (i > 0 && half >= offset.error) continue;
    offset.between = static_cast<int64_t>(end) - static_cast<int64_t>(before) - half;
    offset.error = half;
  }
  return offset;
}

}  // namespace mkmd
