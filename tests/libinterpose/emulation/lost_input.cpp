// SPDX-License-Identifier: Apache-2.0
// Four results, of which the first has lost its input when the device that has it fails. Works on until its
// events say that so many seconds have passed, so that the device may fail meanwhile.
#include "../../programs/program.h"

namespace {

constexpr size_t kItems = 4096;

void print(const Cl& cl, const char* what, cl_mem memory) {
  std::vector<cl_int> values(kItems);
  const cl_int status = clEnqueueReadBuffer(cl.queue, memory, CL_TRUE, 0, kItems * sizeof(cl_int),
                                            values.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::printf("%s: error %d\n", what, status);
    return;
  }
  unsigned sum = 0;
  for (const cl_int value : values)
    sum = sum * 31 + static_cast<unsigned>(value);
  std::printf("%s: %08x\n", what, sum);
}

cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong value = 0;
  CL_CHECK(clGetEventProfilingInfo(event, what, sizeof value, &value, nullptr));
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0;
  const Cl cl = open_cl(CL_QUEUE_PROFILING_ENABLE);
  const cl_program program = build(cl, R"(
    __kernel void steps(__global const int* in, __global int* out, int n) {
      int i = get_global_id(0);
      int v = in[i];
      for (int k = 0; k < n; ++k) v = v * 31 + k;
      out[i] = v;
    })");
  const cl_kernel steps = kernel_of(program, "steps");
  std::vector<cl_int> numbers(kItems);
  for (size_t i = 0; i < kItems; ++i)
    numbers[i] = static_cast<cl_int>(i * i);
  const cl_mem in = buffer_of(cl, numbers);
  const cl_mem other_in = buffer_of(cl, numbers);
  cl_mem out[3];
  for (cl_mem& memory : out)
    memory = new_buffer(cl, kItems * sizeof(cl_int));
  const auto run = [&](cl_mem from, cl_mem to, cl_int n) {
    set_args(steps, from, to, n);
    const size_t global = kItems;
    const size_t local = 64;
    cl_event event = nullptr;
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, steps, 1, nullptr, &global, &local, 0, nullptr, &event));
    CL_CHECK(clWaitForEvents(1, &event));
    const struct {
      cl_ulong start, end;
    } times{time_of(event, CL_PROFILING_COMMAND_START), time_of(event, CL_PROFILING_COMMAND_END)};
    CL_CHECK(clReleaseEvent(event));
    return times;
  };
  const cl_ulong began = run(in, out[0], 64).start;
  run(other_in, out[1], 65);
  for (cl_int& number : numbers)
    number += 7;
  CL_CHECK(clEnqueueWriteBuffer(cl.queue, in, CL_TRUE, 0, kItems * sizeof(cl_int), numbers.data(), 0, nullptr,
                                nullptr));
  while (static_cast<double>(run(other_in, out[2], 8192).end - began) < seconds * 1e9) {
  }
  print(cl, "input overwritten", out[0]);
  print(cl, "input intact", out[1]);
  print(cl, "while it failed", out[2]);
  run(in, out[2], 66);
  print(cl, "afterwards", out[2]);
  std::exit(0);
}
