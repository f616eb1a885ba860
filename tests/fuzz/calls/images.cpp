// SPDX-License-Identifier: Apache-2.0
// Steps about images of two dimensions and four bytes a pixel: reads, writes, fills, and copies between
// images and buffers. A command is ordered by all rows that it touches.
#include "player.hpp"

#include <algorithm>
#include <cstring>

namespace fuzz {

namespace {

constexpr size_t kPixel = 4;

struct Part {
  size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
};

Part choose(Random& random, const Image& image, size_t most) {
  Part part;
  const size_t sizes[2] = {image.width, image.height};
  for (size_t d = 0; d < 2; ++d) {
    part.origin[d] = random.chance(30) ? 0 : random.below(sizes[d]);
    part.region[d] = random.between(1, sizes[d] - part.origin[d]);
  }
  while (part.region[0] * part.region[1] * kPixel > most && part.region[1] > 1)
    part.region[1] /= 2;
  while (part.region[0] * part.region[1] * kPixel > most && part.region[0] > 1)
    part.region[0] /= 2;
  return part;
}

unsigned char* row(const Image& image, const Part& part, size_t y) {
  return image.root->bytes.data() + ((part.origin[1] + y) * image.width + part.origin[0]) * kPixel;
}

}  // namespace

void Player::new_image(Family& family) {
  if (!shared_.images || family.images.size() >= 4) return;
  auto image = std::make_shared<Image>();
  image->width = random_.between(1, 80);
  image->height = random_.between(1, 60);
  image->root = std::make_shared<Root>();
  image->root->bytes.resize(image->width * image->height * kPixel);
  scatter(image->root->bytes.data(), image->root->bytes.size(), random_.next());
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = image->width;
  description.image_height = image->height;
  const bool given = random_.chance(50);
  cl_int error = 0;
  image->handle = clCreateImage(family.context.handle, given ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                                &format, &description, given ? image->root->bytes.data() : nullptr, &error);
  line("image of %zux%zu", image->width, image->height);
  must("clCreateImage", error);
  family.images.push_back(image);
  if (!given) fill_image(family, image, {});
}

// All of it where no region is given.
void Player::fill_image(Family& family, const ImagePtr& image, const std::array<size_t, 4>& box) {
  Part part;
  part.origin[0] = box[0];
  part.origin[1] = box[1];
  part.region[0] = box[2] > 0 ? box[2] : image->width;
  part.region[1] = box[3] > 0 ? box[3] : image->height;
  cl_uint colour[4];
  unsigned char pixel[kPixel];
  for (size_t i = 0; i < kPixel; ++i) {
    pixel[i] = static_cast<unsigned char>(random_.next());
    colour[i] = pixel[i];
  }
  const QueuePtr queue = pick_queue(family);
  const std::vector<Use> uses = {{image->root.get(), part.origin[1], part.origin[1] + part.region[1], true}};
  Order order = this->order(family, queue, uses);
  for (size_t y = 0; y < part.region[1]; ++y)
    repeat(row(*image, part, y), part.region[0] * kPixel, pixel, kPixel);
  const cl_int code = clEnqueueFillImage(queue->handle, image->handle, colour, part.origin, part.region,
                                         order.count(), order.list(), order.out());
  std::memset(colour, 0xA5, sizeof colour);
  enqueued(family, order, uses, "clEnqueueFillImage", code, false);
}

void Player::read_or_write_image(Family& family, const QueuePtr& queue, const ImagePtr& image, bool writes) {
  const Part part = choose(random_, *image, SIZE_MAX);
  const size_t width = part.region[0] * kPixel;
  const size_t pitch = width + kPixel * random_.below(4);
  const std::vector<Use> uses = {
      {image->root.get(), part.origin[1], part.origin[1] + part.region[1], writes}};
  Order order = this->order(family, queue, uses);
  const bool blocking = random_.chance(35);
  if (blocking) open_for_blocking(order);
  auto host = std::make_shared<Bytes>(pitch * part.region[1], 0xA5);
  if (writes) scatter(host->data(), host->size(), random_.next());
  Bytes expected = *host;
  for (size_t y = 0; y < part.region[1]; ++y) {
    if (writes)
      std::memcpy(row(*image, part, y), host->data() + y * pitch, width);
    else
      std::memcpy(expected.data() + y * pitch, row(*image, part, y), width);
  }
  const cl_bool blocks = blocking ? CL_TRUE : CL_FALSE;
  if (writes) {
    order.command->kept.push_back(host);
    const cl_int code = clEnqueueWriteImage(queue->handle, image->handle, blocks, part.origin, part.region,
                                            pitch, 0, host->data(), order.count(), order.list(), order.out());
    return enqueued(family, order, uses, "clEnqueueWriteImage", code, blocking);
  }
  Check check;
  check.what = "a read of an image";
  check.got = host;
  check.expected.emplace_back(0, std::move(expected));
  order.command->checks.push_back(std::move(check));
  const cl_int code = clEnqueueReadImage(queue->handle, image->handle, blocks, part.origin, part.region,
                                         pitch, 0, host->data(), order.count(), order.list(), order.out());
  return enqueued(family, order, uses, "clEnqueueReadImage", code, blocking);
}

void Player::copy_image(Family& family, const QueuePtr& queue, const ImagePtr& image) {
  const ImagePtr to = random_.pick(family.images);
  if (to == image) return;
  Part from = choose(random_, *image, SIZE_MAX), there = choose(random_, *to, SIZE_MAX);
  for (size_t d = 0; d < 2; ++d)
    from.region[d] = there.region[d] = std::min(from.region[d], there.region[d]);
  const std::vector<Use> uses = {{image->root.get(), from.origin[1], from.origin[1] + from.region[1], false},
                                 {to->root.get(), there.origin[1], there.origin[1] + there.region[1], true}};
  Order order = this->order(family, queue, uses);
  for (size_t y = 0; y < from.region[1]; ++y)
    std::memcpy(row(*to, there, y), row(*image, from, y), from.region[0] * kPixel);
  const cl_int code = clEnqueueCopyImage(queue->handle, image->handle, to->handle, from.origin, there.origin,
                                         from.region, order.count(), order.list(), order.out());
  return enqueued(family, order, uses, "clEnqueueCopyImage", code, false);
}

// To a buffer, or from one.
void Player::copy_image_and_buffer(Family& family, const QueuePtr& queue, const ImagePtr& image,
                                   bool to_buffer) {
  const MemoryPtr memory = pick_memory(family, false, false);
  if (!memory || memory->parent || memory->size < kPixel) return;
  const Part part = choose(random_, *image, memory->size);
  const size_t width = part.region[0] * kPixel, bytes = width * part.region[1];
  const size_t offset = random_.below(memory->size - bytes + 1);
  const std::vector<Use> uses = {
      {image->root.get(), part.origin[1], part.origin[1] + part.region[1], !to_buffer},
      {memory->root.get(), memory->origin + offset, memory->origin + offset + bytes, to_buffer}};
  Order order = this->order(family, queue, uses);
  for (size_t y = 0; y < part.region[1]; ++y) {
    unsigned char* const there = memory->root->bytes.data() + memory->origin + offset + y * width;
    if (to_buffer)
      std::memcpy(there, row(*image, part, y), width);
    else
      std::memcpy(row(*image, part, y), there, width);
  }
  if (to_buffer) {
    const cl_int code =
        clEnqueueCopyImageToBuffer(queue->handle, image->handle, memory->handle, part.origin, part.region,
                                   offset, order.count(), order.list(), order.out());
    return enqueued(family, order, uses, "clEnqueueCopyImageToBuffer", code, false);
  }
  const cl_int code =
      clEnqueueCopyBufferToImage(queue->handle, memory->handle, image->handle, offset, part.origin,
                                 part.region, order.count(), order.list(), order.out());
  enqueued(family, order, uses, "clEnqueueCopyBufferToImage", code, false);
}

void Player::image(Family& family) {
  if (family.images.empty()) return;
  const ImagePtr image = random_.pick(family.images);
  const QueuePtr queue = pick_queue(family);
  const size_t kind = random_.below(6);
  line("kind %zu on an image of %zux%zu", kind, image->width, image->height);
  switch (kind) {
  case 0: {
    const Part part = choose(random_, *image, SIZE_MAX);
    return fill_image(family, image, {part.origin[0], part.origin[1], part.region[0], part.region[1]});
  }
  case 1:
  case 2:
    return read_or_write_image(family, queue, image, kind == 2);
  case 3:
    return copy_image(family, queue, image);
  default:
    return copy_image_and_buffer(family, queue, image, kind == 4);
  }
}

}  // namespace fuzz
