// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/submit.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/commands/piece_code.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>

namespace mkmd {

namespace {

using Waits = std::vector<cl_event>;

// What an enqueue returned, as the lane wants it: a threaded lane's action is over when its work returns.
Action::Outcome outcome(Lane& lane, cl_int status, cl_event event) {
  if (status != CL_SUCCESS) return {status, {}};
  Action::Outcome result{status, vendor::Owned<cl_event>(event), true};
  // Without an event, nothing else says when it is over.
  if (lane.kind == Lane::Kind::threaded || event == nullptr)
    result.status = vendor::finish_carefully(lane.queue.get());
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

cl_int set_arguments(cl_kernel kernel, const KernelArguments& arguments,
                     const std::vector<cl_mem>& memories) {
  const auto& table = vendor::table(kernel);
  for (cl_uint i = 0; i < arguments.size(); ++i) {
    const KernelArgument& a = arguments[i];
    cl_int status = CL_SUCCESS;
    switch (a.kind) {
    case KernelArgument::Kind::memory:
      status = table.clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[i]);
      break;
    case KernelArgument::Kind::local:
      status = table.clSetKernelArg(kernel, i, a.local_size, nullptr);
      break;
    case KernelArgument::Kind::value:
    case KernelArgument::Kind::image:
    case KernelArgument::Kind::sampler:
      status = table.clSetKernelArg(kernel, i, a.value.size(), a.value.data());
      break;
    default:
      status = CL_INVALID_KERNEL_ARGS;
    }
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

// The hidden arguments of a sub-kernel: first group, original numbers of groups, original global offset.
cl_int set_hidden_arguments(cl_kernel kernel, cl_uint first, const KernelLaunch& launch,
                            const compiler::GroupBox& box) {
  const std::array<const std::array<uint64_t, 3>*, 3> hidden{&box.lo, &launch.groups, &launch.shape.offset};
  for (const auto* three : hidden) {
    for (const uint64_t word : *three) {
      const cl_ulong value = word;
      const cl_int status = vendor::table(kernel).clSetKernelArg(kernel, first++, sizeof value, &value);
      if (status != CL_SUCCESS) return status;
    }
  }
  return CL_SUCCESS;
}

// Rows from which on a rectangle is copied sooner than each of them.
constexpr uint64_t kRectangle = 8;
constexpr uint64_t kCompactBytes = 64 << 20;  // of ours that a rectangle may take

// Where rectangles of a buffer begin: its rows are a pitch long.
std::array<size_t, 3> origin_of(const ByteRows& rows) {
  const uint64_t column = rows.lo % rows.pitch;
  if (column + rows.length > rows.pitch) return {rows.lo, 0, 0};  // would wrap around
  return {column, rows.lo / rows.pitch, 0};
}

// Rows go through a compact buffer of ours, one rectangle copy each way.
cl_int copy_rows(const Lane& from, cl_mem from_memory, const Lane& to, cl_mem to_memory,
                 const ByteRows& rows) {
  auto compact = std::make_unique<std::vector<unsigned char>>(rows.total());
  const std::array<size_t, 3> device_origin = origin_of(rows);
  const size_t host_origin[3] = {0, 0, 0};
  const size_t region[3] = {rows.length, rows.count, 1};
  cl_int status = vendor::table(from.queue.get())
                      .clEnqueueReadBufferRect(from.queue.get(), from_memory, CL_TRUE, device_origin.data(),
                                               host_origin, region, rows.pitch, 0, rows.length, 0,
                                               compact->data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return status;
  const auto& table = vendor::table(to.queue.get());
  status = table.clEnqueueWriteBufferRect(to.queue.get(), to_memory, CL_FALSE, device_origin.data(),
                                          host_origin, region, rows.pitch, 0, rows.length, 0, compact->data(),
                                          0, nullptr, nullptr);
  // A blocking write would only be done with our memory when it returns, not with the device's
  // (clause 5.2.2).
  const cl_int finished = vendor::finish_carefully(to.queue.get());
  if (finished != CL_SUCCESS) (void)compact.release();  // the driver may still read it
  return status != CL_SUCCESS ? status : finished;
}

// One range: read from the one device straight into the other's mapping, which is its memory or its staging
// area.
cl_int copy_range(const Lane& from, cl_mem from_memory, const Lane& to, cl_mem to_memory, ByteRange range) {
  const auto& table = vendor::table(to.queue.get());
  cl_int status = CL_SUCCESS;
  void* mapped = table.clEnqueueMapBuffer(to.queue.get(), to_memory, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                          range.lo, range.hi - range.lo, 0, nullptr, nullptr, &status);
  if (status != CL_SUCCESS || mapped == nullptr) return status != CL_SUCCESS ? status : CL_MAP_FAILURE;
  const cl_int read = vendor::table(from.queue.get())
                          .clEnqueueReadBuffer(from.queue.get(), from_memory, CL_TRUE, range.lo,
                                               range.hi - range.lo, mapped, 0, nullptr, nullptr);
  status = table.clEnqueueUnmapMemObject(to.queue.get(), to_memory, mapped, 0, nullptr, nullptr);
  const cl_int finished = vendor::finish_carefully(to.queue.get());
  return read != CL_SUCCESS ? read : status != CL_SUCCESS ? status : finished;
}

// Between buffers that the host may use.
cl_int copy_open(const Lane& from, cl_mem from_memory, const Lane& to, cl_mem to_memory,
                 const ByteRanges& ranges) {
  for (const ByteRows& block : ranges) {
    const uint64_t at_once =
        block.count < kRectangle ? 1 : std::max<uint64_t>(1, kCompactBytes / block.length);
    for (uint64_t row = 0; row < block.count; row += at_once) {
      const ByteRows some = block.rows(row, std::min(at_once, block.count - row));
      if (some.count > 1 && copy_rows(from, from_memory, to, to_memory, some) == CL_SUCCESS) continue;
      for (uint64_t i = 0; i < some.count; ++i) {
        const cl_int status =
            copy_range(from, from_memory, to, to_memory, {some.row(i), some.row(i) + some.length});
        if (status != CL_SUCCESS) return status;
      }
    }
  }
  return CL_SUCCESS;
}

// What the program has closed to the host goes through buffers of ours: the device itself may still use it.
cl_int copy_ranges(const Lane& from, cl_mem from_memory, const Lane& to, cl_mem to_memory,
                   const ByteRanges& ranges) {
  const bool from_closed = is_closed(from_memory, kHostMayNotRead);
  const bool to_closed = is_closed(to_memory, kHostMayNotWrite);
  if (!from_closed && !to_closed) return copy_open(from, from_memory, to, to_memory, ranges);
  cl_int status = CL_SUCCESS;
  const auto open_from = from_closed ? open_buffer(from, ranges, status) : vendor::Owned<cl_mem>();
  const auto open_to = to_closed ? open_buffer(to, ranges, status) : vendor::Owned<cl_mem>();
  if (status == CL_SUCCESS && from_closed) status = copy_inside(from, from_memory, open_from.get(), ranges);
  if (status == CL_SUCCESS) {
    status = copy_open(from, from_closed ? open_from.get() : from_memory, to,
                       to_closed ? open_to.get() : to_memory, ranges);
  }
  if (status == CL_SUCCESS && to_closed) status = copy_inside(to, open_to.get(), to_memory, ranges);
  return status;
}

// Offsets of the ranges are the root buffer's; the program asked for them relative to its own (sub-)buffer.
cl_int read_ranges(const Lane& lane, cl_mem memory, const ByteRanges& ranges, char* host, uint64_t base) {
  const auto& table = vendor::table(lane.queue.get());
  cl_int status = CL_SUCCESS;
  for (const ByteRows& block : ranges) {
    if (status != CL_SUCCESS) break;
    char* const to = host + (block.lo - base);
    if (block.count >= kRectangle) {
      const std::array<size_t, 3> device_origin = origin_of(block);
      const size_t host_origin[3] = {0, 0, 0};
      const size_t region[3] = {block.length, block.count, 1};
      if (table.clEnqueueReadBufferRect(lane.queue.get(), memory, CL_FALSE, device_origin.data(), host_origin,
                                        region, block.pitch, 0, block.pitch, 0, to, 0, nullptr,
                                        nullptr) == CL_SUCCESS)
        continue;
    }
    for (uint64_t i = 0; i < block.count && status == CL_SUCCESS; ++i) {
      status = table.clEnqueueReadBuffer(lane.queue.get(), memory, CL_FALSE, block.row(i), block.length,
                                         to + i * block.pitch, 0, nullptr, nullptr);
    }
  }
  const cl_int finished = vendor::finish_carefully(lane.queue.get());
  return status != CL_SUCCESS ? status : finished;
}

}  // namespace

Action::Work kernel_piece(Lane& lane, const KernelCommand& command, const compiler::GroupBox& box,
                          std::vector<cl_mem> memories, bool boxed) {
  return enqueue(
      lane,
      [&lane, &command, box, memories = std::move(memories),
       boxed](cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) -> cl_int {
        const KernelLaunch& launch = command.launch;
        const cl_program sub_kernels = boxed ? piece_code(lane, *launch.kernel->sub_kernels) : nullptr;
        if (boxed && sub_kernels == nullptr) return CL_OUT_OF_RESOURCES;
        const cl_kernel kernel = lane_kernel(lane, *launch.kernel, sub_kernels);
        if (kernel == nullptr) return CL_OUT_OF_RESOURCES;
        cl_int status = set_arguments(kernel, *launch.arguments, memories);
        const auto visible = static_cast<cl_uint>(launch.arguments->size());
        if (status == CL_SUCCESS && sub_kernels != nullptr) {
          status = set_hidden_arguments(kernel, visible, launch, box);
        }
        if (status != CL_SUCCESS) return status;
        size_t offset[3];
        size_t global[3];
        size_t local[3];
        for (int d = 0; d < 3; ++d) {
          offset[d] = sub_kernels != nullptr ? 0 : launch.shape.offset[d];
          local[d] = launch.shape.local[d];
          global[d] = (box.hi[d] - box.lo[d]) * local[d];
        }
        return vendor::table(queue).clEnqueueNDRangeKernel(queue, kernel, launch.shape.work_dim, offset,
                                                           global, local, count, waits, event);
      });
}

Action::Work read_at_home(Lane& lane, const ReadCommand& command) {
  return enqueue(
      lane, [&command](cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) {
        return vendor::table(queue).clEnqueueReadBuffer(queue, command.source.memory->native.get(), CL_FALSE,
                                                        command.source.offset, command.size, command.host,
                                                        count, waits, event);
      });
}

Action::Work write_at_home(Lane& lane, const WriteCommand& command) {
  return enqueue(
      lane, [&command](cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) {
        return vendor::table(queue).clEnqueueWriteBuffer(queue, command.destination.memory->native.get(),
                                                         CL_FALSE, command.destination.offset, command.size,
                                                         command.host, count, waits, event);
      });
}

Action::Work fill_bytes(Lane& lane, const FillCommand& command, cl_mem destination, ByteRange bytes) {
  return enqueue(lane, [&command, destination, bytes](cl_command_queue queue, cl_uint count,
                                                      const cl_event* waits, cl_event* event) {
    return vendor::table(queue).clEnqueueFillBuffer(queue, destination, command.pattern.data(),
                                                    command.pattern.size(), bytes.lo, bytes.hi - bytes.lo,
                                                    count, waits, event);
  });
}

Action::Work copy_bytes(Lane& lane, const CopyCommand& command, cl_mem source, cl_mem destination,
                        ByteRange bytes) {
  return enqueue(lane, [from = bytes.lo + command.source_ahead(), source, destination, bytes](
                           cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) {
    return vendor::table(queue).clEnqueueCopyBuffer(queue, source, destination, from, bytes.lo,
                                                    bytes.hi - bytes.lo, count, waits, event);
  });
}

Action::Work read_elsewhere(Devices& devices, Lane& lane, const ReadCommand& command, cl_mem memory,
                            ByteRanges ranges) {
  return [&devices, &lane, &command, memory, ranges = std::move(ranges)](const Waits&) {
    const uint64_t base = command.source.in_root();
    auto* const host = static_cast<char*>(command.host);
    Storage& storage = *command.source.root().storage;
    cl_int status = CL_SUCCESS;
    if (!storage.stand_in.holds(lane.domain, ranges)) {
      status = read_ranges(lane, memory, ranges, host, base);
      if (status == CL_SUCCESS) return Action::Outcome{};
      devices.note_trouble(lane, "reading its memory", status);
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
    return Action::Outcome{copy_between(devices, storage, from, from_memory, to, to_memory, ranges), {}};
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
                    cl_mem to_memory, const ByteRanges& ranges) {
  if (from_memory != nullptr && to_memory != nullptr && !storage.stand_in.holds(from.domain, ranges)) {
    const cl_int status = copy_ranges(from, from_memory, to, to_memory, ranges);
    if (status == CL_SUCCESS) {
      storage.stand_in.drop(to.domain, ranges);
      return status;
    }
    devices.note_trouble(to.domain != 0 ? to : from, "a transfer between memories", status);
  }
  return copy_through_host(devices, storage, from, from_memory, to, to_memory, ranges);
}

bool ClockOffset::may_equal(const ClockOffset& other) const {
  constexpr int64_t kNoise = 1'000'000;  // clocks that differ begin at different moments: seconds apart
  return std::abs(between - other.between) <= error + other.error + kNoise;
}

ClockOffset device_clock_offset(cl_command_queue queue) {
  const auto& table = vendor::table(queue);
  // A marker ends between two readings of the host's clock. On a busy machine they may lie far apart: the
  // closest pair of a few counts.
  ClockOffset offset;
  for (int i = 0; i < 5; ++i) {
    const cl_ulong before = host_nanoseconds();
    cl_event event = nullptr;
    if (table.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event) != CL_SUCCESS) return {};
    const vendor::Owned<cl_event> marker(event);
    table.clFinish(queue);
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
