// SPDX-License-Identifier: Apache-2.0
// The callback of one event waits for that of a command which is enqueued meanwhile, on the same queue or on
// another one.
#include "stir.h"

#include <condition_variable>
#include <mutex>

static std::mutex mutex;
static std::condition_variable changed;
static bool began = false, told = false, ended = false;

static void CL_CALLBACK wait_to_be_told(cl_event, cl_int, void*) {
  std::unique_lock<std::mutex> lock(mutex);
  began = true;
  changed.notify_all();
  changed.wait(lock, [] { return told; });
  ended = true;
  changed.notify_all();
}

static void CL_CALLBACK tell(cl_event, cl_int, void*) {
  const std::lock_guard<std::mutex> lock(mutex);
  told = true;
  changed.notify_all();
}

static void launch_and(cl_command_queue queue, cl_kernel kernel,
                       void(CL_CALLBACK* call)(cl_event, cl_int, void*)) {
  const cl_event event = launch_after(queue, kernel, 50000);
  CL_CHECK(clSetEventCallback(event, CL_COMPLETE, call, nullptr));
  CL_CHECK(clReleaseEvent(event));
  CL_CHECK(clFlush(queue));
}

int main() {
  const Cl cl = open_cl();
  const cl_command_queue other = new_queue(cl);
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(50000, 2)),
               second = buffer_of(cl, noise<cl_int>(50000, 3));
  for (const cl_command_queue later : {cl.queue, other}) {
    began = told = ended = false;
    set_args(kernel, buffer);
    launch_and(cl.queue, kernel, wait_to_be_told);
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return began; });
    lock.unlock();
    set_args(kernel, second);
    launch_and(later, kernel, tell);
    lock.lock();
    changed.wait(lock, [] { return ended; });
    std::printf("told\n");
  }
  report<cl_int>(cl, "data", buffer, 50000);
  report<cl_int>(cl, "second", second, 50000);
}
