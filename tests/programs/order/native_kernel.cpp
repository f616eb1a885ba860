// SPDX-License-Identifier: Apache-2.0
// A native kernel (a host function enqueued like a kernel) between kernels, and migration of buffers. Where
// the device has no native kernels, the program prints that.
#include "stir.h"

static void CL_CALLBACK add_seven(void* arguments) {
  struct Arguments {
    cl_int* data;
    size_t count;
  };
  const auto* a = static_cast<const Arguments*>(arguments);
  for (size_t i = 0; i < a->count; ++i)
    a->data[i] += 7;
}

int main() {
  constexpr size_t count = 50000;
  const Cl cl = open_cl();
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 2));
  set_args(kernel, buffer);
  launch(cl, kernel, {count}, {50});
  struct {
    cl_mem data;
    size_t count;
  } arguments = {buffer, count};
  const void* where = &arguments.data;
  const cl_int code = clEnqueueNativeKernel(cl.queue, add_seven, &arguments, sizeof(arguments), 1, &buffer,
                                            &where, 0, nullptr, nullptr);
  std::printf("native kernel %d\n", code);
  CL_CHECK(clEnqueueMigrateMemObjects(cl.queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
  launch(cl, kernel, {count}, {50});
  CL_CHECK(clEnqueueMigrateMemObjects(cl.queue, 1, &buffer, 0, 0, nullptr, nullptr));
  report<cl_int>(cl, "data", buffer, count);
}
