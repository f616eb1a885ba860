// SPDX-License-Identifier: Apache-2.0
// Steps about programs and kernels: from source, from binaries, compiled and linked, broken, built again; and
// launches.
#include "kernels.hpp"
#include "player.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fuzz {

namespace {

void CL_CALLBACK built(cl_program, void* data) {
  static_cast<Callbacks*>(data)->builds_called.fetch_add(1);
}

const char* const kOptions[] = {"", "-cl-std=CL1.2", "-DSALT=3"};

}  // namespace

void Player::new_program(Family& family) {
  if (family.programs.size() >= 5) return;
  auto program = std::make_shared<Program>();
  program->which = static_cast<unsigned>(random_.below(sources().size()));
  const char* const options = kOptions[random_.below(3)];
  const Source& source = sources()[program->which];
  cl_int error = 0;
  // In two strings, by length or not.
  const size_t cut = std::strchr(source.text + 20, '\n') - source.text + 1;
  const char* parts[] = {source.text, source.text + cut};
  const size_t lengths[] = {cut, 0};
  program->handle = clCreateProgramWithSource(family.context.handle, 2, parts, lengths, &error);
  must("clCreateProgramWithSource", error);
  const bool tells = random_.chance(25);
  if (tells) shared_.callbacks.builds_expected.fetch_add(1);
  const bool names_device = random_.chance(50);
  line("source %u '%s'", program->which, options);
  must("clBuildProgram",
       clBuildProgram(program->handle, names_device ? 1 : 0, names_device ? &shared_.device : nullptr,
                      options, tells ? built : nullptr, tells ? &shared_.callbacks : nullptr));
  if (tells) {  // the build may go on
    for (;;) {
      cl_build_status status = CL_BUILD_IN_PROGRESS;
      if (clGetProgramBuildInfo(program->handle, shared_.device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                &status, nullptr) != CL_SUCCESS)
        fault("no build status");
      if (status == CL_BUILD_SUCCESS) break;
      if (status != CL_BUILD_IN_PROGRESS) fault("build status %d", status);
    }
  }
  program->built = true;
  if (random_.chance(20)) {  // and once more from its binary
    size_t size = 0;
    must("clGetProgramInfo",
         clGetProgramInfo(program->handle, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    if (size == 0) fault("a binary of no size");
    Bytes binary(size);
    unsigned char* pointers[] = {binary.data()};
    must("clGetProgramInfo",
         clGetProgramInfo(program->handle, CL_PROGRAM_BINARIES, sizeof pointers, pointers, nullptr));
    drop("clReleaseProgram", clReleaseProgram, program->handle);
    const unsigned char* from = binary.data();
    cl_int status = 0;
    program->handle =
        clCreateProgramWithBinary(family.context.handle, 1, &shared_.device, &size, &from, &status, &error);
    must("clCreateProgramWithBinary", error);
    must("status of the binary", status);
    must("clBuildProgram", clBuildProgram(program->handle, 0, nullptr, options, nullptr, nullptr));
  }
  family.programs.push_back(program);
}

void Player::broken_program(Family& family) {
  const char* text = random_.one_of({"__kernel void k(__global int* a) { a[0] = undeclared; }", "#error no\n",
                                     "__kernel int k(void) { return 1; }", "}"});
  cl_int error = 0;
  const cl_program program = clCreateProgramWithSource(family.context.handle, 1, &text, nullptr, &error);
  must("clCreateProgramWithSource", error);
  if (random_.chance(50)) {
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    if (kernel != nullptr) fault("a kernel of a program that was never built");
    must("clCreateKernel", error, CL_INVALID_PROGRAM_EXECUTABLE);
  }
  must("clBuildProgram", clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr),
       CL_BUILD_PROGRAM_FAILURE);
  cl_build_status status = CL_BUILD_NONE;
  must("clGetProgramBuildInfo", clGetProgramBuildInfo(program, shared_.device, CL_PROGRAM_BUILD_STATUS,
                                                      sizeof status, &status, nullptr));
  if (status != CL_BUILD_ERROR) fault("build status %d", status);
  size_t size = 0;
  must("clGetProgramBuildInfo",
       clGetProgramBuildInfo(program, shared_.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size));
  if (size < 2) fault("an empty log");
  cl_kernel kernel = clCreateKernel(program, "k", &error);
  if (kernel != nullptr) fault("a kernel of a program that could not be built");
  must("clCreateKernel", error, CL_INVALID_PROGRAM_EXECUTABLE);
  drop("clReleaseProgram", clReleaseProgram, program);
}

void Player::linked_program(Family& family) {
  if (family.programs.size() >= 5) return;
  const size_t which = random_.below(sources().size());
  const char* texts[] = {sources()[which].text, "uint unused(uint x) { return x + 1; }"};
  cl_program objects[2];
  cl_int error = 0;
  for (int i = 0; i < 2; ++i) {
    objects[i] = clCreateProgramWithSource(family.context.handle, 1, &texts[i], nullptr, &error);
    must("clCreateProgramWithSource", error);
    must("clCompileProgram",
         clCompileProgram(objects[i], 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
  }
  auto program = std::make_shared<Program>();
  program->which = static_cast<unsigned>(which);
  program->handle =
      clLinkProgram(family.context.handle, 0, nullptr, nullptr, 2, objects, nullptr, nullptr, &error);
  must("clLinkProgram", error);
  program->built = true;
  for (const cl_program object : objects)
    drop("clReleaseProgram", clReleaseProgram, object);
  family.programs.push_back(program);
}

// With kernels attached a program cannot be built again.
void Player::rebuild(Family& family) {
  if (family.programs.empty()) return;
  const ProgramPtr program = random_.pick(family.programs);
  const char* const options = kOptions[random_.below(3)];
  if (program->kernels > 0) {
    must("clBuildProgram", clBuildProgram(program->handle, 0, nullptr, options, nullptr, nullptr),
         CL_INVALID_OPERATION);
  }
}

void Player::new_kernel(Family& family) {
  if (family.programs.empty() || family.kernels.size() >= 16) return;
  const ProgramPtr program = random_.pick(family.programs);
  const std::vector<KernelKind>& kinds = sources()[program->which].kernels;
  cl_int error = 0;
  auto add = [&](cl_kernel handle, unsigned which) {
    auto kernel = std::make_shared<Kernel>();
    kernel->handle = handle;
    kernel->program = program;
    kernel->which = which;
    ++program->kernels;
    family.kernels.push_back(kernel);
  };
  if (random_.chance(15)) {
    cl_uint count = 0;
    must("clCreateKernelsInProgram", clCreateKernelsInProgram(program->handle, 0, nullptr, &count));
    if (count != kinds.size()) fault("%u kernels in a program of %zu", count, kinds.size());
    std::vector<cl_kernel> handles(count);
    must("clCreateKernelsInProgram",
         clCreateKernelsInProgram(program->handle, count, handles.data(), nullptr));
    for (const cl_kernel handle : handles) {
      char name[64];
      must("clGetKernelInfo", clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr));
      unsigned which = 0;
      while (which < kKinds && std::strcmp(kernel_name(KernelKind(which)), name) != 0)
        ++which;
      if (which == kKinds) fault("a kernel called %s", name);
      add(handle, which);
    }
    return;
  }
  if (!family.kernels.empty() && random_.chance(10)) {
    const KernelPtr from = random_.pick(family.kernels);
    const cl_kernel handle = clCloneKernel(from->handle, &error);
    must("clCloneKernel", error);
    auto kernel = std::make_shared<Kernel>(*from);
    kernel->handle = handle;
    kernel->references = 1;
    ++kernel->program->kernels;
    family.kernels.push_back(kernel);
    return;
  }
  const KernelKind kind = kinds[random_.below(kinds.size())];
  const cl_kernel handle = clCreateKernel(program->handle, kernel_name(kind), &error);
  must("clCreateKernel", error);
  add(handle, kind);
}

struct Player::Launch {
  LaunchValues values;
  MemoryPtr in, out;
  size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  cl_uint dimensions = 1;
  bool names_local = true;
};

bool Player::choose_launch(Family& family, const KernelPtr& kernel, Launch& launch) {
  const auto kind = KernelKind(kernel->which);
  LaunchValues& v = launch.values;
  if (kind == kNothing) {
    launch.global[0] = random_.between(1, 100);
    launch.names_local = false;
    return true;
  }
  const bool reads_out = kind != kBlend && kind != kTurn;
  const bool has_in = kind == kBlend || kind == kTurn || kind == kCount;
  auto suits = [&](const MemoryPtr& memory, bool reads, bool writes) {
    return memory && memory->size >= 8 && memory->origin % 4 == 0 && (!reads || memory->device_reads) &&
           (!writes || memory->device_writes);
  };
  for (int attempt = 0; attempt < 8 && !suits(launch.out, reads_out, true); ++attempt)
    launch.out = pick_memory(family, false, false);
  for (int attempt = 0; has_in && attempt < 8 && !suits(launch.in, true, false); ++attempt)
    launch.in = pick_memory(family, false, false);
  if (!suits(launch.out, reads_out, true) || (has_in && !suits(launch.in, true, false))) return false;
  const size_t out_words = launch.out->size / 4, in_words = has_in ? launch.in->size / 4 : out_words;
  v.out_first = static_cast<uint32_t>(random_.chance(50) ? 0 : random_.below(out_words));
  v.in_first = static_cast<uint32_t>(random_.chance(50) ? 0 : random_.below(in_words));
  size_t most = out_words - v.out_first;
  if (has_in) most = kind == kCount ? in_words - v.in_first : std::min(most, in_words - v.in_first);
  size_t count = random_.chance(50) ? most : random_.between(1, most);
  // Some run long enough to be worth splitting.
  v.rounds = static_cast<uint32_t>(random_.chance(60) ? random_.between(0, 60)
                                                      : random_.between(100000, 1500000) / count);
  v.salt = static_cast<uint32_t>(random_.next());
  v.pair = {static_cast<uint32_t>(random_.next()) | 1, static_cast<uint32_t>(random_.next())};
  launch.names_local = random_.chance(70);
  size_t* const global = launch.global;
  size_t* const local = launch.local;
  if (kind == kGrid || kind == kBox) {
    launch.dimensions = kind == kGrid ? 2 : 3;
    v.width = static_cast<uint32_t>(random_.between(1, std::min<size_t>(count, 300)));
    v.height = static_cast<uint32_t>(random_.between(1, std::min<size_t>(count / v.width, 600)));
    v.depth =
        kind == kGrid
            ? 1
            : static_cast<uint32_t>(random_.between(1, std::min<size_t>(count / v.width / v.height, 8)));
    local[0] = random_.one_of<size_t>({1, 8, 16});
    local[1] = random_.one_of<size_t>({1, 4});
    global[0] = (v.width + local[0] - 1) / local[0] * local[0];
    global[1] = (v.height + local[1] - 1) / local[1] * local[1];
    global[2] = v.depth;
    return true;
  }
  local[0] = kind == kFixed ? 16 : random_.one_of<size_t>({1, 8, 32, 64});
  if (kind == kTurn) {
    launch.names_local = true;
    if (count < local[0]) local[0] = 1;
    count = count / local[0] * local[0];
  }
  if (kind == kFixed) launch.names_local = true;
  v.local = static_cast<uint32_t>(local[0]);
  v.count = static_cast<uint32_t>(count);
  global[0] = (count + local[0] - 1) / local[0] * local[0];
  return true;
}

void Player::set_arguments(Family&, const KernelPtr& kernel, Launch& launch) {
  const auto kind = KernelKind(kernel->which);
  const LaunchValues& v = launch.values;
  cl_uint index = 0;
  auto set = [&](size_t size, const void* value) {
    must("clSetKernelArg", clSetKernelArg(kernel->handle, index++, size, value));
  };
  auto word = [&](uint32_t value) { set(sizeof value, &value); };
  if (kind == kNothing) return;
  if (launch.in) set(sizeof(cl_mem), &launch.in->handle);
  set(sizeof(cl_mem), &launch.out->handle);
  if (launch.in) word(v.in_first);
  word(v.out_first);
  if (kind == kTurn) return set(size_t{v.local} * 4, nullptr);
  if (kind == kGrid || kind == kBox) {
    word(v.width);
    word(v.height);
    return word(kind == kGrid ? v.salt : v.depth);
  }
  word(v.count);
  if (kind == kStir) {
    word(v.rounds);
    word(v.salt);
  }
  if (kind == kPick) set(sizeof v.pair, &v.pair);
}

void Player::launch(Family& family) {
  if (family.kernels.empty()) return;
  const KernelPtr kernel = random_.pick(family.kernels);
  const auto kind = KernelKind(kernel->which);
  Launch launch;
  if (!choose_launch(family, kernel, launch)) return;
  // A driver compiles for each local size that it chooses itself: let there be few, mostly.
  const bool even = !launch.names_local && random_.chance(85);
  for (size_t d = 0; even && d < launch.dimensions; ++d)
    launch.global[d] = std::bit_ceil(launch.global[d]);
  const LaunchValues& v = launch.values;
  set_arguments(family, kernel, launch);
  std::vector<Use> uses;
  size_t out_begin = 0, in_begin = 0;
  if (launch.out) {
    const size_t words = kind == kCount                  ? 1
                         : kind == kGrid || kind == kBox ? size_t(v.width) * v.height * v.depth
                                                         : v.count;
    out_begin = launch.out->origin + size_t{v.out_first} * 4;
    uses.push_back({launch.out->root.get(), out_begin, out_begin + words * 4, true});
  }
  if (launch.in) {
    in_begin = launch.in->origin + size_t{v.in_first} * 4;
    uses.push_back({launch.in->root.get(), in_begin, in_begin + size_t{v.count} * 4, false});
    if (launch.in->root == launch.out->root && in_begin < uses[0].end &&
        out_begin < in_begin + size_t{v.count} * 4)
      return;
  }
  const QueuePtr queue = pick_queue(family);
  for (size_t repeat = random_.between(1, 3); repeat > 0; --repeat) {
    Order order = this->order(family, queue, uses);
    if (launch.out) {
      uint32_t* const out = reinterpret_cast<uint32_t*>(launch.out->root->bytes.data() + out_begin);
      const uint32_t* const in =
          launch.in ? reinterpret_cast<const uint32_t*>(launch.in->root->bytes.data() + in_begin) : nullptr;
      run_model(kind, v, in, out);
    }
    line("%s %zux%zux%zu", kernel_name(kind), launch.global[0], launch.global[1], launch.global[2]);
    const cl_int code = clEnqueueNDRangeKernel(queue->handle, kernel->handle, launch.dimensions, nullptr,
                                               launch.global, launch.names_local ? launch.local : nullptr,
                                               order.count(), order.list(), order.out());
    enqueued(family, order, uses, "clEnqueueNDRangeKernel", code, false);
  }
}

}  // namespace fuzz
