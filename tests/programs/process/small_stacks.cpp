// SPDX-License-Identifier: Apache-2.0
// Threads with little stack launch kernels, map buffers and wait. Thread-specific data that end with such a
// thread release objects.
#include "program.h"

#include <pthread.h>

namespace {

constexpr size_t kItems = 1 << 16;
constexpr size_t kStack = 32 << 10;

struct Work {
  const Cl& cl;
  cl_program program;
  int number = 0;
  std::vector<cl_int> result;
};

// Ends after the objects of the libraries that the thread has used.
struct Released {
  cl_kernel kernel = nullptr;
  ~Released() {
    if (kernel != nullptr) CL_CHECK(clReleaseKernel(kernel));
  }
};

void* work(void* given) {
  thread_local Released released;
  auto& w = *static_cast<Work*>(given);
  const cl_command_queue queue = new_queue(w.cl);
  const cl_kernel kernel = released.kernel = kernel_of(w.program, "grow");
  const cl_mem buffer = new_buffer(w.cl, kItems * sizeof(cl_int));
  const cl_int zero = w.number;
  CL_CHECK(
      clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, kItems * sizeof zero, 0, nullptr, nullptr));
  const size_t global = kItems;
  for (int i = 0; i < 6; ++i) {
    set_args(kernel, buffer, cl_int(200 + i));
    CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr));
    if (i % 2 == 0) CL_CHECK(clFinish(queue));
  }
  cl_int error = CL_SUCCESS;
  const auto* const bytes = static_cast<const cl_int*>(clEnqueueMapBuffer(
      queue, buffer, CL_TRUE, CL_MAP_READ, 0, kItems * sizeof(cl_int), 0, nullptr, nullptr, &error));
  CL_CHECK(error);
  w.result.assign(bytes, bytes + kItems);
  CL_CHECK(clEnqueueUnmapMemObject(queue, buffer, const_cast<cl_int*>(bytes), 0, nullptr, nullptr));
  CL_CHECK(clFinish(queue));
  CL_CHECK(clReleaseMemObject(buffer));
  CL_CHECK(clReleaseCommandQueue(queue));
  return nullptr;
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void grow(__global int* data, int rounds) {
      int i = get_global_id(0), x = data[i] + i;
      for (int k = 0; k < rounds; ++k) x = x * 5 + 1;
      data[i] = x;
    })");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  std::vector<Work> all;
  for (int t = 0; t < 3; ++t)
    all.push_back({cl, program, t, {}});
  std::vector<pthread_t> threads(all.size());
  for (size_t t = 0; t < all.size(); ++t) {
    if (pthread_create(&threads[t], &attributes, work, &all[t]) != 0) return 1;
  }
  for (const pthread_t thread : threads)
    pthread_join(thread, nullptr);
  for (const Work& w : all)
    report("thread", w.result);
}
