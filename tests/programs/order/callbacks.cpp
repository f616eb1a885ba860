// SPDX-License-Identifier: Apache-2.0
// Event callbacks, buffer destructor callbacks and a build callback; the event callback makes OpenCL calls,
// as programs do although they should not block there.
#include "stir.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

static std::mutex mutex;
static std::condition_variable changed;
static int completed = 0;
static int destroyed = 0;
static int built = 0;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void* data) {
  cl_command_type type = 0;
  CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, nullptr));
  const std::lock_guard<std::mutex> lock(mutex);
  if (status == CL_COMPLETE && type == CL_COMMAND_NDRANGE_KERNEL) completed += *static_cast<int*>(data);
  changed.notify_all();
}

static void CL_CALLBACK on_destroy(cl_mem, void* data) {
  const std::lock_guard<std::mutex> lock(mutex);
  destroyed = destroyed * 10 + *static_cast<int*>(data);
  changed.notify_all();
}

static void CL_CALLBACK on_built(cl_program, void*) {
  const std::lock_guard<std::mutex> lock(mutex);
  ++built;
  changed.notify_all();
}

template <typename Predicate>
static void wait_until(Predicate predicate) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, predicate);
}

int main() {
  constexpr size_t count = 50000;
  const Cl cl = open_cl();
  const char* source = R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 200; ++k) x = x * 31 + k;
      data[i] = x;
    })";
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &error);
  CL_CHECK(error);
  CL_CHECK(clBuildProgram(program, 1, &cl.device, "", on_built, nullptr));
  wait_until([] { return built == 1; });
  const cl_kernel kernel = kernel_of(program, "stir");
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  int weights[5] = {1, 10, 100, 1000, 10000};
  for (int& weight : weights) {
    const cl_event event = launch_after(cl.queue, kernel, count);
    CL_CHECK(clSetEventCallback(event, CL_COMPLETE, on_event, &weight));
    CL_CHECK(clReleaseEvent(event));  // the callback must come all the same
  }
  CL_CHECK(clFlush(cl.queue));
  wait_until([] { return completed == 11111; });
  std::printf("completed %d\n", completed);
  report<cl_int>(cl, "result", buffer, count);
  // On an event that is complete already.
  const cl_event event = launch_after(cl.queue, kernel, count);
  CL_CHECK(clWaitForEvents(1, &event));
  CL_CHECK(clSetEventCallback(event, CL_COMPLETE, on_event, &weights[0]));
  wait_until([] { return completed == 11112; });
  CL_CHECK(clReleaseEvent(event));
  // Destructor callbacks come in reverse order of registration.
  int first = 1;
  int second = 2;
  const cl_mem other = new_buffer(cl, 4096);
  CL_CHECK(clSetMemObjectDestructorCallback(other, on_destroy, &first));
  CL_CHECK(clSetMemObjectDestructorCallback(other, on_destroy, &second));
  CL_CHECK(clReleaseMemObject(other));
  wait_until([] { return destroyed >= 12; });
  std::printf("destroyed %d\n", destroyed);
}
