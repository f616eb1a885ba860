// SPDX-License-Identifier: Apache-2.0
// Programs that are made once more from their binaries, with the options they were built with, with none
// and with others. With a file as its argument it keeps the binary there itself. Its next run takes the
// binary from there; further arguments are options then.
#include "program.h"

#include <fstream>
#include <iterator>

static constexpr size_t kCount = 65536;

static const char* const kSource =
    "#ifdef IN_FILE\n#include \"kept_step.h\"\n#endif\n"
    "#ifndef STEP\n#define STEP 3\n#endif\n"
    "__kernel void ints(__global int* d, int rounds) {\n"
    "  int i = get_global_id(0), x = d[i];\n"
    "  for (int k = 0; k < rounds; ++k) x = x * 31 + STEP + k;\n"
    "  d[i] = x;\n"
    "}\n"
    "__kernel void tiny(__global float* f) { int i = get_global_id(0); f[i] = f[i] * 1e-25f * 1e-17f; }\n"
    "__kernel void mad_(__global float* f, __global const float* g) {\n"
    "  int i = get_global_id(0); f[i] = f[i] * g[i] + g[i];\n"
    "}\n";

using Binary = std::vector<unsigned char>;

static void run(const Cl& cl, cl_program program, const std::string& label) {
  const cl_mem ints = buffer_of(cl, noise<cl_int>(kCount, 5));
  const cl_mem floats = buffer_of(cl, noise<cl_float>(kCount, 6));
  const cl_mem others = buffer_of(cl, noise<cl_float>(kCount, 7));
  const char* const names[] = {"ints", "mad_", "tiny"};
  for (const char* name : names) {
    const cl_kernel kernel = kernel_of(program, name);
    if (std::strcmp(name, "ints") == 0)
      set_args(kernel, ints, cl_int(50));
    else if (std::strcmp(name, "mad_") == 0)
      set_args(kernel, floats, others);
    else
      set_args(kernel, floats);
    launch(cl, kernel, {kCount}, {64});
    char type[64] = "";
    const cl_int told = clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr);
    cl_uint arguments = 0;
    CL_CHECK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr));
    std::printf("%s %s: %u arguments, type %d '%s'\n", label.c_str(), name, arguments, told, type);
    CL_CHECK(clReleaseKernel(kernel));
  }
  report<cl_int>(cl, (label + " ints").c_str(), ints, kCount);
  report<cl_float>(cl, (label + " floats").c_str(), floats, kCount);
  for (const cl_mem memory : {ints, floats, others})
    CL_CHECK(clReleaseMemObject(memory));
}

static void tell(const Cl& cl, cl_program program, const std::string& label) {
  char text[4096] = "", options[256] = "";
  size_t size = 0;
  const cl_int source = clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, &size);
  std::printf("%s: source %d, %zu bytes, %zu long\n", label.c_str(), source, size, std::strlen(text));
  CL_CHECK(
      clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, nullptr));
  cl_program_binary_type type = 0;
  CL_CHECK(clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, nullptr));
  std::printf("%s: options '%s', type %u\n", label.c_str(), options, type);
}

static Binary binary_of(cl_program program) {
  size_t size = 0;
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  Binary binary(size);
  unsigned char* pointer = binary.data();
  CL_CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr));
  return binary;
}

static cl_program from_binary(const Cl& cl, const Binary& binary, const char* options) {
  const size_t size = binary.size();
  const unsigned char* pointer = binary.data();
  cl_int status = CL_SUCCESS, error = CL_SUCCESS;
  const cl_program program =
      clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &pointer, &status, &error);
  CL_CHECK(error);
  CL_CHECK(status);
  CL_CHECK(clBuildProgram(program, 1, &cl.device, options, nullptr, nullptr));
  return program;
}

static void again(const Cl& cl, const Binary& binary, const char* options, const std::string& label) {
  const cl_program program = from_binary(cl, binary, options);
  tell(cl, program, label);
  run(cl, program, label);
  // Its binary is one, too.
  const cl_program once_more = from_binary(cl, binary_of(program), options);
  run(cl, once_more, label + ", once more");
  CL_CHECK(clReleaseProgram(once_more));
  CL_CHECK(clReleaseProgram(program));
}

static void in_one_run(const Cl& cl) {
  // Options of the text alone, of the compiler, and of what goes on when a kernel runs.
  for (const char* made : {"", "-DSTEP=5 -w", "-cl-mad-enable", "-cl-denorms-are-zero"}) {
    const std::string label = std::string("'") + made + "'";
    const cl_program program = build(cl, kSource, made);
    run(cl, program, label + " from source");
    const Binary binary = binary_of(program);
    CL_CHECK(clReleaseProgram(program));
    again(cl, binary, made, label + " with its options");
    again(cl, binary, nullptr, label + " with no options");
    again(cl, binary, "-cl-denorms-are-zero", label + " with others");
  }
  // Built again, its binary is the second build's.
  const cl_program program = build(cl, kSource, "-DSTEP=7");
  CL_CHECK(clBuildProgram(program, 1, &cl.device, "-DSTEP=9", nullptr, nullptr));
  again(cl, binary_of(program), "-DSTEP=9", "built twice");
  std::printf("refused: %d\n",
              int(clBuildProgram(program, 1, &cl.device, "-DSTEP=(", nullptr, nullptr) != 0));
  CL_CHECK(clReleaseProgram(program));
}

static void in_two_runs(const Cl& cl, const char* path, int count, char** words) {
  std::string options;
  for (int i = 0; i < count; ++i)
    options += (i > 0 ? " " : "") + std::string(words[i]);
  std::ifstream in(path, std::ios::binary);
  const Binary kept((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  cl_program program = nullptr;
  if (kept.empty()) {
    program = build(cl, kSource, options.c_str());
    const Binary binary = binary_of(program);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(binary.data()), std::streamsize(binary.size()));
  } else {
    program = from_binary(cl, kept, options.c_str());
  }
  tell(cl, program, kept.empty() ? "from source" : "from binary");
  run(cl, program, "it");
  CL_CHECK(clReleaseProgram(program));
}

int main(int argc, char** argv) {
  const Cl cl = open_cl();
  if (argc > 1)
    in_two_runs(cl, argv[1], argc - 2, argv + 2);
  else
    in_one_run(cl);
  close_cl(cl);
}
