// SPDX-License-Identifier: Apache-2.0
// Threads that never wait for all of their work. Every iteration makes objects, uses them, and releases
// them with the work still queued. Arguments: what is made (see kKinds), threads, iterations of all
// together, bytes of a buffer. Where STREAMING_SAMPLES names a file, what the process holds while it works
// is written there. A line has iteration, resident bytes, bytes of the heap in use, and the numbers in the
// file STREAMING_COUNTERS.
#include "program.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <map>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr size_t kDeep = 6;       // iterations a thread has queued
constexpr size_t kSamples = 100;  // in a run
constexpr size_t kCounters = 8;   // in the file STREAMING_COUNTERS

const char* const kSource = R"(
  __kernel void stir(__global int* data, int seed) {
    int i = get_global_id(0), x = data[i] + seed;
    for (int k = 0; k < 300; ++k) x = x * 31 + k;
    data[i] = x;
  }
  __kernel void add(__global const int* a, __global int* b) {
    int i = get_global_id(0);
    b[i] += a[i];
  }
  __kernel void look(__read_only image2d_t image, __global int* data) {
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    data[i] += (int)read_imageui(image, nearest, (int2)(i & 15, i >> 4 & 15)).x;
  })";

class Samples {
public:
  Samples(size_t iterations) : every_(iterations / kSamples + 1) {
    const char* const counters = std::getenv("STREAMING_COUNTERS");
    const int fd = counters != nullptr ? open(counters, O_RDONLY) : -1;
    if (fd < 0) return;
    void* const mapped = mmap(nullptr, kCounters * sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) counters_ = static_cast<const int64_t*>(mapped);
    close(fd);
  }

  // Before iteration `i` begins.
  void take(size_t i) {
    if (i % every_ != 0 || std::getenv("STREAMING_SAMPLES") == nullptr) return;
    const struct mallinfo2 heap = mallinfo2();
    size_t pages = 0;
    size_t resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    std::lock_guard lock(mutex_);
    text_ += std::to_string(i) + " " + std::to_string(resident * size_t(sysconf(_SC_PAGESIZE))) + " " +
             std::to_string(heap.uordblks + heap.hblkhd);
    for (size_t c = 0; c < kCounters && counters_ != nullptr; ++c)
      text_ += " " + std::to_string(counters_[c]);
    text_ += "\n";
  }

  void write() const {
    if (const char* const file = std::getenv("STREAMING_SAMPLES")) std::ofstream(file) << text_;
  }

private:
  const size_t every_;
  const int64_t* counters_ = nullptr;
  std::mutex mutex_;
  std::string text_;
};

// Of a scalar argument: launches are not all alike.
cl_int seed_of(size_t iteration) {
  return cl_int(iteration % 32);
}

// What one thread has.
struct Stream {
  Cl cl;
  cl_program program = nullptr;
  cl_kernel stir = nullptr, add = nullptr, look = nullptr;
  cl_mem whole = nullptr;  // lives as long as the thread
  size_t count = 0;        // ints in a buffer
  std::shared_ptr<const std::vector<cl_int>> in;
  std::deque<cl_event> queued;
  std::deque<std::vector<cl_int>*> reading;  // for each of these; may be null
  uint64_t sum = 0;

  size_t bytes() const { return count * sizeof(cl_int); }

  void wait_for_first() {
    CL_CHECK(clWaitForEvents(1, &queued.front()));
    CL_CHECK(clReleaseEvent(queued.front()));
    queued.pop_front();
    if (std::vector<cl_int>* const done = reading.front()) {
      sum = sum * 31 + hash_of(done->data(), bytes());
      delete done;
    }
    reading.pop_front();
  }

  void end_iteration(cl_event event, std::vector<cl_int>* into = nullptr) {
    queued.push_back(event);
    reading.push_back(into);
    if (queued.size() > kDeep) wait_for_first();
  }

  cl_event run(cl_command_queue queue, cl_kernel kernel, cl_uint waits = 0,
               const cl_event* wait = nullptr) const {
    const size_t local = 64;
    cl_event event = nullptr;
    CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, &local, waits, wait, &event));
    return event;
  }

  void write(cl_command_queue queue, cl_mem to) const {
    CL_CHECK(clEnqueueWriteBuffer(queue, to, CL_FALSE, 0, bytes(), in->data(), 0, nullptr, nullptr));
  }

  // The iteration ends with its bytes in memory of the program that is new each time.
  void read_at_end(cl_command_queue queue, cl_mem from) {
    auto* const into = new std::vector<cl_int>(count);
    cl_event event = nullptr;
    CL_CHECK(clEnqueueReadBuffer(queue, from, CL_FALSE, 0, bytes(), into->data(), 0, nullptr, &event));
    CL_CHECK(clFlush(queue));
    end_iteration(event, into);
  }
};

void only_write(Stream& s, size_t i) {
  const cl_mem buffer = new_buffer(s.cl, s.bytes());
  s.write(s.cl.queue, buffer);
  set_args(s.stir, buffer, seed_of(i));
  const cl_event event = s.run(s.cl.queue, s.stir);
  CL_CHECK(clReleaseMemObject(buffer));
  s.end_iteration(event);
}

void write_and_read(Stream& s, size_t i) {
  const cl_mem buffer = new_buffer(s.cl, s.bytes());
  s.write(s.cl.queue, buffer);
  set_args(s.stir, buffer, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.stir)));
  s.read_at_end(s.cl.queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
}

// Parts of a buffer that stays, at other places each time.
void sub_buffers(Stream& s, size_t i) {
  const cl_mem some = part(s.whole, i * 7919 % 1021 * 1024, s.bytes());
  s.write(s.cl.queue, some);
  set_args(s.stir, some, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.stir)));
  s.read_at_end(s.cl.queue, some);
  CL_CHECK(clReleaseMemObject(some));
}

void host_pointers(Stream& s, size_t i) {
  auto* const memory = new std::vector<cl_int>(*s.in);
  const cl_mem buffer = new_buffer(s.cl, s.bytes(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory->data());
  CL_CHECK(clSetMemObjectDestructorCallback(
      buffer, [](cl_mem, void* gone) { delete static_cast<std::vector<cl_int>*>(gone); }, memory));
  set_args(s.stir, buffer, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.stir)));
  s.read_at_end(s.cl.queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
}

void kernels(Stream& s, size_t i) {
  const cl_mem buffer = new_buffer(s.cl, s.bytes());
  s.write(s.cl.queue, buffer);
  const cl_kernel kernel = kernel_of(s.program, "stir");
  set_args(kernel, buffer, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, kernel)));
  CL_CHECK(clReleaseKernel(kernel));
  s.read_at_end(s.cl.queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
}

void programs(Stream& s, size_t i) {
  const cl_mem buffer = new_buffer(s.cl, s.bytes());
  s.write(s.cl.queue, buffer);
  const cl_program program = build(s.cl, kSource);
  const cl_kernel kernel = kernel_of(program, "stir");
  CL_CHECK(clReleaseProgram(program));
  set_args(kernel, buffer, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, kernel)));
  CL_CHECK(clReleaseKernel(kernel));
  s.read_at_end(s.cl.queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
}

void queues(Stream& s, size_t i) {
  const cl_command_queue queue = new_queue(s.cl, i % 2 != 0 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
  const cl_mem buffer = buffer_of(s.cl, *s.in);
  set_args(s.stir, buffer, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(queue, s.stir)));
  CL_CHECK(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr));
  s.read_at_end(queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
  CL_CHECK(clReleaseCommandQueue(queue));
}

// No barrier ever: order by events, some of which nobody asked for.
void out_of_order(Stream& s, size_t i) {
  const cl_mem buffer = buffer_of(s.cl, *s.in);
  set_args(s.stir, buffer, seed_of(i));
  const cl_event first = s.run(s.cl.queue, s.stir);
  const cl_event second = s.run(s.cl.queue, s.stir, 1, &first);
  CL_CHECK(clReleaseEvent(first));
  auto* const into = new std::vector<cl_int>(s.count);
  cl_event event = nullptr;
  CL_CHECK(clEnqueueReadBuffer(s.cl.queue, buffer, CL_FALSE, 0, s.bytes(), into->data(), 1, &second, &event));
  CL_CHECK(clReleaseEvent(second));
  CL_CHECK(clReleaseMemObject(buffer));
  s.end_iteration(event, into);
}

void fills_and_copies(Stream& s, size_t i) {
  const cl_mem a = new_buffer(s.cl, s.bytes());
  const cl_mem b = new_buffer(s.cl, s.bytes());
  const cl_int value = seed_of(i);
  CL_CHECK(clEnqueueFillBuffer(s.cl.queue, a, &value, sizeof value, 0, s.bytes(), 0, nullptr, nullptr));
  CL_CHECK(clEnqueueCopyBuffer(s.cl.queue, a, b, 0, 0, s.bytes(), 0, nullptr, nullptr));
  set_args(s.stir, b, value);
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.stir)));
  set_args(s.add, a, b);
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.add)));
  CL_CHECK(clReleaseMemObject(a));
  CL_CHECK(clEnqueueMarkerWithWaitList(s.cl.queue, 0, nullptr, nullptr));
  s.read_at_end(s.cl.queue, b);
  CL_CHECK(clReleaseMemObject(b));
}

// Some are never set, some only after the commands that wait for them were queued.
void user_events(Stream& s, size_t i) {
  cl_int error = CL_SUCCESS;
  CL_CHECK(clReleaseEvent(clCreateUserEvent(s.cl.context, &error)));
  const cl_mem buffer = buffer_of(s.cl, *s.in);
  const cl_event gate = i % 4 == 0 ? clCreateUserEvent(s.cl.context, &error) : nullptr;
  set_args(s.stir, buffer, seed_of(i));
  CL_CHECK(
      clReleaseEvent(s.run(s.cl.queue, s.stir, gate != nullptr ? 1 : 0, gate != nullptr ? &gate : nullptr)));
  s.read_at_end(s.cl.queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
  if (gate == nullptr) return;
  CL_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
  CL_CHECK(clReleaseEvent(gate));
}

void images(Stream& s, size_t i) {
  std::vector<cl_uchar4> texels(256);
  for (size_t t = 0; t < texels.size(); ++t)
    texels[t].s[0] = cl_uchar(t + i);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc about = {};
  about.image_type = CL_MEM_OBJECT_IMAGE2D;
  about.image_width = about.image_height = 16;
  cl_int error = CL_SUCCESS;
  const cl_mem image = clCreateImage(s.cl.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &about,
                                     texels.data(), &error);
  CL_CHECK(error);
  const cl_mem buffer = buffer_of(s.cl, *s.in);
  set_args(s.stir, buffer, seed_of(i));
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.stir)));
  set_args(s.look, image, buffer);
  CL_CHECK(clReleaseEvent(s.run(s.cl.queue, s.look)));
  CL_CHECK(clReleaseMemObject(image));
  s.read_at_end(s.cl.queue, buffer);
  CL_CHECK(clReleaseMemObject(buffer));
}

void contexts(Stream& s, size_t i) {
  Stream own = s;
  own.queued.clear();
  own.reading.clear();
  own.cl = open_cl();
  const cl_program program = build(own.cl, kSource);
  own.stir = kernel_of(program, "stir");
  CL_CHECK(clReleaseProgram(program));
  write_and_read(own, i);
  CL_CHECK(clReleaseKernel(own.stir));
  close_cl(own.cl);
  s.end_iteration(own.queued.front(), own.reading.front());
}

const std::map<std::string, std::function<void(Stream&, size_t)>> kKinds = {
    {"writes", only_write},       {"reads", write_and_read},
    {"sub_buffers", sub_buffers}, {"host_pointers", host_pointers},
    {"kernels", kernels},         {"programs", programs},
    {"queues", queues},           {"out_of_order", out_of_order},
    {"copies", fills_and_copies}, {"user_events", user_events},
    {"images", images},           {"contexts", contexts}};

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "reads";
  const size_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const size_t iterations = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 100;
  const size_t bytes = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 16384;
  if (kKinds.count(kind) == 0) return 2;
  const Cl cl = open_cl();
  if (kind == "images" && !has_images(cl)) return 0;
  const cl_program program = build(cl, kSource);
  Samples samples(iterations);
  std::atomic<size_t> begun{0};
  std::vector<uint64_t> sums(threads);
  std::vector<std::thread> running;
  for (size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      Stream s;
      s.cl = cl;
      s.cl.queue = new_queue(cl, kind == "out_of_order" ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
      s.program = program;
      s.stir = kernel_of(program, "stir");
      s.add = kernel_of(program, "add");
      s.look = kernel_of(program, "look");
      s.count = bytes / sizeof(cl_int);
      s.in = std::make_shared<const std::vector<cl_int>>(noise<cl_int>(s.count, t));
      s.whole = new_buffer(cl, (size_t(2) << 20) + bytes);
      for (size_t i = 0; i < iterations / threads; ++i) {
        samples.take(begun.fetch_add(1));
        kKinds.at(kind)(s, i);
      }
      while (!s.queued.empty())
        s.wait_for_first();
      CL_CHECK(clReleaseMemObject(s.whole));
      for (const cl_kernel kernel : {s.stir, s.add, s.look})
        CL_CHECK(clReleaseKernel(kernel));
      CL_CHECK(clReleaseCommandQueue(s.cl.queue));
      sums[t] = s.sum;
    });
  }
  for (std::thread& thread : running)
    thread.join();
  for (const uint64_t sum : sums)
    std::printf("sum: %016" PRIx64 "\n", sum);
  samples.write();
  CL_CHECK(clReleaseProgram(program));
  close_cl(cl);
}
