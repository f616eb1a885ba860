// SPDX-License-Identifier: Apache-2.0
// What buffers, their parts and images over them say of themselves, and what becomes of them, for each way to
// make one.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // program.h
#include "program.h"

#include <array>
#include <atomic>
#include <thread>

namespace {

cl_mem_flags flags_of(cl_mem memory) {
  cl_mem_flags flags = 0;
  CL_CHECK(clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof flags, &flags, nullptr));
  return flags;
}

void say(const char* what, cl_mem memory) {
  void* host = nullptr;
  size_t size = 0, length = 0;
  cl_bool shared = 2;
  CL_CHECK(clGetMemObjectInfo(memory, CL_MEM_HOST_PTR, sizeof host, &host, &length));
  CL_CHECK(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, nullptr));
  CL_CHECK(clGetMemObjectInfo(memory, CL_MEM_USES_SVM_POINTER, sizeof shared, &shared, nullptr));
  const cl_int small = clGetMemObjectInfo(memory, CL_MEM_FLAGS, 1, &host, nullptr);
  std::printf("%s flags %#lx host %d length %zu size %zu shared %u small %d\n", what,
              static_cast<unsigned long>(flags_of(memory)), int(host != nullptr), length, size, shared,
              small);
}

std::atomic<bool> is_gone{false};

void CL_CALLBACK gone(cl_mem, void* text) {
  std::printf("%s is gone\n", static_cast<const char*>(text));
  is_gone.store(true);
}

// What parts inherit, and which are refused.
void take_parts(const Cl& cl) {
  static const std::array<cl_mem_flags, 7> wholes{
      CL_MEM_READ_WRITE,     CL_MEM_READ_ONLY,      CL_MEM_WRITE_ONLY,
      CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
      CL_MEM_ALLOC_HOST_PTR};
  static const std::array<cl_mem_flags, 6> parts{
      0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_USE_HOST_PTR};
  for (const cl_mem_flags whole : wholes) {
    cl_int error = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(cl.context, whole, 8192, nullptr, &error);
    CL_CHECK(error);
    for (const cl_mem_flags flags : parts) {
      const cl_buffer_region region{4096, 4096};
      const cl_mem made = clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
      std::printf("part %#lx of %#lx: error %d flags %#lx", static_cast<unsigned long>(flags),
                  static_cast<unsigned long>(whole), error,
                  static_cast<unsigned long>(made != nullptr ? flags_of(made) : 0));
      if (made != nullptr) {
        cl_int got = 0;
        const cl_int read =
            clEnqueueReadBuffer(cl.queue, made, CL_TRUE, 0, sizeof got, &got, 0, nullptr, nullptr);
        const cl_int written =
            clEnqueueWriteBuffer(cl.queue, made, CL_TRUE, 0, sizeof got, &got, 0, nullptr, nullptr);
        std::printf(" read %d write %d", read, written);
        CL_CHECK(clReleaseMemObject(made));
      }
      std::printf("\n");
    }
    CL_CHECK(clReleaseMemObject(buffer));
  }
}

void refuse(const Cl& cl, std::vector<cl_int>& bytes) {
  struct Wrong {
    cl_mem_flags flags;
    size_t size;
    bool given;
  };
  // The driver must not look at bytes before it has refused: there are only a few.
  static const std::array<Wrong, 6> all_wrong{
      {{CL_MEM_COPY_HOST_PTR, 64, false},
       {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, size_t{64} << 20, true},
       {CL_MEM_READ_WRITE, 64, true},
       {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, true},
       {CL_MEM_READ_WRITE, 0, false},
       {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, false}}};
  for (const Wrong& wrong : all_wrong) {
    cl_int error = 7;
    void* const given = wrong.given ? bytes.data() : nullptr;
    const cl_mem none = clCreateBuffer(cl.context, wrong.flags, wrong.size, given, &error);
    std::printf("refused %d error %d\n", int(none == nullptr), error);
  }
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  constexpr size_t kCount = 16384;
  std::vector<cl_int> bytes = noise<cl_int>(kCount, 5);
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* a, int rounds) {
      int i = get_global_id(0), x = a[i];
      for (int k = 0; k < rounds; ++k) x = x * 31 + k;
      a[i] = x;
    })"),
                                     "stir");
  struct Way {
    const char* name;
    cl_mem_flags flags;
    bool given;  // the program's bytes
  };
  static const std::array<Way, 8> ways{{{"plain", CL_MEM_READ_WRITE, false},
                                        {"default", 0, false},
                                        {"copied", CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, true},
                                        {"allocated", CL_MEM_ALLOC_HOST_PTR, false},
                                        {"both", CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, true},
                                        {"used", CL_MEM_USE_HOST_PTR, true},
                                        {"closed", CL_MEM_HOST_NO_ACCESS, false},
                                        {"write only", CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY, false}}};
  for (const Way& way : ways) {
    cl_int error = CL_SUCCESS;
    void* const given = way.given ? bytes.data() : nullptr;
    const cl_mem buffer = clCreateBuffer(cl.context, way.flags, kCount * sizeof(cl_int), given, &error);
    CL_CHECK(error);
    CL_CHECK(clSetMemObjectDestructorCallback(buffer, gone, const_cast<char*>(way.name)));
    say(way.name, buffer);
    const cl_mem half = part(buffer, kCount * 2, kCount * 2);
    say("  its half", half);
    const bool readable = (way.flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)) == 0;
    const cl_int zero = 0;
    if (!way.given)
      CL_CHECK(clEnqueueFillBuffer(cl.queue, buffer, &zero, sizeof zero, 0, kCount * 4, 0, nullptr, nullptr));
    for (int round = 0; round < 3; ++round) {
      set_args(kernel, buffer, cl_int(200));
      launch(cl, kernel, {kCount}, {64});
      set_args(kernel, half, cl_int(300));
      launch(cl, kernel, {kCount / 2}, {64});
    }
    if (readable) report<cl_int>(cl, "  bytes", buffer, kCount);
    CL_CHECK(clFinish(cl.queue));
    CL_CHECK(clReleaseMemObject(half));
    CL_CHECK(clReleaseMemObject(buffer));
    while (!is_gone.exchange(false))
      std::this_thread::yield();
  }
  take_parts(cl);
  refuse(cl, bytes);
}
