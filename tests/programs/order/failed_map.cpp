// SPDX-License-Identifier: Apache-2.0
// An event fails while a blocking map waits for it. Whoever gets no pointer has nothing to unmap. (A device
// whose driver is not PoCL is left alone: Intel's ends the program.)
#include "program.h"

#include <cstring>
#include <thread>
#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  char version[256] = "";
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_VERSION, sizeof(version), version, nullptr));
  if (std::strstr(version, "PoCL") == nullptr && std::strstr(version, "pocl") == nullptr) return 77;
  cl_int error = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 4096, nullptr, &error);
  CL_CHECK(error);
  for (int round = 0; round < 3; ++round) {
    const cl_event gate = clCreateUserEvent(cl.context, &error);
    CL_CHECK(error);
    std::thread closer([gate] {
      usleep(20000);
      CL_CHECK(clSetUserEventStatus(gate, -7));
    });
    void* const bytes =
        clEnqueueMapBuffer(cl.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 1, &gate, nullptr, &error);
    closer.join();
    if (bytes != nullptr) CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, bytes, 0, nullptr, nullptr));
    clFinish(cl.queue);
    CL_CHECK(clReleaseEvent(gate));
  }
  cl_uint left = 0;
  CL_CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof(left), &left, nullptr));
  std::printf("left mapped: %u\n", left);
}
