// SPDX-License-Identifier: Apache-2.0
// Steps that make objects.
#include "player.hpp"

#include <algorithm>
#include <cstring>

namespace fuzz {

namespace {

void CL_CALLBACK memory_destroyed(cl_mem, void* data) {
  const std::unique_ptr<std::pair<Callbacks*, std::shared_ptr<HostMemory>>> given(
      static_cast<std::pair<Callbacks*, std::shared_ptr<HostMemory>>*>(data));
  const auto& [callbacks, host] = *given;
  if (host) {
    if (host->destroyed.fetch_add(1) > 0) callbacks->twice.fetch_add(1);
    host->bytes.reset();  // the driver has no use for it any more
  }
  callbacks->memories_called.fetch_add(1);
}

}  // namespace

void Player::new_family(Family*) {
  auto family = std::make_unique<Family>();
  cl_int error = 0;
  const bool common = shared_.context != nullptr && families_.empty();
  if (common) {
    family->shared = true;
    family->context.handle = shared_.context;
    must("clRetainContext", clRetainContext(shared_.context));
  } else {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(shared_.platform), 0};
    const bool by_type = random_.chance(20);
    const cl_context_properties* list = by_type || random_.chance(50) ? properties : nullptr;
    family->context.handle = by_type
                                 ? clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &error)
                                 : clCreateContext(list, 1, &shared_.device, nullptr, nullptr, &error);
    must("clCreateContext", error);
  }
  if (common) {
    auto queue = std::make_shared<Queue>();
    queue->handle = shared_.queue;
    queue->shared = true;
    must("clRetainCommandQueue", clRetainCommandQueue(shared_.queue));
    family->queues.push_back(queue);
  }
  new_queue(*family);
  new_program(*family);
  new_buffer(*family);
  families_.push_back(std::move(family));
}

void Player::new_queue(Family& family) {
  if (family.queues.size() >= 5) return;
  auto queue = std::make_shared<Queue>();
  cl_command_queue_properties properties = 0;
  if (random_.chance(35)) properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  if (random_.chance(40)) properties |= CL_QUEUE_PROFILING_ENABLE;
  cl_int error = 0;
  if (random_.chance(50)) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    queue->handle = clCreateCommandQueueWithProperties(family.context.handle, shared_.device,
                                                       properties != 0 ? list : nullptr, &error);
    must("clCreateCommandQueueWithProperties", error);
  } else {
    queue->handle = clCreateCommandQueue(family.context.handle, shared_.device, properties, &error);
    must("clCreateCommandQueue", error);
  }
  queue->in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  queue->profiling = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  family.queues.push_back(queue);
}

// Flags and host memory for a buffer, and what follows from them.
Player::NewBuffer Player::choose_buffer() {
  NewBuffer made;
  made.root = std::make_shared<Root>();
  Root& root = *made.root;
  const size_t size = random_.chance(45)   ? random_.between(1, 3000)
                      : random_.chance(80) ? 4 * random_.between(1000, 30000)
                                           : 4 * random_.between(30000, 300000);
  root.bytes.resize(size);
  scatter(root.bytes.data(), size, random_.next());
  made.flags = random_.one_of<cl_mem_flags>(
      {0, CL_MEM_READ_WRITE, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY});
  root.device_writes = (made.flags & CL_MEM_READ_ONLY) == 0;
  root.device_reads = (made.flags & CL_MEM_WRITE_ONLY) == 0;
  const size_t way = random_.below(4);
  if (way == 0) {
    root.host = std::make_shared<HostMemory>();
    const size_t shift = random_.one_of<size_t>({0, 4, 64, 128, 4096});
    root.host->bytes.reset(new unsigned char[size + shift]);
    unsigned char* const begin = root.host->bytes.get() + shift;
    std::memcpy(begin, root.bytes.data(), size);
    made.given = begin;
    made.flags |= CL_MEM_USE_HOST_PTR;
  } else if (way == 1) {
    made.given = root.bytes.data();
    made.flags |= CL_MEM_COPY_HOST_PTR;
    if (random_.chance(40)) made.flags |= CL_MEM_ALLOC_HOST_PTR;
  } else if (random_.chance(20)) {
    made.flags |= CL_MEM_ALLOC_HOST_PTR;
  }
  if (way != 0 && random_.chance(20)) {
    const cl_mem_flags host =
        random_.one_of<cl_mem_flags>({CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS});
    made.flags |= host;
    root.host_reads = host == CL_MEM_HOST_READ_ONLY;
    root.host_writes = host == CL_MEM_HOST_WRITE_ONLY;
  }
  return made;
}

void Player::new_buffer(Family& family) {
  if (family.memories.size() >= 20) return;
  const auto [root, flags, given] = choose_buffer();
  const size_t size = root->bytes.size();
  auto memory = std::make_shared<Memory>();
  cl_int error = 0;
  memory->handle = clCreateBuffer(family.context.handle, flags, size, given, &error);
  line("buffer of %zu, flags %llx", size, static_cast<unsigned long long>(flags));
  must("clCreateBuffer", error);
  memory->root = root;
  memory->size = size;
  memory->flags = flags;
  memory->device_writes = root->device_writes;
  memory->device_reads = root->device_reads;
  memory->host_reads = root->host_reads;
  memory->host_writes = root->host_writes;
  if (root->host || random_.chance(40)) {
    auto* data = new std::pair<Callbacks*, std::shared_ptr<HostMemory>>(&shared_.callbacks, root->host);
    shared_.callbacks.memories_expected.fetch_add(1);
    must("clSetMemObjectDestructorCallback",
         clSetMemObjectDestructorCallback(memory->handle, memory_destroyed, data));
  }
  family.memories.push_back(memory);
  if (given != nullptr) return;
  // Its bytes are known from here on.
  const QueuePtr queue = pick_queue(family);
  const std::vector<Use> uses = {{root.get(), 0, size, true}};
  Order order = this->order(family, queue, uses);
  const unsigned char pattern = root->bytes[0];
  std::fill(root->bytes.begin(), root->bytes.end(), pattern);
  const cl_int code = clEnqueueFillBuffer(queue->handle, memory->handle, &pattern, 1, 0, size, order.count(),
                                          order.list(), order.out());
  enqueued(family, order, uses, "clEnqueueFillBuffer", code, false);
}

void Player::new_sub_buffer(Family& family) {
  if (family.memories.size() >= 24 || family.memories.empty()) return;
  const MemoryPtr parent = random_.pick(family.memories);
  constexpr size_t kAlignment = 128;
  if (parent->parent || parent->size < 2 * kAlignment) return;
  const size_t origin = random_.below(parent->size / kAlignment) * kAlignment;
  const size_t size = random_.between(1, parent->size - origin);
  const cl_buffer_region region = {origin, size};
  auto memory = std::make_shared<Memory>(*parent);
  memory->references = 1;
  memory->parent = parent;
  memory->origin = parent->origin + origin;
  memory->size = size;
  cl_mem_flags flags = 0;
  if (random_.chance(25) && parent->device_reads && parent->device_writes) {
    flags = random_.one_of<cl_mem_flags>({CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE});
    memory->device_writes = (flags & CL_MEM_READ_ONLY) == 0;
    memory->device_reads = (flags & CL_MEM_WRITE_ONLY) == 0;
  }
  cl_int error = 0;
  memory->handle = clCreateSubBuffer(parent->handle, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  line("bytes %zu+%zu of %zu", origin, size, parent->size);
  must("clCreateSubBuffer", error);
  family.memories.push_back(memory);
}

void Player::new_user_event(Family& family) {
  size_t unset = 0;
  for (const EventPtr& event : family.events)
    unset += event->gate && !event->gate->is_set;
  if (unset >= 3) return;
  auto event = std::make_shared<Event>();
  cl_int error = 0;
  event->handle = clCreateUserEvent(family.context.handle, &error);
  must("clCreateUserEvent", error);
  event->gate = std::make_shared<Gate>();
  event->gate->handle = event->handle;
  family.events.push_back(event);
}

void Player::set_user_event(Family& family) {
  for (const EventPtr& event : family.events) {
    if (!event->gate || event->gate->is_set) continue;
    open({event->gate});
    return;
  }
}

void Player::sampler(Family& family) {
  if (!shared_.images || family.samplers.size() >= 4) return;
  auto sampler = std::make_shared<Counted<cl_sampler>>();
  cl_int error = 0;
  sampler->handle = clCreateSampler(family.context.handle, random_.chance(50) ? CL_TRUE : CL_FALSE,
                                    CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
  must("clCreateSampler", error);
  family.samplers.push_back(sampler);
}

}  // namespace fuzz
