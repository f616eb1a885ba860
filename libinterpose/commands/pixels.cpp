// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/pixels.hpp"

#include "libinterpose/commands/careful.hpp"
#include "libinterpose/memory/pixel_boxes.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace mkmd {

namespace {

constexpr uint64_t kAtOnce = 64 << 20;  // bytes of ours that a copy may take

using Bytes = std::unique_ptr<unsigned char[]>;  // of boxes, one after another

// A buffer of ours, through which the device itself copies what the program has closed to the host.
vendor::Owned<cl_mem> open_bytes(const PixelsAt& side, uint64_t size, cl_int& status) {
  return open_buffer(side.lane, ByteRanges(0, size), status);
}

// Over when the lane's queue is finished.
cl_int begin_read(const PixelsAt& from, const PixelBox& box, unsigned char* to, cl_mem open) {
  const cl_command_queue queue = from.lane.queue.get();
  const auto& table = vendor::table(queue);
  if (open == nullptr)
    return table.clEnqueueReadImage(queue, from.image, CL_FALSE, box.origin.data(), box.region.data(), 0, 0,
                                    to, 0, nullptr, nullptr);
  const cl_int status = table.clEnqueueCopyImageToBuffer(queue, from.image, open, box.origin.data(),
                                                         box.region.data(), 0, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return status;
  return table.clEnqueueReadBuffer(queue, open, CL_FALSE, 0, bytes_of(box, from.shape), to, 0, nullptr,
                                   nullptr);
}

// Likewise.
cl_int begin_write(const PixelsAt& to, const PixelBox& box, const unsigned char* from, cl_mem open) {
  const cl_command_queue queue = to.lane.queue.get();
  const auto& table = vendor::table(queue);
  if (open == nullptr)
    return table.clEnqueueWriteImage(queue, to.image, CL_FALSE, box.origin.data(), box.region.data(), 0, 0,
                                     from, 0, nullptr, nullptr);
  const cl_int status = table.clEnqueueWriteBuffer(queue, open, CL_FALSE, 0, bytes_of(box, to.shape), from, 0,
                                                   nullptr, nullptr);
  if (status != CL_SUCCESS) return status;
  return table.clEnqueueCopyBufferToImage(queue, open, to.image, 0, box.origin.data(), box.region.data(), 0,
                                          nullptr, nullptr);
}

// One command after another, in the queue's order: `open` serves all of them.
template <typename Begin>
cl_int each_box(const PixelsAt& side, const std::vector<PixelBox>& boxes, cl_mem_flags closed_by,
                Begin begin) {
  cl_int status = CL_SUCCESS;
  vendor::Owned<cl_mem> open;
  if (is_closed(side.image, closed_by)) {
    uint64_t largest = 0;
    for (const PixelBox& box : boxes)
      largest = std::max(largest, bytes_of(box, side.shape));
    open = open_bytes(side, largest, status);
  }
  uint64_t at = 0;
  for (const PixelBox& box : boxes) {
    if (status == CL_SUCCESS) status = begin(box, at, open.get());
    at += bytes_of(box, side.shape);
  }
  const cl_int finished = vendor::finish_carefully(side.lane.queue.get());
  return status != CL_SUCCESS ? status : finished;
}

cl_int read_boxes(const PixelsAt& from, const std::vector<PixelBox>& boxes, unsigned char* to) {
  return each_box(from, boxes, kHostMayNotRead, [&](const PixelBox& box, uint64_t at, cl_mem open) {
    return begin_read(from, box, to + at, open);
  });
}

cl_int write_boxes(const PixelsAt& to, const std::vector<PixelBox>& boxes, const unsigned char* from) {
  return each_box(to, boxes, kHostMayNotWrite, [&](const PixelBox& box, uint64_t at, cl_mem open) {
    return begin_write(to, box, from + at, open);
  });
}

cl_int copy_boxes(const PixelsAt& from, const PixelsAt& to, const std::vector<PixelBox>& boxes) {
  uint64_t size = 0;
  for (const PixelBox& box : boxes)
    size += bytes_of(box, from.shape);
  Bytes bytes = std::make_unique_for_overwrite<unsigned char[]>(size);
  cl_int status = read_boxes(from, boxes, bytes.get());
  const PixelsAt* last = &from;
  if (status == CL_SUCCESS) {
    status = write_boxes(to, boxes, bytes.get());
    last = &to;
  }
  // The driver may still use them.
  if (status != CL_SUCCESS && vendor::finish_carefully(last->lane.queue.get()) != CL_SUCCESS)
    (void)bytes.release();
  return status;
}

// Calls copy(bytes in the mapping, bytes of the box's next row, their number) for each row.
template <typename Copy>
cl_int map_and(const PixelsAt& side, cl_map_flags flags, const PixelBox& box, Copy copy) {
  const cl_command_queue queue = side.lane.queue.get();
  const auto& table = vendor::table(queue);
  size_t row_pitch = 0, slice_pitch = 0;
  cl_int status = CL_SUCCESS;
  void* const mapped =
      table.clEnqueueMapImage(queue, side.image, CL_TRUE, flags, box.origin.data(), box.region.data(),
                              &row_pitch, &slice_pitch, 0, nullptr, nullptr, &status);
  if (status != CL_SUCCESS) return status;
  if (mapped == nullptr) return CL_MAP_FAILURE;
  // Layers of a one-dimensional array are slices of one row.
  const bool lines = side.shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const uint64_t row = box.region[0] * side.shape.pixel;
  for (size_t z = 0; z < box.region[2]; ++z) {
    for (size_t y = 0; y < box.region[1]; ++y) {
      const size_t at = z * slice_pitch + y * (lines ? slice_pitch : row_pitch);
      copy(static_cast<unsigned char*>(mapped) + at, (z * box.region[1] + y) * row, row);
    }
  }
  status = vendor::try_again(
      [&] { return table.clEnqueueUnmapMemObject(queue, side.image, mapped, 0, nullptr, nullptr); });
  const cl_int finished = vendor::finish_carefully(queue);
  return status != CL_SUCCESS ? status : finished;
}

template <typename Copy>
cl_int map_each(const PixelsAt& side, cl_map_flags flags, ByteRange range, Copy copy) {
  uint64_t at = 0;
  for (const PixelBox& box : pixel_boxes(side.shape, range)) {
    const cl_int status = map_and(side, flags, box, [&](unsigned char* mapped, uint64_t row, uint64_t size) {
      copy(mapped, at + row, size);
    });
    if (status != CL_SUCCESS) return status;
    at += bytes_of(box, side.shape);
  }
  return CL_SUCCESS;
}

// Of a block, rows or parts of a row that a copy may take at once.
template <typename Copy>
cl_int in_parts(const ImageShape& shape, const ByteRows& block, Copy copy) {
  if (block.total() <= kAtOnce) return copy(pixel_boxes(shape, block));
  if (block.count > 1) {
    const uint64_t some = std::max<uint64_t>(1, kAtOnce / block.length);
    for (uint64_t row = 0; row < block.count; row += some) {
      const cl_int status = in_parts(shape, block.rows(row, std::min(some, block.count - row)), copy);
      if (status != CL_SUCCESS) return status;
    }
    return CL_SUCCESS;
  }
  const uint64_t unit = shape.row() <= kAtOnce ? shape.row() : shape.pixel;
  for (uint64_t lo = block.lo; lo < block.hi();) {
    const uint64_t hi = std::min(block.hi(), (lo + kAtOnce) / unit * unit);
    const cl_int status = copy(pixel_boxes(shape, ByteRange{lo, hi}));
    if (status != CL_SUCCESS) return status;
    lo = hi;
  }
  return CL_SUCCESS;
}

}  // namespace

cl_int read_pixels(const PixelsAt& from, ByteRange range, unsigned char* to) {
  return read_boxes(from, pixel_boxes(from.shape, range), to);
}

cl_int write_pixels(const PixelsAt& to, ByteRange range, const unsigned char* from) {
  return write_boxes(to, pixel_boxes(to.shape, range), from);
}

cl_int copy_pixels(const PixelsAt& from, const PixelsAt& to, const ByteRanges& ranges) {
  for (const ByteRows& block : ranges) {
    const cl_int status = in_parts(
        from.shape, block, [&](const std::vector<PixelBox>& boxes) { return copy_boxes(from, to, boxes); });
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

cl_int read_mapped_pixels(const PixelsAt& from, ByteRange range, unsigned char* to) {
  return map_each(from, CL_MAP_READ, range, [&](const unsigned char* mapped, uint64_t at, uint64_t size) {
    std::memcpy(to + at, mapped, size);
  });
}

cl_int write_mapped_pixels(const PixelsAt& to, ByteRange range, const unsigned char* from) {
  return map_each(
      to, CL_MAP_WRITE_INVALIDATE_REGION, range,
      [&](unsigned char* mapped, uint64_t at, uint64_t size) { std::memcpy(mapped, from + at, size); });
}

}  // namespace mkmd
