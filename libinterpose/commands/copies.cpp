// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/copies.hpp"

#include "libinterpose/commands/careful.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace mkmd {

namespace {

// Rows from which on a rectangle is copied sooner than each of them.
constexpr uint64_t kRectangle = 8;
constexpr uint64_t kCompactBytes = 64 << 20;  // of ours that a rectangle may take

using Compact = std::unique_ptr<char[]>;  // rows without gaps

// A rectangle of a buffer whose rows are a pitch long, and the same rows without gaps at the host.
// PoCL-Remote ignores other pitches at the host.
struct Rectangle {
  explicit Rectangle(const ByteRows& rows) : region{rows.length, rows.count, 1} {
    const size_t column = rows.lo % rows.pitch;
    if (column + rows.length > rows.pitch) {  // would wrap around
      origin = {rows.lo, 0, 0};
    } else {
      origin = {column, rows.lo / rows.pitch, 0};
    }
  }
  std::array<size_t, 3> origin;
  std::array<size_t, 3> region;
  static constexpr std::array<size_t, 3> kAtHost{0, 0, 0};
};

cl_int get_rows(const BytesAt& from, const ByteRows& rows, char* compact) {
  if (from.host != nullptr) {
    for (uint64_t i = 0; i < rows.count; ++i)
      std::memcpy(compact + i * rows.length, from.at(rows.row(i)), rows.length);
    return CL_SUCCESS;
  }
  const cl_command_queue queue = from.lane.queue.get();
  const Rectangle r(rows);
  const cl_bool blocking = from.lane.queue.blocking();
  return vendor::enqueue_carefully(from.lane.queue, [&](cl_event* event) {
    return vendor::table(queue).clEnqueueReadBufferRect(
        queue, from.memory, blocking, r.origin.data(), Rectangle::kAtHost.data(), r.region.data(), rows.pitch,
        0, rows.length, 0, compact, 0, nullptr, event);
  });
}

cl_int put_rows(const BytesAt& to, const ByteRows& rows, Compact compact) {
  if (to.host != nullptr) {
    for (uint64_t i = 0; i < rows.count; ++i)
      std::memcpy(to.at(rows.row(i)), compact.get() + i * rows.length, rows.length);
    return CL_SUCCESS;
  }
  const cl_command_queue queue = to.lane.queue.get();
  const Rectangle r(rows);
  const cl_int status = vendor::enqueue_carefully(to.lane.queue, [&](cl_event* event) {
    return vendor::table(queue).clEnqueueWriteBufferRect(
        queue, to.memory, CL_FALSE, r.origin.data(), Rectangle::kAtHost.data(), r.region.data(), rows.pitch,
        0, rows.length, 0, compact.get(), 0, nullptr, event);
  });
  // A blocking write would only be done with our memory when it returns, not with the device's
  // (clause 5.2.2).
  const cl_int finished = vendor::finish_carefully(to.lane.queue);
  if (finished != CL_SUCCESS) (void)compact.release();  // the driver may still read it
  return status != CL_SUCCESS ? status : finished;
}

// Rows go through a compact buffer of ours, one rectangle copy each way.
cl_int copy_rows(const BytesAt& from, const BytesAt& to, const ByteRows& rows) {
  Compact compact = std::make_unique_for_overwrite<char[]>(rows.total());
  const cl_int status = get_rows(from, rows, compact.get());
  if (status == CL_SUCCESS) return put_rows(to, rows, std::move(compact));
  if (from.host == nullptr && vendor::finish_carefully(from.lane.queue) != CL_SUCCESS)
    (void)compact.release();  // the driver may still write it
  return status;
}

// Over when the lane's queue is finished.
cl_int begin_read(const BytesAt& from, ByteRange range, void* to) {
  const cl_command_queue queue = from.lane.queue.get();
  return vendor::enqueue_carefully(from.lane.queue, [&](cl_event* event) {
    return vendor::table(queue).clEnqueueReadBuffer(queue, from.memory, CL_FALSE, range.lo,
                                                    range.hi - range.lo, to, 0, nullptr, event);
  });
}

// Likewise.
cl_int begin_write(const void* from, const BytesAt& to, ByteRange range) {
  const cl_command_queue queue = to.lane.queue.get();
  return vendor::enqueue_carefully(to.lane.queue, [&](cl_event* event) {
    return vendor::table(queue).clEnqueueWriteBuffer(queue, to.memory, CL_FALSE, range.lo,
                                                     range.hi - range.lo, from, 0, nullptr, event);
  });
}

cl_int finish(const BytesAt& side, cl_int status) {
  const cl_int finished = vendor::finish_carefully(side.lane.queue);
  return status != CL_SUCCESS ? status : finished;
}

// Between two devices, one of them maps its memory, or its staging area, and the other works there. What
// works in the host's memory is mapped without a copy. Mapping the memory of another machine is slower than
// writing it.
cl_int copy_mapped(const BytesAt& from, const BytesAt& to, ByteRange range) {
  if (!to.lane.queue.works_in_host_memory() && from.lane.queue.works_in_host_memory())
    return with_mapping(from.lane, from.memory, CL_MAP_READ, range,
                        [&](void* mapped) { return finish(to, begin_write(mapped, to, range)); });
  return with_mapping(to.lane, to.memory, CL_MAP_WRITE_INVALIDATE_REGION, range,
                      [&](void* mapped) { return finish(from, begin_read(from, range, mapped)); });
}

cl_int begin_copy(const BytesAt& from, const BytesAt& to, ByteRange range) {
  if (from.host == nullptr)
    return to.host == nullptr ? copy_mapped(from, to, range) : begin_read(from, range, to.at(range.lo));
  if (to.host == nullptr) return begin_write(from.at(range.lo), to, range);
  std::memcpy(to.at(range.lo), from.at(range.lo), range.hi - range.lo);
  return CL_SUCCESS;
}

cl_int begin_copies(const BytesAt& from, const BytesAt& to, const ByteRanges& ranges) {
  const bool on_host = from.host != nullptr && to.host != nullptr;
  for (const ByteRows& block : ranges) {
    const bool each = on_host || block.count < kRectangle;
    const uint64_t at_once = each ? 1 : std::max<uint64_t>(1, kCompactBytes / block.length);
    for (uint64_t row = 0; row < block.count; row += at_once) {
      const ByteRows some = block.rows(row, std::min(at_once, block.count - row));
      if (some.count > 1 && copy_rows(from, to, some) == CL_SUCCESS) continue;
      for (uint64_t i = 0; i < some.count; ++i) {
        const cl_int status = begin_copy(from, to, {some.row(i), some.row(i) + some.length});
        if (status != CL_SUCCESS) return status;
      }
    }
  }
  return CL_SUCCESS;
}

// Between places that the host may use.
cl_int copy_open(const BytesAt& from, const BytesAt& to, const ByteRanges& ranges) {
  const cl_int status = begin_copies(from, to, ranges);
  if ((from.host == nullptr) == (to.host == nullptr)) return status;
  return finish(from.host == nullptr ? from : to, status);
}

}  // namespace

// What the program has closed to the host goes through buffers of ours: the device itself may still use it.
cl_int copy_bytes_of(const BytesAt& from, const BytesAt& to, const ByteRanges& ranges) {
  const bool from_closed = from.host == nullptr && is_closed(from.memory, kHostMayNotRead);
  const bool to_closed = to.host == nullptr && is_closed(to.memory, kHostMayNotWrite);
  if (!from_closed && !to_closed) return copy_open(from, to, ranges);
  cl_int status = CL_SUCCESS;
  const auto open_from = from_closed ? open_buffer(from.lane, ranges, status) : vendor::Owned<cl_mem>();
  const auto open_to = to_closed ? open_buffer(to.lane, ranges, status) : vendor::Owned<cl_mem>();
  if (status == CL_SUCCESS && from_closed)
    status = copy_inside(from.lane, from.memory, open_from.get(), ranges);
  if (status == CL_SUCCESS) {
    status = copy_open(from_closed ? BytesAt{from.lane, open_from.get()} : from,
                       to_closed ? BytesAt{to.lane, open_to.get()} : to, ranges);
  }
  if (status == CL_SUCCESS && to_closed) status = copy_inside(to.lane, open_to.get(), to.memory, ranges);
  return status;
}

cl_int copy_or_nothing(const BytesAt& from, const BytesAt& to, const ByteRanges& ranges, bool& begun) {
  if (from.host != nullptr || !from.lane.queue.may_be_lost()) {
    begun = true;
    return copy_bytes_of(from, to, ranges);
  }
  const ByteRange hull = ranges.hull();
  Compact image = std::make_unique_for_overwrite<char[]>(hull.hi - hull.lo);
  const cl_int read = copy_bytes_of(from, {to.lane, nullptr, image.get(), hull.lo}, ranges);
  if (read != CL_SUCCESS) {
    (void)image.release();  // the driver may still write it
    return read;
  }
  begun = true;
  const cl_int written = copy_bytes_of({from.lane, nullptr, image.get(), hull.lo}, to, ranges);
  if (written != CL_SUCCESS) (void)image.release();  // likewise
  return written;
}

}  // namespace mkmd
