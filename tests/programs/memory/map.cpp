// SPDX-License-Identifier: Apache-2.0
// Mapping: reading, writing, partial and overlapping read maps, and unmapped data seen by kernels. Buffers
// have each kind of host memory. Some maps are non-blocking.
#include "program.h"

static const char* const source = R"(
  __kernel void stir(__global int* data, int rounds) {
    int i = get_global_id(0), x = data[i];
    for (int k = 0; k < rounds; ++k) x = x * 31 + k;
    data[i] = x;
  })";

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 100000);
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, source), "stir");
  std::vector<cl_int> host = noise<cl_int>(count, 2);
  struct Kind {
    const char* name;
    cl_mem_flags flags;
    void* pointer;
  };
  for (const Kind& kind : {Kind{"plain", 0, nullptr}, Kind{"alloc", CL_MEM_ALLOC_HOST_PTR, nullptr},
                           Kind{"use", CL_MEM_USE_HOST_PTR, host.data()}}) {
    const cl_mem buffer = new_buffer(cl, bytes, CL_MEM_READ_WRITE | kind.flags, kind.pointer);
    cl_int error = CL_SUCCESS;
    auto* data = static_cast<cl_int*>(clEnqueueMapBuffer(
        cl.queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    if (kind.pointer) std::printf("same pointer %d\n", int(data == kind.pointer));
    for (size_t i = 0; i < count; ++i)
      data[i] = cl_int(i * 7);
    CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, data, 0, nullptr, nullptr));
    set_args(kernel, buffer, cl_int(200));
    launch(cl, kernel, {count});
    // Part of it changed by the host between two launches.
    const size_t from = count / 4;
    data = static_cast<cl_int*>(clEnqueueMapBuffer(cl.queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                   from * 4, from * 4, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    for (size_t i = 0; i < from; ++i)
      data[i] ^= 0x55;
    CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, data, 0, nullptr, nullptr));
    launch(cl, kernel, {count});
    // Two read maps at once, one of them non-blocking.
    cl_event mapped = nullptr;
    auto* a = static_cast<cl_int*>(
        clEnqueueMapBuffer(cl.queue, buffer, CL_FALSE, CL_MAP_READ, 0, bytes, 0, nullptr, &mapped, &error));
    CL_CHECK(error);
    auto* b = static_cast<cl_int*>(clEnqueueMapBuffer(cl.queue, buffer, CL_TRUE, CL_MAP_READ, from * 4,
                                                      4 * from, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    CL_CHECK(clWaitForEvents(1, &mapped));
    cl_uint maps = 0;
    CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof(maps), &maps, nullptr));
    std::printf("%s: %016" PRIx64 " same %d maps %u\n", kind.name, hash_of(a, bytes),
                int(std::memcmp(a + from, b, from * 4) == 0), maps);
    CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, a, 0, nullptr, nullptr));
    CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, b, 0, nullptr, nullptr));
    CL_CHECK(clFinish(cl.queue));
    std::printf("unmap again: %d\n", clEnqueueUnmapMemObject(cl.queue, buffer, a, 0, nullptr, nullptr));
    CL_CHECK(clReleaseMemObject(buffer));
    CL_CHECK(clReleaseEvent(mapped));
  }
}
