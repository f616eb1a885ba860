// SPDX-License-Identifier: Apache-2.0
// Steps that ask objects what they are, with right and wrong sizes. The log gets codes, sizes and those
// values that do not depend on the moment or the machine.
#include "kernels.hpp"
#include "player.hpp"

#include <cstring>
#include <functional>

namespace fuzz {

namespace {

enum class Shown { value, nothing };  // nothing: a handle, an address, a count of references, a time

struct Question {
  cl_uint what;
  Shown shown;
};

using Ask = std::function<cl_int(cl_uint, size_t, void*, size_t*)>;

template <typename Handle>
Ask about(cl_int(CL_API_CALL* get)(Handle, cl_uint, size_t, void*, size_t*), Handle handle) {
  return [get, handle](cl_uint what, size_t size, void* to, size_t* said) {
    return get(handle, what, size, to, said);
  };
}

uint64_t hash_of(const Bytes& bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

const std::vector<Question> kDevice = {
    {CL_DEVICE_TYPE, Shown::value},
    {CL_DEVICE_MAX_COMPUTE_UNITS, Shown::value},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, Shown::value},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, Shown::value},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, Shown::value},
    {CL_DEVICE_QUEUE_PROPERTIES, Shown::value},
    {CL_DEVICE_PROFILE, Shown::value},
    {CL_DEVICE_PLATFORM, Shown::nothing},
    {CL_DEVICE_NAME, Shown::nothing},
    {CL_DEVICE_REFERENCE_COUNT, Shown::nothing},
};
const std::vector<Question> kContext = {
    {CL_CONTEXT_REFERENCE_COUNT, Shown::nothing},
    {CL_CONTEXT_NUM_DEVICES, Shown::value},
    {CL_CONTEXT_DEVICES, Shown::nothing},
    // Not CL_CONTEXT_PROPERTIES: PoCL 3.1 crashes where there are none.
};
const std::vector<Question> kQueue = {
    {CL_QUEUE_CONTEXT, Shown::nothing},
    {CL_QUEUE_DEVICE, Shown::nothing},
    {CL_QUEUE_REFERENCE_COUNT, Shown::nothing},
    {CL_QUEUE_PROPERTIES, Shown::value},
};
const std::vector<Question> kMemory = {
    {CL_MEM_TYPE, Shown::value},        {CL_MEM_FLAGS, Shown::value},
    {CL_MEM_SIZE, Shown::value},        {CL_MEM_HOST_PTR, Shown::nothing},
    {CL_MEM_MAP_COUNT, Shown::nothing}, {CL_MEM_REFERENCE_COUNT, Shown::nothing},
    {CL_MEM_CONTEXT, Shown::nothing},   {CL_MEM_ASSOCIATED_MEMOBJECT, Shown::nothing},
    {CL_MEM_OFFSET, Shown::value},
};
const std::vector<Question> kProgram = {
    {CL_PROGRAM_REFERENCE_COUNT, Shown::nothing},
    {CL_PROGRAM_CONTEXT, Shown::nothing},
    {CL_PROGRAM_NUM_DEVICES, Shown::value},
    {CL_PROGRAM_DEVICES, Shown::nothing},
    {CL_PROGRAM_SOURCE, Shown::value},
    {CL_PROGRAM_NUM_KERNELS, Shown::value},
    {CL_PROGRAM_KERNEL_NAMES, Shown::value},
};
const std::vector<Question> kBuild = {
    {CL_PROGRAM_BUILD_STATUS, Shown::value},
    {CL_PROGRAM_BUILD_OPTIONS, Shown::value},
    {CL_PROGRAM_BINARY_TYPE, Shown::value},
};
const std::vector<Question> kKernel = {
    {CL_KERNEL_FUNCTION_NAME, Shown::value},     {CL_KERNEL_NUM_ARGS, Shown::value},
    {CL_KERNEL_REFERENCE_COUNT, Shown::nothing}, {CL_KERNEL_CONTEXT, Shown::nothing},
    {CL_KERNEL_PROGRAM, Shown::nothing},         {CL_KERNEL_ATTRIBUTES, Shown::value},
};
const std::vector<Question> kArgument = {
    {CL_KERNEL_ARG_ADDRESS_QUALIFIER, Shown::value},
    {CL_KERNEL_ARG_ACCESS_QUALIFIER, Shown::value},
    {CL_KERNEL_ARG_TYPE_QUALIFIER, Shown::value},
};
const std::vector<Question> kWorkGroup = {
    {CL_KERNEL_WORK_GROUP_SIZE, Shown::value},
    {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, Shown::value},
    {CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, Shown::value},
};
const std::vector<Question> kEvent = {
    {CL_EVENT_COMMAND_QUEUE, Shown::nothing},
    {CL_EVENT_CONTEXT, Shown::nothing},
    {CL_EVENT_COMMAND_TYPE, Shown::value},
    {CL_EVENT_REFERENCE_COUNT, Shown::nothing},
};
const std::vector<Question> kSampler = {
    {CL_SAMPLER_REFERENCE_COUNT, Shown::nothing}, {CL_SAMPLER_CONTEXT, Shown::nothing},
    {CL_SAMPLER_NORMALIZED_COORDS, Shown::value}, {CL_SAMPLER_ADDRESSING_MODE, Shown::value},
    {CL_SAMPLER_FILTER_MODE, Shown::value},
};

}  // namespace

void Player::question(const char* name, const void* list, const void* asked) {
  const auto& questions = *static_cast<const std::vector<Question>*>(list);
  const auto& ask = *static_cast<const Ask*>(asked);
  const Question question = questions[random_.below(questions.size())];
  size_t size = 0;
  if (note(name, ask(question.what, 0, nullptr, &size)) != CL_SUCCESS) return;
  const size_t room = size + random_.one_of<size_t>({0, 0, 5, 100});
  Bytes answer(room + 8, 0xA5);
  size_t said = size + 1;
  must(name, ask(question.what, room, answer.data(), random_.chance(50) ? &said : nullptr));
  if (said != size + 1 && said != size) fault("%s says %zu bytes, then %zu", name, size, said);
  for (size_t i = size; i < answer.size(); ++i) {
    if (answer[i] != 0xA5) fault("%s wrote beyond its %zu bytes", name, size);
  }
  if (question.shown == Shown::value)
    line("%x: %016llx", question.what, static_cast<unsigned long long>(hash_of(answer, size)));
  if (size > 0) must(name, ask(question.what, size - 1, answer.data(), nullptr), CL_INVALID_VALUE);
  must(name, ask(0x7777, answer.size(), answer.data(), nullptr), CL_INVALID_VALUE);
}

// The count is never less than the references this program holds; other objects may hold more.
void Player::count_references(const char* name, const void* asked, cl_uint what, int least) {
  cl_uint references = 0;
  must(name, (*static_cast<const Ask*>(asked))(what, sizeof references, &references, nullptr));
  if (references < static_cast<cl_uint>(least))
    fault("%s: %u references instead of %d at least", name, references, least);
}

void Player::ask_object(const char* name, const void* questions, const void* asked, cl_uint references,
                        int least) {
  question(name, questions, asked);
  count_references(name, asked, references, least);
}

void Player::ask_memory(const Memory& memory) {
  const Ask ask = about(clGetMemObjectInfo, memory.handle);
  ask_object("clGetMemObjectInfo", &kMemory, &ask, CL_MEM_REFERENCE_COUNT, memory.references);
  cl_mem parent = nullptr;
  must("clGetMemObjectInfo", ask(CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &parent, nullptr));
  // A parent that the program has released is still there, and still called by its name.
  if (parent != (memory.parent ? memory.parent->handle : nullptr)) fault("a wrong parent");
}

void Player::ask_program(const Program& program) {
  const Ask ask = about(clGetProgramInfo, program.handle);
  question("clGetProgramInfo", &kProgram, &ask);
  const Ask build = [&](cl_uint what, size_t size, void* to, size_t* said) {
    return clGetProgramBuildInfo(program.handle, shared_.device, what, size, to, said);
  };
  question("clGetProgramBuildInfo", &kBuild, &build);
  count_references("clGetProgramInfo", &ask, CL_PROGRAM_REFERENCE_COUNT, program.references);
}

void Player::ask_kernel(const Kernel& kernel) {
  const Ask ask = about(clGetKernelInfo, kernel.handle);
  question("clGetKernelInfo", &kKernel, &ask);
  const Ask group = [&](cl_uint what, size_t size, void* to, size_t* said) {
    return clGetKernelWorkGroupInfo(kernel.handle, shared_.device, what, size, to, said);
  };
  question("clGetKernelWorkGroupInfo", &kWorkGroup, &group);
  if (kernel.which != kNothing) {
    const Ask argument = [&](cl_uint what, size_t size, void* to, size_t* said) {
      return clGetKernelArgInfo(kernel.handle, 0, what, size, to, said);
    };
    question("clGetKernelArgInfo", &kArgument, &argument);
  }
  count_references("clGetKernelInfo", &ask, CL_KERNEL_REFERENCE_COUNT, kernel.references);
}

void Player::ask(Family& family) {
  switch (random_.below(9)) {
  case 0: {
    const Ask ask = about(clGetDeviceInfo, shared_.device);
    return question("clGetDeviceInfo", &kDevice, &ask);
  }
  case 1: {
    const Ask ask = about(clGetContextInfo, family.context.handle);
    return ask_object("clGetContextInfo", &kContext, &ask, CL_CONTEXT_REFERENCE_COUNT,
                      family.context.references);
  }
  case 2: {
    const QueuePtr queue = pick_queue(family);
    const Ask ask = about(clGetCommandQueueInfo, queue->handle);
    return ask_object("clGetCommandQueueInfo", &kQueue, &ask, CL_QUEUE_REFERENCE_COUNT, queue->references);
  }
  case 3:
    if (!family.memories.empty()) ask_memory(*random_.pick(family.memories));
    return;
  case 4:
    if (!family.programs.empty()) ask_program(*random_.pick(family.programs));
    return;
  case 5:
    if (!family.kernels.empty()) ask_kernel(*random_.pick(family.kernels));
    return;
  case 6:
  case 7: {
    if (family.events.empty()) return;
    const EventPtr event = random_.pick(family.events);
    const Ask ask = about(clGetEventInfo, event->handle);
    return ask_object("clGetEventInfo", &kEvent, &ask, CL_EVENT_REFERENCE_COUNT, event->references);
  }
  default: {
    if (family.samplers.empty()) return;
    const auto sampler = random_.pick(family.samplers);
    const Ask ask = about(clGetSamplerInfo, sampler->handle);
    return ask_object("clGetSamplerInfo", &kSampler, &ask, CL_SAMPLER_REFERENCE_COUNT, sampler->references);
  }
  }
}

}  // namespace fuzz
