// SPDX-License-Identifier: Apache-2.0
// Host memory that the program reads and writes without a mapping once it has waited. It is an array that a
// buffer was made over, and a mapping that stays open. Drivers of CPUs work in it, so programs get away
// with that.
#include "program.h"

#include <algorithm>

namespace {

constexpr size_t kItems = 1 << 16, kBytes = kItems * sizeof(cl_uint);

struct Machine {
  Cl cl = open_cl();
  cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global uint* d, uint n) { d[get_global_id(0)] = d[get_global_id(0)] * 3 + n; })"),
                               "stir");
  cl_mem other = buffer_of(cl, noise<cl_uint>(64, 4));
  void stir(cl_mem buffer, cl_uint number, cl_event* event = nullptr) const {
    const size_t global = kItems, local = 64;
    set_args(kernel, buffer, number);
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, event));
  }
};

void show(const char* what, const cl_uint* items) {
  std::printf("%s: %016" PRIx64 "\n", what, hash_of(items, kBytes));
}

// Waits in each of the ways, and changes items after each.
void use(const Machine& m, cl_mem buffer, cl_uint* items) {
  m.stir(buffer, 1);
  CL_CHECK(clFinish(m.cl.queue));
  show("finished", items);
  std::fill_n(items, kItems, 5u);
  m.stir(buffer, 2);
  m.stir(buffer, 3);
  CL_CHECK(clFinish(m.cl.queue));
  show("changed and finished", items);
  std::fill_n(items + 1000, kItems / 2, 6u);
  cl_event event = nullptr;
  m.stir(buffer, 4, &event);
  CL_CHECK(clWaitForEvents(1, &event));
  CL_CHECK(clReleaseEvent(event));
  show("waited for an event", items);
  items[kItems - 1] = 7;
  m.stir(buffer, 5);
  cl_uint first = 0;
  CL_CHECK(clEnqueueReadBuffer(m.cl.queue, buffer, CL_TRUE, 0, sizeof first, &first, 0, nullptr, nullptr));
  show("read a part", items);
  m.stir(buffer, 8, &event);
  CL_CHECK(clFlush(m.cl.queue));
  for (cl_int status = CL_QUEUED; status != CL_COMPLETE;)
    CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  CL_CHECK(clReleaseEvent(event));
  CL_CHECK(clEnqueueReadBuffer(m.cl.queue, m.other, CL_TRUE, 0, sizeof first, &first, 0, nullptr, nullptr));
  show("read another", items);
  items[0] = 8;
  m.stir(buffer, 6);
  report<cl_uint>(m.cl, "read all", buffer, kItems);
}

}  // namespace

int main() {
  const Machine m;
  std::vector<cl_uint> array = noise<cl_uint>(kItems, 3);
  const cl_mem over = new_buffer(m.cl, kBytes, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, array.data());
  std::printf("over an array\n");
  use(m, over, array.data());
  CL_CHECK(clReleaseMemObject(over));
  for (const cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR}) {
    const cl_mem buffer = new_buffer(m.cl, kBytes, flags);
    cl_int error = CL_SUCCESS;
    auto* const items = static_cast<cl_uint*>(clEnqueueMapBuffer(
        m.cl.queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, kBytes, 0, nullptr, nullptr, &error));
    CL_CHECK(error);
    std::copy(array.begin(), array.end(), items);
    std::printf("mapped\n");
    use(m, buffer, items);
    CL_CHECK(clEnqueueUnmapMemObject(m.cl.queue, buffer, items, 0, nullptr, nullptr));
    CL_CHECK(clReleaseMemObject(buffer));
  }
}
