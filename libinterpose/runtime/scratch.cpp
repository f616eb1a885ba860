// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/scratch.hpp"

#include "libinterpose/process.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// Of each device's memory: the program needs the rest.
constexpr cl_ulong kMemoryShare = 4;

Status no_room(cl_int error) {
  return Status::internal("no memory for copies of its buffers (" + std::to_string(error) + ")");
}

vendor::Owned<cl_mem> make(cl_context context, size_t size, cl_int& error) {
  return vendor::Owned<cl_mem>(
      vendor::table(context).clCreateBuffer(context, CL_MEM_READ_WRITE, size, nullptr, &error));
}

// Only then does a run depend on what the run before it has done.
bool read_and_written(const compiler::KernelInfo& info, int argument) {
  bool read = false;
  bool written = false;
  for (const compiler::Access& a : info.accesses) {
    if (a.argument != argument) continue;
    read |= a.kind != compiler::Access::Kind::write;
    written |= a.kind != compiler::Access::Kind::read;
  }
  return read && written;
}

}  // namespace

Status Scratch::copy(const std::vector<cl_context>& contexts, cl_command_queue home,
                     const KernelLaunch& launch) {
  const compiler::KernelInfo& info = *launch.kernel->info;
  size_t total = 0;
  for (size_t i = 0; i < launch.arguments->size(); ++i) {
    const KernelArgument& a = (*launch.arguments)[i];
    if (a.kind != KernelArgument::Kind::memory || !a.memory) continue;
    buffers_.push_back({i, read_and_written(info, static_cast<int>(i)), {}});
    total += a.memory->size;
  }
  for (const vendor::Device& device : process().devices) {
    if (total > vendor::device_value<cl_ulong>(device.id, CL_DEVICE_GLOBAL_MEM_SIZE) / kMemoryShare)
      return Status::internal("its buffers are more than a quarter of the memory of " + device.name);
  }
  cl_int error = CL_SUCCESS;
  for (Buffer& b : buffers_) {
    // By way of a copy of ours: the program may have made its buffer inaccessible to the host.
    const Memory& memory = *(*launch.arguments)[b.argument].memory;
    const auto& table = vendor::table(home);
    const auto copy = make(contexts[0], memory.size, error);
    if (!copy) return no_room(error);
    b.contents.resize(memory.size);
    error = table.clEnqueueCopyBuffer(home, memory.native.get(), copy.get(), 0, 0, memory.size, 0, nullptr,
                                      nullptr);
    if (error == CL_SUCCESS) {
      error = table.clEnqueueReadBuffer(home, copy.get(), CL_TRUE, 0, memory.size, b.contents.data(), 0,
                                        nullptr, nullptr);
    }
    if (error != CL_SUCCESS) return no_room(error);
  }
  for (size_t domain = 0; domain < contexts.size(); ++domain) {
    auto& owned = owned_.emplace_back();
    auto& handles = handles_.emplace_back(launch.arguments->size(), nullptr);
    const auto first = std::find(process().domain.begin(), process().domain.end(), static_cast<int>(domain));
    const cl_device_id device = process().devices[static_cast<size_t>(first - process().domain.begin())].id;
    const vendor::Owned<cl_command_queue> queue(
        vendor::table(contexts[domain]).clCreateCommandQueue(contexts[domain], device, 0, &error));
    if (!queue) return no_room(error);
    for (const Buffer& b : buffers_) {
      owned.push_back(make(contexts[domain], b.contents.size(), error));
      if (!owned.back()) return no_room(error);
      handles[b.argument] = owned.back().get();
      error = vendor::table(queue.get())
                  .clEnqueueWriteBuffer(queue.get(), owned.back().get(), CL_FALSE, 0, b.contents.size(),
                                        b.contents.data(), 0, nullptr, nullptr);
      if (error != CL_SUCCESS) return no_room(error);
    }
    // A blocking write would only be done with our memory, and other queues use the buffers.
    if (error = vendor::table(queue.get()).clFinish(queue.get()); error != CL_SUCCESS) return no_room(error);
  }
  return {};
}

void Scratch::restore(int domain, cl_command_queue queue) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].changes) continue;
    vendor::table(queue).clEnqueueWriteBuffer(queue, owned_[domain][i].get(), CL_FALSE, 0,
                                              buffers_[i].contents.size(), buffers_[i].contents.data(), 0,
                                              nullptr, nullptr);
  }
  vendor::table(queue).clFinish(queue);
}

}  // namespace mkmd
