// SPDX-License-Identifier: Apache-2.0
// Steps that make, retain and release objects. The last reference of an object is never used again; commands
// that use it may still be under way.
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

void Player::new_buffer(Family& family) {
  if (family.memories.size() >= 20) return;
  auto memory = std::make_shared<Memory>();
  auto root = std::make_shared<Root>();
  const size_t size = random_.chance(45)   ? random_.between(1, 3000)
                      : random_.chance(80) ? 4 * random_.between(1000, 30000)
                                           : 4 * random_.between(30000, 300000);
  root->bytes.resize(size);
  scatter(root->bytes.data(), size, random_.next());
  cl_mem_flags flags = random_.one_of<cl_mem_flags>(
      {0, CL_MEM_READ_WRITE, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY});
  root->device_writes = (flags & CL_MEM_READ_ONLY) == 0;
  root->device_reads = (flags & CL_MEM_WRITE_ONLY) == 0;
  void* given = nullptr;
  const size_t way = random_.below(4);
  if (way == 0) {
    root->host = std::make_shared<HostMemory>();
    const size_t shift = random_.one_of<size_t>({0, 4, 64, 128, 4096});
    root->host->bytes.reset(new unsigned char[size + shift]);
    unsigned char* const begin = root->host->bytes.get() + shift;
    std::memcpy(begin, root->bytes.data(), size);
    given = begin;
    flags |= CL_MEM_USE_HOST_PTR;
  } else if (way == 1) {
    given = root->bytes.data();
    flags |= CL_MEM_COPY_HOST_PTR;
    if (random_.chance(40)) flags |= CL_MEM_ALLOC_HOST_PTR;
  } else if (random_.chance(20)) {
    flags |= CL_MEM_ALLOC_HOST_PTR;
  }
  if (way != 0 && random_.chance(20)) {
    const cl_mem_flags host =
        random_.one_of<cl_mem_flags>({CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS});
    flags |= host;
    root->host_reads = host == CL_MEM_HOST_READ_ONLY;
    root->host_writes = host == CL_MEM_HOST_WRITE_ONLY;
  }
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

void Player::retain(Family& family) {
  switch (random_.below(8)) {
  case 7: {
    if (family.images.empty()) return;
    const ImagePtr image = random_.pick(family.images);
    ++image->references;
    return must("clRetainMemObject", clRetainMemObject(image->handle));
  }
  case 0:
    ++family.context.references;
    return must("clRetainContext", clRetainContext(family.context.handle));
  case 1: {
    const QueuePtr queue = pick_queue(family);
    ++queue->references;
    return must("clRetainCommandQueue", clRetainCommandQueue(queue->handle));
  }
  case 2:
    if (family.memories.empty()) return;
    {
      const MemoryPtr memory = random_.pick(family.memories);
      ++memory->references;
      return must("clRetainMemObject", clRetainMemObject(memory->handle));
    }
  case 3:
    if (family.programs.empty()) return;
    {
      const ProgramPtr program = random_.pick(family.programs);
      ++program->references;
      return must("clRetainProgram", clRetainProgram(program->handle));
    }
  case 4:
    if (family.kernels.empty()) return;
    {
      const KernelPtr kernel = random_.pick(family.kernels);
      ++kernel->references;
      return must("clRetainKernel", clRetainKernel(kernel->handle));
    }
  case 5:
    if (family.events.empty()) return;
    {
      const EventPtr event = random_.pick(family.events);
      ++event->references;
      return must("clRetainEvent", clRetainEvent(event->handle));
    }
  default:
    if (family.samplers.empty()) return;
    {
      const auto sampler = random_.pick(family.samplers);
      ++sampler->references;
      return must("clRetainSampler", clRetainSampler(sampler->handle));
    }
  }
}

void Player::let_go(Family& family, const MemoryPtr& memory) {
  drop("clReleaseMemObject", clReleaseMemObject, memory->handle);
  if (--memory->references == 0) std::erase(family.memories, memory);
}

void Player::let_go(Family& family, const ImagePtr& image) {
  drop("clReleaseMemObject", clReleaseMemObject, image->handle);
  if (--image->references == 0) std::erase(family.images, image);
}

void Player::let_go(Family& family, const QueuePtr& queue) {
  if (queue->references == 1) {
    // Nobody can wait for a command without an event once its queue is gone.
    for (const CommandPtr& command : queue->commands)
      make_waitable(command);
  }
  drop("clReleaseCommandQueue", clReleaseCommandQueue, queue->handle);
  if (--queue->references > 0) return;
  family.left.insert(family.left.end(), queue->commands.begin(), queue->commands.end());
  std::erase(family.queues, queue);
}

void Player::let_go(Family& family, const EventPtr& event) {
  if (event->references == 1 && event->gate) open({event->gate});
  drop("clReleaseEvent", clReleaseEvent, event->handle);
  if (--event->references == 0) std::erase(family.events, event);
}

void Player::release(Family& family) {
  switch (random_.below(13)) {
  case 12:
    if (!family.images.empty()) let_go(family, ImagePtr(random_.pick(family.images)));
    return;
  case 0:
    if (family.context.references < 2) return;
    --family.context.references;
    return drop("clReleaseContext", clReleaseContext, family.context.handle);
  case 1: {
    const QueuePtr queue = pick_queue(family);
    if (queue->references == 1 && (family.queues.size() == 1 || queue->shared)) return;
    return let_go(family, queue);
  }
  case 2:
  case 3:
  case 4:
    if (family.memories.empty()) return;
    {
      const MemoryPtr memory = random_.pick(family.memories);
      if (!memory->root->mappings.empty()) return;
      return let_go(family, memory);
    }
  case 5:
    if (family.programs.size() < 2) return;
    {
      const ProgramPtr program = random_.pick(family.programs);
      drop("clReleaseProgram", clReleaseProgram, program->handle);
      if (--program->references == 0) std::erase(family.programs, program);
      return;
    }
  case 6:
  case 7:
    if (family.kernels.empty()) return;
    {
      const KernelPtr kernel = random_.pick(family.kernels);
      drop("clReleaseKernel", clReleaseKernel, kernel->handle);
      if (--kernel->references > 0) return;
      --kernel->program->kernels;
      std::erase(family.kernels, kernel);
      return;
    }
  case 8:
    if (family.samplers.empty()) return;
    {
      const auto sampler = random_.pick(family.samplers);
      drop("clReleaseSampler", clReleaseSampler, sampler->handle);
      if (--sampler->references == 0) std::erase(family.samplers, sampler);
      return;
    }
  default:
    if (family.events.empty()) return;
    return let_go(family, random_.pick(family.events));
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

// Everything of a context goes, in a random order, mostly with commands under way.
void Player::end_family(Family& family) {
  for (const MemoryPtr& memory : std::vector<MemoryPtr>(family.memories)) {
    while (!memory->root->mappings.empty())
      unmap(family);
  }
  while (!family.svm.empty()) {
    const SvmPtr memory = family.svm.back();
    svm_free(family, memory);
  }
  std::set<GatePtr> gates;
  for (const EventPtr& event : family.events) {
    if (event->gate) gates.insert(event->gate);
  }
  const bool early = random_.chance(50);
  if (early) open(gates);
  bool context = true;
  while (context || !family.queues.empty() || !family.memories.empty() || !family.programs.empty() ||
         !family.kernels.empty() || !family.events.empty() || !family.samplers.empty() ||
         !family.images.empty()) {
    switch (random_.below(8)) {
    case 7:
      if (!family.images.empty()) let_go(family, ImagePtr(random_.pick(family.images)));
      break;
    case 0:
      if (!context) break;
      drop("clReleaseContext", clReleaseContext, family.context.handle);
      context = --family.context.references > 0;
      break;
    case 1:
      if (!family.queues.empty()) let_go(family, random_.pick(family.queues));
      break;
    case 2:
      if (!family.memories.empty()) let_go(family, random_.pick(family.memories));
      break;
    case 3:
      if (!family.programs.empty()) {
        const ProgramPtr program = random_.pick(family.programs);
        drop("clReleaseProgram", clReleaseProgram, program->handle);
        if (--program->references == 0) std::erase(family.programs, program);
      }
      break;
    case 4:
      if (!family.kernels.empty()) {
        const KernelPtr kernel = random_.pick(family.kernels);
        drop("clReleaseKernel", clReleaseKernel, kernel->handle);
        if (--kernel->references == 0) std::erase(family.kernels, kernel);
      }
      break;
    case 5:
      if (!family.events.empty()) let_go(family, random_.pick(family.events));
      break;
    default:
      if (!family.samplers.empty()) {
        const auto sampler = random_.pick(family.samplers);
        drop("clReleaseSampler", clReleaseSampler, sampler->handle);
        if (--sampler->references == 0) std::erase(family.samplers, sampler);
      }
    }
  }
  // Only the events are left, and they keep what they need.
  for (const CommandPtr& command : family.left) {
    if (command->complete) continue;
    must("clWaitForEvents", clWaitForEvents(1, &command->event));
    complete(command);
  }
  std::erase_if(families_, [&](const auto& each) { return each.get() == &family; });
}

}  // namespace fuzz
