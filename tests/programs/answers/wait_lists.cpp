// SPDX-License-Identifier: Apache-2.0
// Wait lists with null events and with events of another context, behind launches under way. The
// specification calls both errors; each driver refuses them for some commands and takes them for others.
#include "program.h"

namespace {

constexpr size_t kItems = 1 << 16;

struct Side {
  Cl cl = open_cl();
  cl_mem buffer = new_buffer(cl, kItems * sizeof(cl_uint));
  cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void advance(__global uint* d) { d[get_global_id(0)] = d[get_global_id(0)] * 3 + get_global_id(0); })"),
                               "advance");

  Side() {
    const std::vector<cl_uint> zeros(kItems);
    CL_CHECK(clEnqueueWriteBuffer(cl.queue, buffer, CL_TRUE, 0, kItems * sizeof(cl_uint), zeros.data(), 0,
                                  nullptr, nullptr));
    set_args(kernel, buffer);
  }
  cl_int advance(cl_uint count, const cl_event* list, cl_event* event) const {
    const size_t global = kItems, local = 64;
    return clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &global, &local, count, list, event);
  }
};

void use(const char* what, const Side& side, cl_event odd) {
  std::printf("%s\n", what);
  cl_event first = nullptr;
  CL_CHECK(side.advance(0, nullptr, &first));
  const cl_event list[2] = {first, odd};
  cl_uint word = 7;
  SHOW(side.advance(2, list, nullptr));
  SHOW(side.advance(1, list + 1, nullptr));
  SHOW(clEnqueueTask(side.cl.queue, side.kernel, 2, list, nullptr));
  SHOW(clEnqueueReadBuffer(side.cl.queue, side.buffer, CL_TRUE, 0, sizeof word, &word, 2, list, nullptr));
  SHOW(clEnqueueFillBuffer(side.cl.queue, side.buffer, &word, sizeof word, 0, 64, 2, list, nullptr));
  SHOW(clEnqueueMarkerWithWaitList(side.cl.queue, 2, list, nullptr));
  SHOW(clEnqueueBarrierWithWaitList(side.cl.queue, 2, list, nullptr));
  SHOW(clFinish(side.cl.queue));
  CL_CHECK(clReleaseEvent(first));
  report<cl_uint>(side.cl, "after it", side.buffer, kItems);
}

}  // namespace

int main() {
  const Side side, other;
  use("a null event", side, nullptr);
  cl_int error = CL_SUCCESS;
  const cl_event user = clCreateUserEvent(other.cl.context, &error);
  CL_CHECK(error);
  CL_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
  use("a user event of another context", side, user);
  cl_event foreign = nullptr;
  CL_CHECK(other.advance(0, nullptr, &foreign));
  CL_CHECK(clFlush(other.cl.queue));
  use("a launch of another context", side, foreign);
  CL_CHECK(clReleaseEvent(user));
  CL_CHECK(clReleaseEvent(foreign));
  report<cl_uint>(other.cl, "the other one", other.buffer, kItems);
}
