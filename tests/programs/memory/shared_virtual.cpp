// SPDX-License-Identifier: Apache-2.0
// A buffer made over shared virtual memory: kernels and commands use the same bytes by the buffer and by
// pointer.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#include "program.h"

namespace {

bool has_shared_virtual_memory(const Cl& cl) {
  cl_device_svm_capabilities can = 0;
  const cl_int code = clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can), &can, nullptr);
  const bool has = code == CL_SUCCESS && (can & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
  std::printf("shared virtual memory %d\n", int(has));
  return has;
}

void report_map(const Cl& cl, const char* name, int* shared, size_t bytes) {
  CL_CHECK(
      clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, shared, bytes, 0, nullptr, nullptr));
  std::printf("%s: %016" PRIx64 "\n", name, hash_of(shared, bytes));
  shared[7] += 1;
  CL_CHECK(clEnqueueSVMUnmap(cl.queue, shared, 0, nullptr, nullptr));
}

// `buffer` begins `ahead` numbers behind the beginning of the memory.
void use(const Cl& cl, cl_program program, int* shared, size_t count, size_t ahead) {
  const size_t bytes = count * sizeof(int), used = count - ahead;
  const cl_mem buffer = new_buffer(cl, used * sizeof(int), CL_MEM_USE_HOST_PTR, shared + ahead);
  const cl_kernel by_buffer = kernel_of(program, "change");
  const cl_kernel by_pointer = kernel_of(program, "change");
  set_args(by_buffer, buffer);
  CL_CHECK(clSetKernelArgSVMPointer(by_pointer, 0, shared));
  for (int i = 0; i < 3; ++i) {
    launch(cl, by_buffer, {used}, {64});
    report_map(cl, "map", shared, bytes);
    launch(cl, by_buffer, {used}, {64});
    launch(cl, by_pointer, {used}, {64});
    launch(cl, by_buffer, {used}, {64});
    const int pattern = i;
    CL_CHECK(
        clEnqueueSVMMemFill(cl.queue, shared, &pattern, sizeof(pattern), bytes / 4, 0, nullptr, nullptr));
    launch(cl, by_buffer, {used}, {64});
    std::vector<int> copy(count);
    CL_CHECK(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, copy.data(), shared, bytes, 0, nullptr, nullptr));
    report("copy", copy);
    report<int>(cl, "read", buffer, used);
  }
  CL_CHECK(clReleaseMemObject(buffer));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 1 << 16);
  const Cl cl = open_cl();
  if (!has_shared_virtual_memory(cl)) return 0;
  const cl_program program = build(cl, R"(
    __kernel void change(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 2000; ++k) x = x * 31 + k;
      data[i] = x;
    })");
  int* const shared = static_cast<int*>(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, count * sizeof(int), 0));
  CL_CHECK(
      clEnqueueSVMMap(cl.queue, CL_TRUE, CL_MAP_WRITE, shared, count * sizeof(int), 0, nullptr, nullptr));
  for (size_t i = 0; i < count; ++i)
    shared[i] = int(i);
  CL_CHECK(clEnqueueSVMUnmap(cl.queue, shared, 0, nullptr, nullptr));
  use(cl, program, shared, count, 0);
  use(cl, program, shared, count, 1024);
  CL_CHECK(clFinish(cl.queue));
  clSVMFree(cl.context, shared);
  close_cl(cl);
}
