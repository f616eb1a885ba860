// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/pixels.hpp"

#include "libinterpose/commands/careful.hpp"
#include "libinterpose/memory/pixel_boxes.hpp"

#include <algorithm>
#include <memory>

namespace mkmd {

namespace {

constexpr uint64_t kAtOnce = 64 << 20;  // bytes of ours that a copy may take

using BoxBytes = std::unique_ptr<unsigned char[]>;  // of boxes, one after another

// A buffer of ours, through which the device itself copies.
vendor::Owned<cl_mem> open_bytes(const PixelsAt& side, uint64_t size, cl_int& status) {
  return open_buffer(side.lane, ByteRanges(0, size), status);
}

// Over when the lane's queue is finished.
cl_int begin_read(const PixelsAt& from, const PixelBox& box, unsigned char* to, cl_mem open) {
  const cl_command_queue queue = from.lane.queue.get();
  const auto& table = vendor::table(queue);
  if (open == nullptr)
    return vendor::enqueue_carefully(from.lane.queue, [&](cl_event* event) {
      return table.clEnqueueReadImage(queue, from.image, CL_FALSE, box.origin.data(), box.region.data(), 0, 0,
                                      to, 0, nullptr, event);
    });
  const cl_int status = vendor::enqueue_carefully(from.lane.queue, [&](cl_event* event) {
    return table.clEnqueueCopyImageToBuffer(queue, from.image, open, box.origin.data(), box.region.data(), 0,
                                            0, nullptr, event);
  });
  if (status != CL_SUCCESS) return status;
  return vendor::enqueue_carefully(from.lane.queue, [&](cl_event* event) {
    return table.clEnqueueReadBuffer(queue, open, CL_FALSE, 0, bytes_of(box, from.shape), to, 0, nullptr,
                                     event);
  });
}

// Likewise.
cl_int begin_write(const PixelsAt& to, const PixelBox& box, const unsigned char* from, cl_mem open) {
  const cl_command_queue queue = to.lane.queue.get();
  const auto& table = vendor::table(queue);
  if (open == nullptr)
    return vendor::enqueue_carefully(to.lane.queue, [&](cl_event* event) {
      return table.clEnqueueWriteImage(queue, to.image, CL_FALSE, box.origin.data(), box.region.data(), 0, 0,
                                       from, 0, nullptr, event);
    });
  const cl_int status = vendor::enqueue_carefully(to.lane.queue, [&](cl_event* event) {
    return table.clEnqueueWriteBuffer(queue, open, CL_FALSE, 0, bytes_of(box, to.shape), from, 0, nullptr,
                                      event);
  });
  if (status != CL_SUCCESS) return status;
  return vendor::enqueue_carefully(to.lane.queue, [&](cl_event* event) {
    return table.clEnqueueCopyBufferToImage(queue, open, to.image, 0, box.origin.data(), box.region.data(), 0,
                                            nullptr, event);
  });
}

// One command after another, in the queue's order: one buffer of ours serves all of them.
template <typename Begin>
cl_int each_box(const PixelsAt& side, const std::vector<PixelBox>& boxes, bool by_device, Begin begin) {
  cl_int status = CL_SUCCESS;
  vendor::Owned<cl_mem> open;
  if (by_device) {
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
  const cl_int finished = vendor::finish_carefully(side.lane.queue);
  return status != CL_SUCCESS ? status : finished;
}

cl_int read_boxes(const PixelsAt& from, const std::vector<PixelBox>& boxes, unsigned char* to,
                  bool by_device) {
  return each_box(from, boxes, by_device, [&](const PixelBox& box, uint64_t at, cl_mem open) {
    return begin_read(from, box, to + at, open);
  });
}

cl_int write_boxes(const PixelsAt& to, const std::vector<PixelBox>& boxes, const unsigned char* from,
                   bool by_device) {
  return each_box(to, boxes, by_device, [&](const PixelBox& box, uint64_t at, cl_mem open) {
    return begin_write(to, box, from + at, open);
  });
}

cl_int copy_boxes(const PixelsAt& from, const PixelsAt& to, const std::vector<PixelBox>& boxes, bool& begun) {
  uint64_t size = 0;
  for (const PixelBox& box : boxes)
    size += bytes_of(box, from.shape);
  BoxBytes bytes = std::make_unique_for_overwrite<unsigned char[]>(size);
  cl_int status = read_boxes(from, boxes, bytes.get(), is_closed(from.image, kHostMayNotRead));
  const PixelsAt* last = &from;
  if (status == CL_SUCCESS) {
    begun = true;
    status = write_boxes(to, boxes, bytes.get(), is_closed(to.image, kHostMayNotWrite));
    last = &to;
  }
  // The driver may still use them.
  if (status != CL_SUCCESS && vendor::finish_carefully(last->lane.queue) != CL_SUCCESS) (void)bytes.release();
  return status;
}

// For drivers that fail at the plain calls. There is no mapping: PoCL 3.1 has been seen to map images to
// addresses that are none.
template <typename Copy>
cl_int either_way(bool closed, Copy copy) {
  const cl_int status = vendor::try_again([&] { return copy(closed); });
  return status == CL_SUCCESS || closed ? status : vendor::try_again([&] { return copy(true); });
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
  const std::vector<PixelBox> boxes = pixel_boxes(from.shape, range);
  return either_way(is_closed(from.image, kHostMayNotRead),
                    [&](bool by_device) { return read_boxes(from, boxes, to, by_device); });
}

cl_int write_pixels(const PixelsAt& to, ByteRange range, const unsigned char* from) {
  const std::vector<PixelBox> boxes = pixel_boxes(to.shape, range);
  return either_way(is_closed(to.image, kHostMayNotWrite),
                    [&](bool by_device) { return write_boxes(to, boxes, from, by_device); });
}

cl_int copy_pixels(const PixelsAt& from, const PixelsAt& to, const ByteRanges& ranges, bool& begun) {
  for (const ByteRows& block : ranges) {
    const cl_int status = in_parts(from.shape, block, [&](const std::vector<PixelBox>& boxes) {
      return copy_boxes(from, to, boxes, begun);
    });
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

}  // namespace mkmd
