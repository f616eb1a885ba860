// SPDX-License-Identifier: Apache-2.0
// Steps about coarse-grained shared virtual memory: it is made, filled, copied from and to, and freed at once
// or in a queue. Programs touch it through commands alone, or while it is mapped.
#include "player.hpp"

#include <algorithm>
#include <cstring>

namespace fuzz {

void Player::new_svm(Family& family) {
  if (!shared_.svm || family.svm.size() >= 4) return;
  auto memory = std::make_shared<Svm>();
  memory->root = std::make_shared<Root>();
  memory->root->bytes.resize(random_.between(1, 5000));
  memory->pointer = static_cast<unsigned char*>(
      clSVMAlloc(family.context.handle, CL_MEM_READ_WRITE, memory->root->bytes.size(), 0));
  note("clSVMAlloc", CL_SUCCESS);
  if (memory->pointer == nullptr) fault("no shared memory");
  family.svm.push_back(memory);
  const unsigned char pattern = static_cast<unsigned char>(random_.next());
  svm_fill(family, memory, 0, memory->root->bytes.size(), &pattern, 1);
}

void Player::svm_fill(Family& family, const SvmPtr& memory, size_t begin, size_t size,
                      const unsigned char* pattern, size_t width) {
  const QueuePtr queue = pick_queue(family);
  const std::vector<Use> uses = {{memory->root.get(), begin, begin + size, true}};
  Order order = this->order(family, queue, uses);
  repeat(memory->root->bytes.data() + begin, size, pattern, width);
  const cl_int code = clEnqueueSVMMemFill(queue->handle, memory->pointer + begin, pattern, width, size,
                                          order.count(), order.list(), order.out());
  enqueued(family, order, uses, "clEnqueueSVMMemFill", code, false);
}

void Player::svm_fill_some(Family& family, const SvmPtr& memory, size_t begin, size_t size) {
  const size_t all = memory->root->bytes.size();
  unsigned char pattern[16];
  scatter(pattern, sizeof pattern, random_.next());
  size_t width = size_t(1) << random_.below(5);
  while (width > all)
    width /= 2;
  const size_t first = begin / width * width;
  const size_t count = std::min(std::max<size_t>(1, size / width), (all - first) / width);
  if (count > 0) svm_fill(family, memory, first, count * width, pattern, width);
}

void Player::svm_write(Family& family, const QueuePtr& queue, const Svm& memory, size_t begin, size_t size,
                       bool blocking) {
  const std::vector<Use> uses = {{memory.root.get(), begin, begin + size, true}};
  Order order = this->order(family, queue, uses);
  if (blocking) open_for_blocking(order);
  auto from = std::make_shared<Bytes>(size);
  scatter(from->data(), size, random_.next());
  std::memcpy(memory.root->bytes.data() + begin, from->data(), size);
  const cl_int code = clEnqueueSVMMemcpy(queue->handle, blocking ? CL_TRUE : CL_FALSE, memory.pointer + begin,
                                         from->data(), size, order.count(), order.list(), order.out());
  order.command->kept.push_back(from);
  return enqueued(family, order, uses, "clEnqueueSVMMemcpy", code, blocking);
}

void Player::svm_read(Family& family, const QueuePtr& queue, const Svm& memory, size_t begin, size_t size,
                      bool blocking) {
  const std::vector<Use> uses = {{memory.root.get(), begin, begin + size, false}};
  Order order = this->order(family, queue, uses);
  if (blocking) open_for_blocking(order);
  Check check;
  check.what = "a copy of shared memory";
  check.got = std::make_shared<Bytes>(size, 0xA5);
  const auto from = memory.root->bytes.begin() + static_cast<ptrdiff_t>(begin);
  check.expected.emplace_back(0, Bytes(from, from + static_cast<ptrdiff_t>(size)));
  void* const to = check.got->data();
  order.command->checks.push_back(std::move(check));
  const cl_int code =
      clEnqueueSVMMemcpy(queue->handle, blocking ? CL_TRUE : CL_FALSE, to, memory.pointer + begin, size,
                         order.count(), order.list(), order.out());
  return enqueued(family, order, uses, "clEnqueueSVMMemcpy", code, blocking);
}

// Mapped, changed and unmapped.
void Player::svm_map(Family& family, const QueuePtr& queue, const Svm& memory, size_t begin, size_t size) {
  const std::vector<Use> uses = {{memory.root.get(), begin, begin + size, true}};
  Order order = this->order(family, queue, uses);
  open_for_blocking(order);
  must("clEnqueueSVMMap",
       clEnqueueSVMMap(queue->handle, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory.pointer + begin, size,
                       order.count(), order.list(), nullptr));
  if (std::memcmp(memory.pointer + begin, memory.root->bytes.data() + begin, size) != 0)
    fault("mapped shared memory has other contents");
  scatter(memory.pointer + begin, size, random_.next());
  std::memcpy(memory.root->bytes.data() + begin, memory.pointer + begin, size);
  const cl_int code = clEnqueueSVMUnmap(queue->handle, memory.pointer + begin, 0, nullptr, order.out());
  return enqueued(family, order, uses, "clEnqueueSVMUnmap", code, false);
}

void Player::svm(Family& family) {
  if (family.svm.empty()) return;
  const SvmPtr memory = random_.pick(family.svm);
  const size_t all = memory->root->bytes.size();
  const size_t begin = random_.chance(30) ? 0 : random_.below(all);
  const size_t size = random_.between(1, all - begin);
  const QueuePtr queue = pick_queue(family);
  const bool blocking = random_.chance(40);
  const size_t kind = random_.below(5);
  line("kind %zu on bytes %zu+%zu of %zu", kind, begin, size, all);
  switch (kind) {
  case 0:
    return svm_fill_some(family, memory, begin, size);
  case 1:
    return svm_write(family, queue, *memory, begin, size, blocking);
  case 2:
    return svm_read(family, queue, *memory, begin, size, blocking);
  case 3:
    return svm_map(family, queue, *memory, begin, size);
  default:
    return svm_free(family, memory);
  }
}

void Player::svm_free(Family& family, const SvmPtr& memory) {
  const QueuePtr queue = pick_queue(family);
  const std::vector<Use> uses = {{memory->root.get(), 0, memory->root->bytes.size(), true}};
  Order order = this->order(family, queue, uses);
  void* pointers[] = {memory->pointer};
  const cl_int code = clEnqueueSVMFree(queue->handle, 1, pointers, nullptr, nullptr, order.count(),
                                       order.list(), order.out());
  std::erase(family.svm, memory);
  order.command->kept.push_back(memory->root);
  enqueued(family, order, uses, "clEnqueueSVMFree", code, false);
}

}  // namespace fuzz
