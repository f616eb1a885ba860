// SPDX-License-Identifier: Apache-2.0
// Steps that retain and release objects. The last reference of an object is never used again; commands that
// use it may still be under way.
#include "player.hpp"

#include <algorithm>

namespace fuzz {

void Player::retain(Family& family) {
  const auto one_of = [&](auto& objects, const char* name, auto call) {
    if (objects.empty()) return;
    const auto object = random_.pick(objects);
    ++object->references;
    must(name, call(object->handle));
  };
  switch (random_.below(8)) {
  case 7:
    return one_of(family.images, "clRetainMemObject", clRetainMemObject);
  case 0:
    ++family.context.references;
    return must("clRetainContext", clRetainContext(family.context.handle));
  case 1: {
    const QueuePtr queue = pick_queue(family);
    ++queue->references;
    return must("clRetainCommandQueue", clRetainCommandQueue(queue->handle));
  }
  case 2:
    return one_of(family.memories, "clRetainMemObject", clRetainMemObject);
  case 3:
    return one_of(family.programs, "clRetainProgram", clRetainProgram);
  case 4:
    return one_of(family.kernels, "clRetainKernel", clRetainKernel);
  case 5:
    return one_of(family.events, "clRetainEvent", clRetainEvent);
  default:
    return one_of(family.samplers, "clRetainSampler", clRetainSampler);
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

// Everything that commands use without a reference to it.
void Player::give_back_memory(Family& family) {
  for (const MemoryPtr& memory : std::vector<MemoryPtr>(family.memories)) {
    while (!memory->root->mappings.empty())
      unmap(family);
  }
  while (!family.svm.empty()) {
    const SvmPtr memory = family.svm.back();
    svm_free(family, memory);
  }
}

// One reference to one of its objects.
void Player::release_any(Family& family) {
  switch (random_.below(8)) {
  case 7:
    if (!family.images.empty()) let_go(family, ImagePtr(random_.pick(family.images)));
    break;
  case 0:
    if (family.context.references == 0) break;
    drop("clReleaseContext", clReleaseContext, family.context.handle);
    --family.context.references;
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

// Everything of a context goes, in a random order, mostly with commands under way.
void Player::end_family(Family& family) {
  give_back_memory(family);
  std::set<GatePtr> gates;
  for (const EventPtr& event : family.events) {
    if (event->gate) gates.insert(event->gate);
  }
  const bool early = random_.chance(50);
  if (early) open(gates);
  while (family.context.references > 0 || !family.queues.empty() || !family.memories.empty() ||
         !family.programs.empty() || !family.kernels.empty() || !family.events.empty() ||
         !family.samplers.empty() || !family.images.empty())
    release_any(family);
  // Only the events are left, and they keep what they need.
  for (const CommandPtr& command : family.left) {
    if (command->complete) continue;
    must("clWaitForEvents", clWaitForEvents(1, &command->event));
    complete(command);
  }
  std::erase_if(families_, [&](const auto& each) { return each.get() == &family; });
}

}  // namespace fuzz
