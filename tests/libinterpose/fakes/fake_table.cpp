// SPDX-License-Identifier: Apache-2.0
#include "tests/libinterpose/fakes/fake_table.hpp"

#include "compiler/build_options.hpp"
#include "tests/libinterpose/fakes/fake_bytes.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <cstring>

namespace mkmd::fake {

namespace {

cl_int answer(const void* value, size_t length, size_t size, void* to, size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = length;
  if (to == nullptr) return CL_SUCCESS;
  if (size < length) return CL_INVALID_VALUE;
  std::memcpy(to, value, length);
  return CL_SUCCESS;
}
template <typename V>
cl_int answer(const V& value, size_t size, void* to, size_t* size_ret) {
  return answer(&value, sizeof value, size, to, size_ret);
}

cl_int device_info(cl_device_id id, cl_device_info what, size_t size, void* to, size_t* size_ret) {
  const Device& device = as<Device>(id);
  const std::string languages = Driver::current->compiler.takes_spirv ? "SPIR-V_1.2" : "";
  switch (what) {
  case CL_DEVICE_TYPE:
    return answer(cl_device_type{CL_DEVICE_TYPE_CPU}, size, to, size_ret);
  case CL_DEVICE_HOST_UNIFIED_MEMORY:
    return answer(static_cast<cl_bool>(device.is_remote ? CL_FALSE : CL_TRUE), size, to, size_ret);
  case CL_DEVICE_AVAILABLE:
    return device.is_gone() ? CL_DEVICE_NOT_AVAILABLE : answer(cl_bool{CL_TRUE}, size, to, size_ret);
  case CL_DEVICE_IL_VERSION:
    return answer(languages.c_str(), languages.size() + 1, size, to, size_ret);
  case CL_DEVICE_NAME:
    return answer(device.name.c_str(), device.name.size() + 1, size, to, size_ret);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* error) {
  const bool fails = Driver::current->allocations_fail > 0 && Driver::current->allocations_fail-- > 0;
  if (error != nullptr) *error = fails ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
  if (fails) return nullptr;
  Buffer* const made = make<Buffer>();
  made->context = &as<Context>(context);
  made->size = size;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
    made->host = static_cast<unsigned char*>(host);
    return handle_of<cl_mem>(made);
  }
  made->bytes = new_bytes(size);
  if (host != nullptr) std::memcpy(made->data(), host, size);
  return handle_of<cl_mem>(made);
}

cl_int release_buffer(cl_mem handle) {
  const Buffer& buffer = as<Buffer>(handle);
  if (buffer.references == 1 && buffer.context != nullptr) {
    for (const Device* device : buffer.context->devices) {
      if (device->is_mute()) Driver::current->never_return();
    }
  }
  return release<Buffer>(handle);
}

cl_int set_destructor_callback(cl_mem memory, void(CL_CALLBACK* function)(cl_mem, void*), void* data) {
  as<Buffer>(memory).farewell = [=] { function(memory, data); };
  return CL_SUCCESS;
}

cl_mem create_sub_buffer(cl_mem of, cl_mem_flags, cl_buffer_create_type, const void* region, cl_int* error) {
  const auto& part = *static_cast<const cl_buffer_region*>(region);
  Buffer* const made = make<Buffer>();
  made->bytes = as<Buffer>(of).bytes;
  made->host = as<Buffer>(of).host;
  made->origin = as<Buffer>(of).origin + part.origin;
  made->size = part.size;
  if (error != nullptr) *error = CL_SUCCESS;
  return handle_of<cl_mem>(made);
}

cl_int launch(cl_command_queue queue, cl_kernel handle, cl_uint dimensions, const size_t* offset,
              const size_t* global, const size_t* local, cl_uint count, const cl_event* waits,
              cl_event* event) {
  const Kernel& kernel = as<Kernel>(handle);
  const auto item = Driver::current->kernels.find(kernel.name);
  if (item == Driver::current->kernels.end() || dimensions == 0) return CL_INVALID_KERNEL;
  std::vector<Argument> arguments = kernel.arguments;
  size_t first = offset != nullptr ? offset[0] : 0;
  // A piece has hidden arguments, of which the first ones are its first group.
  constexpr size_t kHidden = 12;
  if (arguments.size() > kHidden) {
    const auto hidden = [&](size_t i) {
      cl_ulong value = 0;
      std::memcpy(&value, arguments[arguments.size() - kHidden + i].value.data(), sizeof value);
      return static_cast<size_t>(value);
    };
    if (!kernel.by_offset) first += hidden(0) * local[0];
    arguments.resize(arguments.size() - kHidden);
  }
  Device& device = *as<Queue>(queue).device;
  device.kernels_by_offset += offset != nullptr && offset[0] > 0 ? 1 : 0;
  const auto takes = device.launch + static_cast<cl_ulong>(device.per_item * static_cast<double>(global[0]));
  Event* const made =
      enqueue(queue, count, waits, event, takes, [&device, item, arguments, first, items = global[0]] {
        ++device.kernels_run;
        for (size_t i = 0; i < items; ++i)
          item->second(arguments, first + i);
      });
  if (made == nullptr) return CL_OUT_OF_RESOURCES;
  made->is_kernel = true;
  return CL_SUCCESS;
}

cl_int set_argument(cl_kernel handle, cl_uint index, size_t size, const void* value) {
  Kernel& kernel = as<Kernel>(handle);
  if (index >= kernel.arguments.size()) kernel.arguments.resize(index + 1);
  Argument& argument = kernel.arguments[index];
  argument = {};
  if (value == nullptr) return CL_SUCCESS;
  const auto* bytes = static_cast<const unsigned char*>(value);
  argument.value.assign(bytes, bytes + size);
  if (size != sizeof(cl_mem)) return CL_SUCCESS;
  cl_mem memory = nullptr;  // or a number as long: kernels know what they have
  std::memcpy(&memory, value, sizeof memory);
  argument.buffer = handle_of<Buffer*>(memory);
  return CL_SUCCESS;
}

cl_int event_info(cl_event event, cl_event_info what, size_t size, void* to, size_t* size_ret) {
  if (what != CL_EVENT_COMMAND_EXECUTION_STATUS) return CL_INVALID_VALUE;
  return answer(as<Event>(event).status, size, to, size_ret);
}

cl_int profiling_info(cl_event handle, cl_profiling_info what, size_t size, void* to, size_t* size_ret) {
  const Event& event = as<Event>(handle);
  if (event.status != CL_COMPLETE) return CL_PROFILING_INFO_NOT_AVAILABLE;
  const cl_ulong time = what == CL_PROFILING_COMMAND_START ? event.started
                        : what == CL_PROFILING_COMMAND_END ? event.ended
                                                           : event.queued;
  return answer(time + Driver::current->clocks_ahead, size, to, size_ret);
}

cl_int set_callback(cl_event handle, cl_int, void(CL_CALLBACK* function)(cl_event, cl_int, void*),
                    void* user_data) {
  Event& event = as<Event>(handle);
  if (event.status <= CL_COMPLETE) {
    function(handle, event.status, user_data);
  } else {
    event.callbacks.push_back({function, user_data});
  }
  return CL_SUCCESS;
}

cl_int flush(cl_command_queue handle) {
  Queue& queue = as<Queue>(handle);
  if (queue.device->flushes_fail > 0) {
    --queue.device->flushes_fail;
    return CL_OUT_OF_RESOURCES;
  }
  queue.flushed = queue.commands.size();
  return CL_SUCCESS;
}

void fill_table_with_objects(cl_icd_dispatch& t) {
  t.clGetDeviceInfo = device_info;
  t.clRetainDevice = [](cl_device_id) -> cl_int { return CL_SUCCESS; };
  t.clReleaseDevice = t.clRetainDevice;
  t.clGetPlatformInfo = [](cl_platform_id, cl_platform_info what, size_t size, void* to,
                           size_t* size_ret) -> cl_int {
    if (what != CL_PLATFORM_VERSION) return CL_INVALID_VALUE;
    const std::string& version = Driver::current->compiler.version;
    return answer(version.c_str(), version.size() + 1, size, to, size_ret);
  };
  t.clCreateContext = create_context;
  t.clRetainContext = retain<Context, cl_context>;
  t.clReleaseContext = release<Context, cl_context>;
  t.clGetContextInfo = [](cl_context handle, cl_context_info what, size_t size, void* to,
                          size_t* size_ret) -> cl_int {
    const auto& devices = as<Context>(handle).devices;
    if (what == CL_CONTEXT_NUM_DEVICES)
      return answer(static_cast<cl_uint>(devices.size()), size, to, size_ret);
    return answer(devices.data(), devices.size() * sizeof(cl_device_id), size, to, size_ret);
  };
  t.clCreateCommandQueue = create_queue;
  t.clRetainCommandQueue = retain<Queue, cl_command_queue>;
  t.clReleaseCommandQueue = release_queue;
  t.clGetCommandQueueInfo = [](cl_command_queue handle, cl_command_queue_info what, size_t size, void* to,
                               size_t* size_ret) -> cl_int {
    const Queue& queue = as<Queue>(handle);
    if (what == CL_QUEUE_CONTEXT) return answer(queue.context, size, to, size_ret);
    if (what == CL_QUEUE_DEVICE) return answer(queue.device, size, to, size_ret);
    return CL_INVALID_VALUE;
  };
  t.clCreateBuffer = create_buffer;
  t.clCreateSubBuffer = create_sub_buffer;
  t.clRetainMemObject = retain<Buffer, cl_mem>;
  t.clReleaseMemObject = release_buffer;
  t.clGetMemObjectInfo = [](cl_mem handle, cl_mem_info what, size_t size, void* to,
                            size_t* size_ret) -> cl_int {
    if (what == CL_MEM_CONTEXT) return answer(as<Buffer>(handle).context, size, to, size_ret);
    if (what == CL_MEM_SIZE) return answer(as<Buffer>(handle).size, size, to, size_ret);
    if (what == CL_MEM_FLAGS) return answer(as<Buffer>(handle).flags, size, to, size_ret);
    if (what == CL_MEM_MAP_COUNT) return answer(as<Buffer>(handle).maps, size, to, size_ret);
    return CL_INVALID_VALUE;
  };
}

void fill_table_with_programs(cl_icd_dispatch& t) {
  t.clCreateProgramWithSource = [](cl_context, cl_uint, const char** text, const size_t*,
                                   cl_int* error) -> cl_program {
    Program* const made = make<Program>();
    made->source = text[0];
    if (error != nullptr) *error = CL_SUCCESS;
    return handle_of<cl_program>(made);
  };
  t.clCreateProgramWithIL = [](cl_context, const void* il, size_t length, cl_int* error) -> cl_program {
    Program* const made = make<Program>();
    made->source.assign(static_cast<const char*>(il), length);
    if (error != nullptr) *error = CL_SUCCESS;
    return handle_of<cl_program>(made);
  };
  t.clBuildProgram = [](cl_program program, cl_uint, const cl_device_id*, const char* options,
                        void(CL_CALLBACK*)(cl_program, void*), void*) -> cl_int {
    const std::string& source = as<Program>(program).source;
    as<Program>(program).by_offset =
        options != nullptr && std::strstr(options, compiler::kByOffset) != nullptr;
    const bool builds =
        source == Driver::kPieces || source == Driver::kSpirvPieces || Driver::current->compiler.builds_all;
    virtual_time::advance_to(virtual_time::now() + Driver::current->compiler.takes);
    return builds ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
  };
  t.clRetainProgram = retain<Program, cl_program>;
  t.clReleaseProgram = release<Program, cl_program>;
  t.clCreateKernel = [](cl_program program, const char* name, cl_int* error) -> cl_kernel {
    Kernel* const made = make<Kernel>();
    made->name = name;
    made->by_offset = as<Program>(program).by_offset;
    if (error != nullptr) *error = CL_SUCCESS;
    return handle_of<cl_kernel>(made);
  };
  t.clRetainKernel = retain<Kernel, cl_kernel>;
  t.clReleaseKernel = release<Kernel, cl_kernel>;
  t.clSetKernelArg = set_argument;
  t.clEnqueueNDRangeKernel = launch;
}

void fill_table_with_events(cl_icd_dispatch& t) {
  t.clGetEventInfo = event_info;
  t.clGetEventProfilingInfo = profiling_info;
  t.clSetEventCallback = set_callback;
  t.clRetainEvent = retain<Event, cl_event>;
  t.clReleaseEvent = release<Event, cl_event>;
  t.clWaitForEvents = [](cl_uint count, const cl_event* events) -> cl_int {
    bool failed = false;
    for (cl_uint i = 0; i < count; ++i) {
      Driver::current->finish(as<Event>(events[i]));
      failed |= as<Event>(events[i]).status < 0;
    }
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
  };
  t.clFlush = flush;
  t.clFinish = [](cl_command_queue queue) -> cl_int {
    Driver::current->finish(as<Queue>(queue));
    return CL_SUCCESS;
  };
}

}  // namespace

const cl_icd_dispatch& table() {
  const auto filled = [](bool on_host_bytes) {
    cl_icd_dispatch t{};
    fill_table_with_objects(t);
    fill_table_with_programs(t);
    fill_table_with_events(t);
    fill_table_with_copies(t);
    if (on_host_bytes) t.clSetMemObjectDestructorCallback = set_destructor_callback;
    return t;
  };
  static const cl_icd_dispatch plain = filled(false), with_host_bytes = filled(true);
  return Driver::current->on_host_bytes ? with_host_bytes : plain;
}

}  // namespace mkmd::fake
