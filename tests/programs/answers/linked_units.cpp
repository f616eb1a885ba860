// SPDX-License-Identifier: Apache-2.0
// Programs compiled and linked of several units. Their kernels ask for ids in functions of other units. The
// units have static functions of one name, and share constants and headers. There are libraries, and
// binaries of what is not yet linked.
#include "program.h"

#include <atomic>
#include <thread>

namespace {

constexpr size_t kCount = 32768;

const char* const kShape = "#include \"inner/step.h\"\n"
                           "extern constant int table[8];\n"
                           "typedef struct { int a, b; } Pair;\n"
                           "int place(void);\n"
                           "uint along(uint dimension);\n"
                           "Pair turned(Pair p, int by);\n"
                           "float mixed(float x);\n";
const char* const kStep = "#pragma once\n#ifndef STEP\n#define STEP 3\n#endif\n";

const char* const kPlaces =
    "#include \"shape.h\"\n"
    "constant int table[8] = {3, 1, 4, 1, STEP, 9, 2, 6};\n"
    "static int twist(int x) { return x * STEP + 1; }\n"
    "int place(void) { return (int)get_global_id(0); }\n"
    "uint along(uint d) { return get_group_id(d) + get_num_groups(d) + twist(d + 2); }\n";
const char* const kPairs =
    "#include \"shape.h\"\n"
    "static int twist(int x) { return x ^ place(); }\n"
    "Pair turned(Pair p, int by) { Pair q = {p.b + twist(by), p.a - table[by & 7]}; return q; }\n"
    "float mixed(float x) { return x * 0.3f + (float)along(0) / 7.0f + x * x; }\n";
const char* const kKernels =
    "#include \"shape.h\"\n"
    "static int twist(int x) { return x - 1; }\n"
    "__kernel void pairs(__global Pair* p, int by) { int i = place(); p[i] = turned(p[i], twist(by)); }\n"
    "__kernel void floats(__global float* f) { int i = place(); f[i] = mixed(f[i]) + table[i & 7]; }\n"
    "__kernel void ids(__global uint* u, uint d) { u[place()] = along(d) * get_local_size(0); }\n";

struct Units {
  const Cl& cl;
  std::vector<cl_program> all;  // to be released

  cl_program source(const char* text) {
    cl_int error = CL_SUCCESS;
    all.push_back(clCreateProgramWithSource(cl.context, 1, &text, nullptr, &error));
    CL_CHECK(error);
    return all.back();
  }
  void compile_again(cl_program program, const char* options) {
    const cl_program headers[] = {source(kShape), source(kStep)};
    const char* names[] = {"shape.h", "inner/step.h"};
    CL_CHECK(clCompileProgram(program, 1, &cl.device, options, 2, headers, names, nullptr, nullptr));
  }
  cl_program compiled(const char* text, const char* options = "") {
    const cl_program program = source(text);
    compile_again(program, options);
    return program;
  }
  cl_program linked(const std::vector<cl_program>& inputs, const char* options = "") {
    cl_int error = CL_SUCCESS;
    all.push_back(clLinkProgram(cl.context, 1, &cl.device, options, cl_uint(inputs.size()), inputs.data(),
                                nullptr, nullptr, &error));
    CL_CHECK(error);
    return all.back();
  }
  cl_program through_binary(cl_program program) {
    size_t size = 0;
    CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr));
    std::vector<unsigned char> binary(size);
    unsigned char* pointer = binary.data();
    CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(pointer), &pointer, nullptr));
    const unsigned char* input = binary.data();
    cl_int status = CL_SUCCESS, error = CL_SUCCESS;
    all.push_back(clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &input, &status, &error));
    CL_CHECK(error);
    return all.back();
  }
  void release() {
    for (const cl_program program : all)
      CL_CHECK(clReleaseProgram(program));
    all.clear();
  }
};

// Three launches.
void run(const Cl& cl, cl_program program, const char* label) {
  std::printf("%s\n", label);
  const cl_kernel pairs = kernel_of(program, "pairs"), floats = kernel_of(program, "floats"),
                  ids = kernel_of(program, "ids");
  const cl_mem memory[] = {buffer_of(cl, noise<cl_int>(2 * kCount, 1)),
                           buffer_of(cl, noise<cl_float>(kCount, 2)),
                           new_buffer(cl, kCount * sizeof(cl_uint))};
  set_args(pairs, memory[0], cl_int{5});
  set_args(floats, memory[1]);
  set_args(ids, memory[2], cl_uint{0});
  for (const cl_kernel kernel : {pairs, floats, ids})
    launch(cl, kernel, {kCount}, {64});
  report<cl_int>(cl, "pairs", memory[0], 2 * kCount);
  report<cl_float>(cl, "floats", memory[1], kCount);
  report<cl_uint>(cl, "ids", memory[2], kCount);
  for (const cl_mem one : memory)
    CL_CHECK(clReleaseMemObject(one));
  for (const cl_kernel kernel : {pairs, floats, ids})
    CL_CHECK(clReleaseKernel(kernel));
}

void CL_CALLBACK note(cl_program, void* called) {
  static_cast<std::atomic<bool>*>(called)->store(true);
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  Units units{cl, {}};
  const cl_program places = units.compiled(kPlaces), pairs = units.compiled(kPairs),
                   kernels = units.compiled(kKernels);
  run(cl, units.linked({kernels, places, pairs}), "three units");

  const cl_program inner = units.linked({places}, "-create-library"),
                   library = units.linked({pairs, inner}, "-create-library");
  run(cl, units.linked({library, kernels}), "a library of a library");

  units.compile_again(places, "-DSTEP=7 -cl-mad-enable");
  run(cl, units.linked({kernels, places, pairs}), "one unit with other options");
  run(cl, units.linked({library, kernels}), "a library made before that");

  const cl_program whole = units.linked({kernels, places, pairs});
  const cl_program again = units.through_binary(whole);
  CL_CHECK(clBuildProgram(again, 1, &cl.device, "", nullptr, nullptr));
  run(cl, again, "through a binary");
  run(cl, units.linked({kernels, units.through_binary(places), units.through_binary(pairs)}),
      "objects through binaries");
  run(cl, units.linked({units.through_binary(library), kernels}), "a library through a binary");

  cl_int error = CL_SUCCESS;
  std::atomic<bool> called{false};
  const cl_program inputs[] = {kernels, places, pairs};
  const cl_program late = clLinkProgram(cl.context, 1, &cl.device, nullptr, 3, inputs, note, &called, &error);
  CL_CHECK(error);
  while (!called)
    std::this_thread::yield();
  run(cl, late, "with a callback");
  CL_CHECK(clReleaseProgram(late));
  const cl_program without =
      clLinkProgram(cl.context, 1, &cl.device, "", 1, &kernels, nullptr, nullptr, &error);
  std::printf("functions are missing: %s\n", error == CL_SUCCESS ? "linked" : "refused");
  if (without != nullptr) CL_CHECK(clReleaseProgram(without));
  units.release();
  close_cl(cl);
}
