// SPDX-License-Identifier: Apache-2.0
// What a program may ask about its kernels, arguments, programs, memory objects, events and queues.
#include "program.h"

namespace {

constexpr const char* kSource = R"(
  typedef struct { int a; float b; } Pair;
  __kernel __attribute__((reqd_work_group_size(8, 4, 2)))
  void everything(__global const float* restrict in, __global volatile int* out, __local float4* tile,
                  __constant int* table, Pair pair, uint number, __read_only image2d_t image, sampler_t sampler) {
    out[get_global_id(0)] = (int)in[0];
  }
  __kernel void plain(__global int* a) { a[get_global_id(0)] = 1; })";

void program_says(const Cl& cl, cl_program program) {
  cl_uint number = 0;
  size_t kernels = 0;
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(number), &number, nullptr));
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(kernels), &kernels, nullptr));
  char text[4096];
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, nullptr));
  std::string names = text;
  std::printf("devices %u kernels %zu both named %d\n", number, kernels,
              int(names.find("everything") != std::string::npos && names.find("plain") != std::string::npos));
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, nullptr));
  std::printf("source kept %d\n", int(std::strcmp(text, kSource) == 0));
  CL_CHECK(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof(text), text, nullptr));
  std::printf("options '%s'\n", text);
}

void all_kernels_say(cl_program program) {
  cl_kernel kernels[3] = {};
  cl_uint number = 0;
  std::printf("too few places: %d\n", clCreateKernelsInProgram(program, 1, kernels, nullptr));
  CL_CHECK(clCreateKernelsInProgram(program, 0, nullptr, &number));
  std::printf("kernels to make %u\n", number);
  CL_CHECK(clCreateKernelsInProgram(program, 3, kernels, &number));
  std::printf("kernels made %u\n", number);
  for (cl_uint i = 0; i < number; ++i) {
    char name[64];
    CL_CHECK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, nullptr));
    std::printf("made with others: %s\n", name);
    CL_CHECK(clReleaseKernel(kernels[i]));
  }
}

void kernel_says(const Cl& cl, cl_kernel kernel) {
  char text[4096];
  cl_uint number = 0;
  CL_CHECK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(text), text, nullptr));
  CL_CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(number), &number, nullptr));
  std::printf("%s has %u arguments\n", text, number);
  for (cl_uint i = 0; i < number; ++i) {
    cl_kernel_arg_address_qualifier address = 0;
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_type_qualifier type = 0;
    CL_CHECK(
        clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, nullptr));
    CL_CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, nullptr));
    CL_CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(type), &type, nullptr));
    char name[64], type_name[64];
    CL_CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof(name), name, nullptr));
    CL_CHECK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(type_name), type_name, nullptr));
    std::printf("  %s: %s, %x %x %x\n", name, type_name, address, access, unsigned(type));
  }
  std::printf("argument 8: %d\n",
              clGetKernelArgInfo(kernel, 8, CL_KERNEL_ARG_NAME, sizeof(text), text, nullptr));
  size_t sizes[3] = {};
  CL_CHECK(clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(sizes),
                                    sizes, nullptr));
  std::printf("required %zu %zu %zu\n", sizes[0], sizes[1], sizes[2]);
  size_t group = 0;
  CL_CHECK(
      clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group), &group, nullptr));
  std::printf("at least what is required %d\n", int(group >= 64));
}

cl_mem buffer_says(const Cl& cl) {
  cl_uint number = 0;
  const cl_mem buffer = new_buffer(cl, 12345, CL_MEM_WRITE_ONLY);
  CL_CHECK(clRetainMemObject(buffer));
  cl_mem_object_type type = 0;
  cl_mem_flags flags = 0;
  cl_context context = nullptr;
  size_t size = 0;
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof(type), &type, nullptr));
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags), &flags, nullptr));
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(size), &size, nullptr));
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(number), &number, nullptr));
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof(context), &context, nullptr));
  std::printf("buffer %x flags %x size %zu references %u context %d\n", type, unsigned(flags), size, number,
              int(context == cl.context));
  return buffer;
}

void queue_says(const Cl& cl) {
  cl_uint number = 0;
  cl_device_id device = nullptr;
  cl_command_queue_properties properties = 0;
  CL_CHECK(clGetCommandQueueInfo(cl.queue, CL_QUEUE_DEVICE, sizeof(device), &device, nullptr));
  CL_CHECK(clGetCommandQueueInfo(cl.queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, nullptr));
  CL_CHECK(clGetCommandQueueInfo(cl.queue, CL_QUEUE_REFERENCE_COUNT, sizeof(number), &number, nullptr));
  std::printf("queue device %d properties %u references %u\n", int(device == cl.device), unsigned(properties),
              number);
}

void event_says(const Cl& cl, cl_kernel plain, cl_mem buffer) {
  set_args(plain, buffer);
  cl_event event = nullptr;
  const size_t global = 64;
  CL_CHECK(clEnqueueNDRangeKernel(cl.queue, plain, 1, nullptr, &global, nullptr, 0, nullptr, &event));
  cl_command_type command = 0;
  cl_command_queue queue = nullptr;
  CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(command), &command, nullptr));
  CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, nullptr));
  CL_CHECK(clFinish(cl.queue));
  cl_int status = 1;
  CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
  CL_CHECK(clReleaseEvent(event));
  std::printf("event %x queue %d status %d\n", command, int(queue == cl.queue), status);
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource, "-cl-kernel-arg-info");
  program_says(cl, program);
  all_kernels_say(program);
  kernel_says(cl, kernel_of(program, "everything"));
  const cl_mem buffer = buffer_says(cl);
  queue_says(cl);
  event_says(cl, kernel_of(program, "plain"), buffer);
}
