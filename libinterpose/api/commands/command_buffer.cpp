// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/command_buffer.hpp"

#include "libinterpose/api/commands/enqueue.hpp"
#include "libinterpose/api/commands/touched_memories.hpp"
#include "libinterpose/api/extension_call.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

#include <algorithm>
#include <cstring>

namespace mkmd::api {

namespace {

class CommandBuffer : public Object<CommandBuffer, ObjectType::command_buffer, cl_command_buffer_khr> {
public:
  CommandBuffer(cl_command_buffer_khr native_buffer, std::vector<Ref<Queue>> of_queues)
      : native(native_buffer), queues(std::move(of_queues)) {}
  ~CommandBuffer() {
    const auto release_native = vendor_function<clReleaseCommandBufferKHR_fn>("clReleaseCommandBufferKHR");
    if (release_native != nullptr) release_native(native);
  }

  const cl_command_buffer_khr native;
  const std::vector<Ref<Queue>> queues;
  Mutex mutex;
  // What the recorded commands touch: all of it is taken to be written.
  std::vector<Ref<Memory>> memories GUARDED_BY(mutex);
  bool touches_any GUARDED_BY(mutex) = false;  // a recorded kernel may follow pointers to others
  std::atomic<bool> may_wait{false};           // a recorded kernel may

  void touch_any() {
    const Lock lock(mutex);
    touches_any = true;
  }

  void touch(Memory* memory) {
    if (memory == nullptr) return;
    const Lock lock(mutex);
    const Ref<Memory> ref(memory);
    if (std::find(memories.begin(), memories.end(), ref) == memories.end()) memories.push_back(ref);
  }
};

// Our handles among the arguments of a recorded command, as the vendor's. `error` is that of the first bad
// one.
struct Translation {
  CommandBuffer& buffer;
  cl_int error = CL_SUCCESS;

  template <typename T>
  T operator()(T value) {
    return value;
  }
  cl_command_queue operator()(cl_command_queue handle) {
    if (handle == nullptr) return nullptr;  // the buffer's own
    const Queue* queue = object_cast<Queue>(handle);
    if (queue == nullptr && error == CL_SUCCESS) error = CL_INVALID_COMMAND_QUEUE;
    return queue != nullptr ? queue->native.get() : nullptr;
  }
  cl_mem operator()(cl_mem handle) {
    Memory* memory = object_cast<Memory>(handle);
    if (memory == nullptr && error == CL_SUCCESS) error = CL_INVALID_MEM_OBJECT;
    buffer.touch(memory);
    return memory != nullptr ? memory->native.get() : nullptr;
  }
  cl_kernel operator()(cl_kernel handle) {
    Kernel* kernel = object_cast<Kernel>(handle);
    if (kernel == nullptr) {
      if (error == CL_SUCCESS) error = CL_INVALID_KERNEL;
      return nullptr;
    }
    const Lock lock(kernel->mutex);
    if (may_touch_any(*kernel)) buffer.touch_any();
    if (may_wait(*kernel)) buffer.may_wait.store(true);
    for (const KernelArgument& argument : *kernel->arguments)
      buffer.touch(argument.memory.get());
    return kernel->native.get();
  }
};

// A template argument that is a function's name.
template <size_t kSize>
struct Name {
  constexpr Name(const char (&text)[kSize]) { std::copy_n(text, kSize, value); }
  char value[kSize];
};

// clCommand…KHR: all begin with the command buffer.
template <Name kName, typename Function>
struct Recorder;

template <Name kName, typename... Args>
struct Recorder<kName, cl_int(CL_API_CALL*)(cl_command_buffer_khr, Args...)> {
  static cl_int CL_API_CALL record(cl_command_buffer_khr command_buffer, Args... args) {
    return guarded([&]() -> cl_int {
      CommandBuffer* ours = object_cast<CommandBuffer>(command_buffer);
      if (ours == nullptr) return CL_INVALID_COMMAND_BUFFER_KHR;
      using Function = cl_int(CL_API_CALL*)(cl_command_buffer_khr, Args...);
      const auto function = vendor_function<Function>(kName.value);
      if (function == nullptr) return CL_INVALID_OPERATION;
      Translation translate{*ours};
      const std::tuple<Args...> natives{translate(args)...};
      if (translate.error != CL_SUCCESS) return translate.error;
      return std::apply([&](Args... native) { return function(ours->native, native...); }, natives);
    });
  }
};

cl_int queues_of(cl_uint count, const cl_command_queue* handles, std::vector<Ref<Queue>>& queues,
                 std::vector<cl_command_queue>& natives) {
  if ((count == 0) != (handles == nullptr)) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i) {
    Queue* queue = object_cast<Queue>(handles[i]);
    if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
    queues.emplace_back(queue);
    natives.push_back(queue->native.get());
  }
  return CL_SUCCESS;
}

cl_command_buffer_khr CL_API_CALL create(cl_uint num_queues, const cl_command_queue* queues,
                                         const cl_command_buffer_properties_khr* properties,
                                         cl_int* errcode_ret) {
  cl_command_buffer_khr made = nullptr;
  const cl_int error = guarded([&]() -> cl_int {
    const auto function = vendor_function<clCreateCommandBufferKHR_fn>("clCreateCommandBufferKHR");
    if (function == nullptr) return CL_INVALID_OPERATION;
    std::vector<Ref<Queue>> ours;
    std::vector<cl_command_queue> natives;
    if (const cl_int bad = queues_of(num_queues, queues, ours, natives); bad != CL_SUCCESS) return bad;
    cl_int code = CL_SUCCESS;
    const cl_command_buffer_khr native =
        function(num_queues, queues != nullptr ? natives.data() : nullptr, properties, &code);
    if (native == nullptr) return code != CL_SUCCESS ? code : CL_OUT_OF_RESOURCES;
    made = (new CommandBuffer(native, std::move(ours)))->handle();
    return CL_SUCCESS;
  });
  set_error(errcode_ret, error);
  return made;
}

cl_int CL_API_CALL retain(cl_command_buffer_khr command_buffer) {
  CommandBuffer* ours = object_cast<CommandBuffer>(command_buffer);
  if (ours == nullptr) return CL_INVALID_COMMAND_BUFFER_KHR;
  ours->program_retain();
  return CL_SUCCESS;
}

cl_int CL_API_CALL release(cl_command_buffer_khr command_buffer) {
  return guarded([&]() -> cl_int {
    CommandBuffer* ours = object_cast<CommandBuffer>(command_buffer);
    if (ours == nullptr) return CL_INVALID_COMMAND_BUFFER_KHR;
    ours->program_release();
    return CL_SUCCESS;
  });
}

cl_int CL_API_CALL enqueue(cl_uint num_queues, cl_command_queue* queues, cl_command_buffer_khr command_buffer,
                           cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
                           cl_event* event) {
  return guarded([&]() -> cl_int {
    CommandBuffer* ours = object_cast<CommandBuffer>(command_buffer);
    if (ours == nullptr) return CL_INVALID_COMMAND_BUFFER_KHR;
    const auto function = vendor_function<clEnqueueCommandBufferKHR_fn>("clEnqueueCommandBufferKHR");
    if (function == nullptr) return CL_INVALID_OPERATION;
    std::vector<Ref<Queue>> given;
    std::vector<cl_command_queue> natives;
    if (const cl_int bad = queues_of(num_queues, queues, given, natives); bad != CL_SUCCESS) return bad;
    const auto& used = given.empty() ? ours->queues : given;
    if (used.empty()) return CL_INVALID_COMMAND_QUEUE;
    const Runtime* runtime = runtime_of(*used.front()->context);
    TouchedMemories touched;
    {
      const Lock lock(ours->mutex);
      if (ours->touches_any && runtime != nullptr && runtime->domains().separate()) {
        touched.add_every();
      } else {
        for (const Ref<Memory>& memory : ours->memories)
          touched.add(memory.get(), true);
      }
    }
    return enqueue_native(
        *used.front(), CL_COMMAND_COMMAND_BUFFER_KHR, touched.list(),
        {num_events_in_wait_list, event_wait_list}, event, false, [&](const NativeCall& asked) {
          return enqueue_waiting(*used.front(), ours->may_wait.load(), asked, [&](const NativeCall& n) {
            return function(num_queues, queues != nullptr ? natives.data() : nullptr, ours->native,
                            n.wait_count, n.waits, n.event);
          });
        });
  });
}

cl_int CL_API_CALL get_info(cl_command_buffer_khr command_buffer, cl_command_buffer_info_khr param_name,
                            size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  return guarded([&]() -> cl_int {
    const InfoTarget target{param_value_size, param_value, param_value_size_ret};
    CommandBuffer* ours = object_cast<CommandBuffer>(command_buffer);
    if (ours == nullptr) return CL_INVALID_COMMAND_BUFFER_KHR;
    if (param_name == CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR)
      return write_info(target, ours->program_references());
    if (param_name == CL_COMMAND_BUFFER_QUEUES_KHR) {
      std::vector<cl_command_queue> handles;
      for (const Ref<Queue>& queue : ours->queues)
        handles.push_back(queue->handle());
      return write_info(target, handles);
    }
    const auto function = vendor_function<clGetCommandBufferInfoKHR_fn>("clGetCommandBufferInfoKHR");
    if (function == nullptr) return CL_INVALID_OPERATION;
    return function(ours->native, param_name, param_value_size, param_value, param_value_size_ret);
  });
}

template <Name kName, typename Function>
void* recorder() {
  return reinterpret_cast<void*>(&Recorder<kName, Function>::record);
}

}  // namespace

void* command_buffer_function(const char* name) {
#define MKMD_RECORDED(name)                                                                                  \
  { #name, recorder < #name, name##_fn>() }
  static const ExtensionFunction kFunctions[] = {
      {"clCreateCommandBufferKHR", reinterpret_cast<void*>(&create)},
      {"clRetainCommandBufferKHR", reinterpret_cast<void*>(&retain)},
      {"clReleaseCommandBufferKHR", reinterpret_cast<void*>(&release)},
      {"clEnqueueCommandBufferKHR", reinterpret_cast<void*>(&enqueue)},
      {"clGetCommandBufferInfoKHR", reinterpret_cast<void*>(&get_info)},
      MKMD_RECORDED(clFinalizeCommandBufferKHR),
      MKMD_RECORDED(clCommandBarrierWithWaitListKHR),
      MKMD_RECORDED(clCommandCopyBufferKHR),
      MKMD_RECORDED(clCommandCopyBufferRectKHR),
      MKMD_RECORDED(clCommandCopyBufferToImageKHR),
      MKMD_RECORDED(clCommandCopyImageKHR),
      MKMD_RECORDED(clCommandCopyImageToBufferKHR),
      MKMD_RECORDED(clCommandFillBufferKHR),
      MKMD_RECORDED(clCommandFillImageKHR),
      MKMD_RECORDED(clCommandNDRangeKernelKHR),
  };
#undef MKMD_RECORDED
  return function_of_home(kFunctions, name);
}

}  // namespace mkmd::api
