// SPDX-License-Identifier: Apache-2.0
// Steps that move bytes: reads, writes, copies, fills, rectangles, maps, migrations; blocking or not, on odd
// ranges, ordered by queues, wait lists and barriers. The model does each at once.
#include "player.hpp"

#include <algorithm>
#include <cstring>

namespace fuzz {

namespace {

constexpr unsigned char kUntouched = 0xA5;

}  // namespace

void Player::read(Family& family) {
  const MemoryPtr memory = pick_memory(family, true, false);
  if (!memory) return;
  const QueuePtr queue = pick_queue(family);
  const size_t offset = random_.chance(30) ? 0 : random_.below(memory->size);
  const size_t size = random_.chance(30) ? memory->size - offset : random_.between(1, memory->size - offset);
  const size_t begin = memory->origin + offset;
  const std::vector<Use> uses = {{memory->root.get(), begin, begin + size, false}};
  Order order = this->order(family, queue, uses);
  const bool blocking = random_.chance(35);
  if (blocking) open_for_blocking(order);
  const size_t margin = random_.between(0, 9);
  Check check;
  check.what = "a read";
  check.got = std::make_shared<Bytes>(size + 2 * margin, kUntouched);
  Bytes expected = *check.got;
  std::memcpy(expected.data() + margin, memory->root->bytes.data() + begin, size);
  check.expected.emplace_back(0, std::move(expected));
  void* const to = check.got->data() + margin;
  order.command->checks.push_back(std::move(check));
  line("bytes %zu+%zu of %zu", offset, size, memory->size);
  const cl_int code = clEnqueueReadBuffer(queue->handle, memory->handle, blocking ? CL_TRUE : CL_FALSE,
                                          offset, size, to, order.count(), order.list(), order.out());
  enqueued(family, order, uses, "clEnqueueReadBuffer", code, blocking);
}

void Player::write(Family& family) {
  const MemoryPtr memory = pick_memory(family, false, true);
  if (!memory) return;
  const QueuePtr queue = pick_queue(family);
  const size_t offset = random_.chance(30) ? 0 : random_.below(memory->size);
  const size_t size = random_.chance(30) ? memory->size - offset : random_.between(1, memory->size - offset);
  const size_t begin = memory->origin + offset;
  const std::vector<Use> uses = {{memory->root.get(), begin, begin + size, true}};
  Order order = this->order(family, queue, uses);
  const bool blocking = random_.chance(35);
  if (blocking) open_for_blocking(order);
  const size_t margin = random_.between(0, 9);
  auto from = std::make_shared<Bytes>(size + margin);
  scatter(from->data(), from->size(), random_.next());
  std::memcpy(memory->root->bytes.data() + begin, from->data() + margin, size);
  line("bytes %zu+%zu of %zu", offset, size, memory->size);
  const cl_int code =
      clEnqueueWriteBuffer(queue->handle, memory->handle, blocking ? CL_TRUE : CL_FALSE, offset, size,
                           from->data() + margin, order.count(), order.list(), order.out());
  if (blocking)
    std::fill(from->begin(), from->end(), kUntouched);  // it is the program's again
  else
    order.command->kept.push_back(from);
  enqueued(family, order, uses, "clEnqueueWriteBuffer", code, blocking);
}

void Player::copy(Family& family) {
  const MemoryPtr from = pick_memory(family, false, false);
  const MemoryPtr to = pick_memory(family, false, false);
  if (!from || !to) return;
  const QueuePtr queue = pick_queue(family);
  const size_t from_offset = random_.below(from->size), to_offset = random_.below(to->size);
  const size_t most = std::min(from->size - from_offset, to->size - to_offset);
  const size_t size = random_.chance(30) ? most : random_.between(1, most);
  const size_t from_begin = from->origin + from_offset, to_begin = to->origin + to_offset;
  if (from->root == to->root && from_begin < to_begin + size && to_begin < from_begin + size) return;
  const std::vector<Use> uses = {{from->root.get(), from_begin, from_begin + size, false},
                                 {to->root.get(), to_begin, to_begin + size, true}};
  Order order = this->order(family, queue, uses);
  std::memmove(to->root->bytes.data() + to_begin, from->root->bytes.data() + from_begin, size);
  line("%zu bytes from %zu of %zu to %zu of %zu", size, from_offset, from->size, to_offset, to->size);
  const cl_int code = clEnqueueCopyBuffer(queue->handle, from->handle, to->handle, from_offset, to_offset,
                                          size, order.count(), order.list(), order.out());
  enqueued(family, order, uses, "clEnqueueCopyBuffer", code, false);
}

void Player::fill(Family& family) {
  const MemoryPtr memory = pick_memory(family, false, false);
  if (!memory) return;
  const QueuePtr queue = pick_queue(family);
  size_t width = size_t(1) << random_.below(8);
  while (width > memory->size)
    width /= 2;
  const size_t units = memory->size / width;
  const size_t first = random_.chance(40) ? 0 : random_.below(units);
  const size_t count = random_.chance(40) ? units - first : random_.between(1, units - first);
  unsigned char pattern[128];
  for (size_t i = 0; i < width; ++i)
    pattern[i] = static_cast<unsigned char>(random_.next());
  const size_t begin = memory->origin + first * width, size = count * width;
  const std::vector<Use> uses = {{memory->root.get(), begin, begin + size, true}};
  Order order = this->order(family, queue, uses);
  repeat(memory->root->bytes.data() + begin, size, pattern, width);
  line("pattern of %zu, bytes %zu+%zu of %zu", width, first * width, size, memory->size);
  const cl_int code = clEnqueueFillBuffer(queue->handle, memory->handle, pattern, width, first * width, size,
                                          order.count(), order.list(), order.out());
  std::memset(pattern, kUntouched, sizeof pattern);
  enqueued(family, order, uses, "clEnqueueFillBuffer", code, false);
}

namespace {

// A box of bytes in a buffer or host memory.
struct Rectangle {
  size_t origin[3] = {0, 0, 0};
  size_t row_pitch = 0, slice_pitch = 0;

  size_t at(size_t y, size_t z) const {
    return (origin[2] + z) * slice_pitch + (origin[1] + y) * row_pitch + origin[0];
  }
  size_t end(const size_t* region) const { return at(region[1] - 1, region[2] - 1) + region[0]; }
};

void choose_region(Random& random, size_t room, size_t* region) {
  region[0] = random.between(1, std::min<size_t>(room, 200));
  region[1] = random.between(1, std::min<size_t>(room / region[0], 40));
  region[2] = random.between(1, std::min<size_t>(room / region[0] / region[1], 3));
}

// One that holds `region` and ends within `size` bytes, if there is one.
bool choose(Random& random, const size_t* region, size_t size, Rectangle& rectangle) {
  rectangle.row_pitch = region[0] + random.below(9);
  rectangle.slice_pitch = rectangle.row_pitch * (region[1] + random.below(3));
  rectangle.origin[0] = random.below(rectangle.row_pitch - region[0] + 1);
  rectangle.origin[1] = random.below(rectangle.slice_pitch / rectangle.row_pitch - region[1] + 1);
  rectangle.origin[2] = random.below(2);
  if (rectangle.end(region) <= size) return true;
  rectangle = {};
  rectangle.row_pitch = region[0];
  rectangle.slice_pitch = region[0] * region[1];
  return rectangle.end(region) <= size;
}

}  // namespace

void Player::rectangle(Family& family) {
  const size_t kind = random_.below(3);  // read, write, copy
  const MemoryPtr memory = pick_memory(family, kind == 0, kind == 1);
  if (!memory) return;
  const MemoryPtr to = kind == 2 ? pick_memory(family, false, false) : nullptr;
  if (kind == 2 && (!to || to->root == memory->root)) return;
  // PoCL 3.1 takes no sub-buffers here: it crashes.
  if (kind == 2 && (memory->parent || to->parent)) return;
  size_t region[3];
  choose_region(random_, std::min(memory->size, to ? to->size : memory->size), region);
  Rectangle of, other;
  if (!choose(random_, region, memory->size, of)) return;
  if (!choose(random_, region, to ? to->size : size_t(1) << 30, other)) return;
  const QueuePtr queue = pick_queue(family);
  const bool blocking = kind != 2 && random_.chance(30);
  Root& root = *memory->root;
  std::vector<Use> uses = {{&root, memory->origin + of.at(0, 0), memory->origin + of.end(region), kind == 1}};
  if (to) uses.push_back({to->root.get(), to->origin + other.at(0, 0), to->origin + other.end(region), true});
  Order order = this->order(family, queue, uses);
  if (blocking) open_for_blocking(order);
  auto host = std::make_shared<Bytes>(to ? 1 : other.end(region) + 3, kUntouched);
  for (unsigned char& byte : *host)
    if (kind == 1) byte = static_cast<unsigned char>(random_.next());
  Bytes expected = *host;
  for (size_t z = 0; z < region[2]; ++z) {
    for (size_t y = 0; y < region[1]; ++y) {
      unsigned char* const there = root.bytes.data() + memory->origin + of.at(y, z);
      if (kind == 0) std::memcpy(expected.data() + other.at(y, z), there, region[0]);
      if (kind == 1) std::memcpy(there, host->data() + other.at(y, z), region[0]);
      if (kind == 2) std::memcpy(to->root->bytes.data() + to->origin + other.at(y, z), there, region[0]);
    }
  }
  line("kind %zu, %s queue %s, %zux%zux%zu of %zu%s", kind, queue->in_order ? "in-order" : "out-of-order",
       blocking ? "blocking" : "", region[0], region[1], region[2], memory->size,
       memory->parent ? " (sub)" : "");
  const cl_bool blocks = blocking ? CL_TRUE : CL_FALSE;
  if (kind == 0) {
    Check check;
    check.what = "a read of a rectangle";
    check.got = host;
    check.expected.emplace_back(0, std::move(expected));
    order.command->checks.push_back(std::move(check));
    const cl_int code = clEnqueueReadBufferRect(
        queue->handle, memory->handle, blocks, of.origin, other.origin, region, of.row_pitch, of.slice_pitch,
        other.row_pitch, other.slice_pitch, host->data(), order.count(), order.list(), order.out());
    enqueued(family, order, uses, "clEnqueueReadBufferRect", code, blocking);
  } else if (kind == 1) {
    order.command->kept.push_back(host);
    const cl_int code = clEnqueueWriteBufferRect(
        queue->handle, memory->handle, blocks, of.origin, other.origin, region, of.row_pitch, of.slice_pitch,
        other.row_pitch, other.slice_pitch, host->data(), order.count(), order.list(), order.out());
    enqueued(family, order, uses, "clEnqueueWriteBufferRect", code, blocking);
  } else {
    const cl_int code = clEnqueueCopyBufferRect(
        queue->handle, memory->handle, to->handle, of.origin, other.origin, region, of.row_pitch,
        of.slice_pitch, other.row_pitch, other.slice_pitch, order.count(), order.list(), order.out());
    enqueued(family, order, uses, "clEnqueueCopyBufferRect", code, false);
  }
}

// While a buffer is mapped, nothing else uses it.
void Player::map(Family& family) {
  const cl_map_flags flags = random_.one_of<cl_map_flags>(
      {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION});
  const bool reads = (flags & CL_MAP_READ) != 0, writes = flags != CL_MAP_READ;
  const MemoryPtr memory = pick_memory(family, reads, writes);
  if (!memory) return;
  const QueuePtr queue = pick_queue(family);
  const size_t offset = random_.chance(30) ? 0 : random_.below(memory->size);
  const size_t size = random_.chance(30) ? memory->size - offset : random_.between(1, memory->size - offset);
  const size_t begin = memory->origin + offset;
  const std::vector<Use> uses = {{memory->root.get(), begin, begin + size, writes}};
  Order order = this->order(family, queue, uses);
  const bool blocking = random_.chance(50);
  if (blocking) open_for_blocking(order);
  cl_int code = 0;
  line("bytes %zu+%zu of %zu, %llx", offset, size, memory->size, static_cast<unsigned long long>(flags));
  auto* const pointer = static_cast<unsigned char*>(
      clEnqueueMapBuffer(queue->handle, memory->handle, blocking ? CL_TRUE : CL_FALSE, flags, offset, size,
                         order.count(), order.list(), order.out(), &code));
  if (code == CL_SUCCESS && pointer == nullptr) fault("a map gave no pointer");
  Check check;
  check.what = "a map";
  check.mapped = pointer;
  if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0) {
    const auto from = memory->root->bytes.begin() + static_cast<ptrdiff_t>(begin);
    check.expected.emplace_back(0, Bytes(from, from + static_cast<ptrdiff_t>(size)));
  }
  order.command->checks.push_back(std::move(check));
  memory->root->mappings.push_back({pointer, begin, size, flags, memory->handle, order.command});
  enqueued(family, order, uses, "clEnqueueMapBuffer", code, blocking);
  if (memory->root->host && pointer != nullptr) {
    void* host = nullptr;
    must("clGetMemObjectInfo",
         clGetMemObjectInfo(memory->handle, CL_MEM_HOST_PTR, sizeof host, &host, nullptr));
    if (static_cast<unsigned char*>(host) + offset != pointer) fault("a map is not in the host memory given");
  }
}

void Player::unmap(Family& family) {
  for (const MemoryPtr& memory : family.memories) {
    Root& root = *memory->root;
    if (root.mappings.empty() || root.mappings.back().handle != memory->handle) continue;
    const Mapping mapping = root.mappings.back();
    if (!mapping.command->complete) {
      make_waitable(mapping.command);
      open(std::set<GatePtr>(mapping.command->gates));
      must("clWaitForEvents", clWaitForEvents(1, &mapping.command->event));
      complete(mapping.command);
    }
    const bool writes = mapping.flags != CL_MAP_READ;
    if (writes) {
      const uint64_t salt = random_.next();
      const bool all = (mapping.flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 || random_.chance(50);
      const size_t first = all ? 0 : random_.below(mapping.size);
      const size_t last = all ? mapping.size : random_.between(first, mapping.size);
      scatter(mapping.pointer + first, last - first, salt);
      std::memcpy(root.bytes.data() + mapping.origin + first, mapping.pointer + first, last - first);
    }
    const QueuePtr queue = pick_queue(family);
    const std::vector<Use> uses = {{&root, mapping.origin, mapping.origin + mapping.size, writes}};
    Order order = this->order(family, queue, uses);
    const cl_int code = clEnqueueUnmapMemObject(queue->handle, mapping.handle, mapping.pointer, order.count(),
                                                order.list(), order.out());
    root.mappings.pop_back();
    return enqueued(family, order, uses, "clEnqueueUnmapMemObject", code, false);
  }
}

void Player::migrate(Family& family) {
  const MemoryPtr memory = pick_memory(family, false, false);
  if (!memory) return;
  const QueuePtr queue = pick_queue(family);
  const std::vector<Use> uses = {{memory->root.get(), memory->origin, memory->origin + memory->size, true}};
  Order order = this->order(family, queue, uses);
  const cl_mem_migration_flags flags = random_.chance(50) ? CL_MIGRATE_MEM_OBJECT_HOST : 0;
  const cl_int code = clEnqueueMigrateMemObjects(queue->handle, 1, &memory->handle, flags, order.count(),
                                                 order.list(), order.out());
  enqueued(family, order, uses, "clEnqueueMigrateMemObjects", code, false);
}

}  // namespace fuzz
