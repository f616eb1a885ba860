// SPDX-License-Identifier: Apache-2.0
// Ends in the way its argument names, after kernels that ran to their end. The exit handlers were registered
// before the first OpenCL call and make some, too.
#include "program.h"

#include <chrono>
#include <csignal>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr size_t kCount = 400000;
Cl cl;
cl_program program;
cl_kernel kernel;
cl_mem buffer;
bool smaller = false;  // the last launches
pid_t main_process;

void last_words() {
  if (getpid() != main_process) return;
  for (size_t count = kCount; count >= (smaller ? kCount / 4 : kCount); count /= 2)
    launch(cl, kernel, {count}, {50});
  report<cl_int>(cl, "in the handler", buffer, kCount);
  CL_CHECK(clReleaseMemObject(buffer));
  CL_CHECK(clReleaseKernel(kernel));
  close_cl(cl);
  std::fflush(stdout);  // quick_exit does not
}

void start() {
  cl = open_cl();
  program = build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 100; ++k) x = x * 31 + k;
      data[i] = x;
    })");
  kernel = kernel_of(program, "stir");
  buffer = buffer_of(cl, noise<cl_int>(kCount, 7));
  set_args(kernel, buffer);
  for (int i = 0; i < 6; ++i)
    launch(cl, kernel, {kCount}, {50});
  report<cl_int>(cl, "in main", buffer, kCount);
}

// Long enough for a driver to compile beside the program, on bytes that nobody looks at.
void keep_launching() {
  constexpr std::chrono::milliseconds kLong{400};
  const cl_mem other = buffer_of(cl, noise<cl_int>(kCount, 8));
  set_args(kernel, other);
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (std::chrono::steady_clock::now() < end) {
    launch(cl, kernel, {kCount}, {50});
    CL_CHECK(clFinish(cl.queue));
  }
  set_args(kernel, buffer);
  CL_CHECK(clReleaseMemObject(other));
}

// Threads that launch until the process has ended, each on a queue and bytes of its own.
void leave_others_behind() {
  constexpr std::chrono::milliseconds kLong{200};
  for (int i = 0; i < 2; ++i) {
    std::thread([i] {
      Cl own = cl;
      own.queue = new_queue(cl);
      const cl_kernel again = kernel_of(program, "stir");
      const cl_mem bytes = buffer_of(own, noise<cl_int>(kCount, 8));
      set_args(again, bytes);
      for (int n = 0;; ++n) {
        launch(own, again, {kCount}, {50});
        if (n % 3 == i) CL_CHECK(clFinish(own.queue));
      }
    }).detach();
  }
  std::this_thread::sleep_for(kLong);
}

[[noreturn]] void wait_for_the_end() {
  for (;;)
    pause();
}

void CL_CALLBACK leave(cl_event, cl_int, void*) {
  std::exit(9);
}

// A signal's handler calls exit() while the main thread is inside OpenCL calls.
void be_interrupted() {
  std::signal(SIGTERM, [](int) { std::exit(9); });
  std::fflush(stdout);
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    kill(main_process, SIGTERM);
  }).detach();
  for (;;) {
    for (int i = 0; i < 20; ++i)
      launch(cl, kernel, {kCount}, {50});
    CL_CHECK(clFinish(cl.queue));
  }
}

// The child of a fork before the first call ends by a signal; what its parent sees is printed.
int aborted_child() {
  const pid_t child = fork();
  if (child == 0) {
    start();
    std::fflush(stdout);
    std::abort();
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}

// Children end as soon as launches have: drivers' threads may still be busy with them, and children have no
// such threads.
void fork_after_launches() {
  for (int i = 0; i < 8; ++i) {
    launch(cl, kernel, {kCount}, {50});
    CL_CHECK(clFinish(cl.queue));
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) std::exit(3);
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child: %d\n", status);
  }
}

// A library that is linked with OpenCL and has used it is unloaded.
int unloaded(const char* program) {
  const std::string path = program;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* library = dlopen((folder + "libexit_plugin.so").c_str(), RTLD_NOW);
  if (library == nullptr) return 77;
  reinterpret_cast<void (*)()>(dlsym(library, "run"))();
  dlclose(library);
  std::printf("unloaded\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  main_process = getpid();
  if (way == "abort") return aborted_child();
  if (way == "unload") return unloaded(argv[0]);
  const bool is_used = way == "handler" || way == "others";  // what last_words() uses and releases
  if (!is_used) std::atexit(last_words);
  std::at_quick_exit(last_words);
  start();
  const bool beside = way.starts_with("beside");
  if (beside) keep_launching();
  if (way == "thread" || way == "beside_thread") {
    std::thread([] { std::exit(4); }).detach();
    wait_for_the_end();
  }
  if (way == "quick" || way == "beside_quick") std::quick_exit(5);
  if (way == "callback") {
    std::fflush(stdout);
    cl_event event = nullptr;
    CL_CHECK(clEnqueueMarkerWithWaitList(cl.queue, 0, nullptr, &event));
    CL_CHECK(clSetEventCallback(event, CL_COMPLETE, leave, nullptr));
    CL_CHECK(clFlush(cl.queue));
    wait_for_the_end();
  }
  if (way == "handler") be_interrupted();
  if (way == "fork") fork_after_launches();
  if (way == "unfinished") {
    for (int i = 0; i < 5; ++i)
      launch(cl, kernel, {kCount}, {50});
  }
  if (way == "others") leave_others_behind();
  smaller = way == "smaller";
  return 8;
}
