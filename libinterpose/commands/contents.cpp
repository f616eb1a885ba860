// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/contents.hpp"

namespace mkmd {

namespace {

template <typename T>
T value_of(cl_mem memory, cl_mem_info what) {
  T value = 0;
  vendor::table(memory).clGetMemObjectInfo(memory, what, sizeof value, &value, nullptr);
  return value;
}

// What a buffer was made over, and what is mapped, the program may write at any time.
bool is_open_to_host(const Memory& memory) {
  const cl_mem native = memory.native.get();
  return (value_of<cl_mem_flags>(native, CL_MEM_FLAGS) & CL_MEM_USE_HOST_PTR) != 0 ||
         value_of<cl_uint>(native, CL_MEM_MAP_COUNT) > 0;
}

}  // namespace

bool ContentsReader::may_read(Memory& memory) {
  return !is_open_to_host(memory) && !is_open_to_host(*memory.root());
}

std::optional<std::vector<unsigned char>> ContentsReader::read(Memory& memory) {
  std::call_once(
      opened_, [this] { queue_ = vendor::OwnQueue(context_.native.get(), context_.devices.front()->home); });
  if (!queue_ || !may_read(memory)) return std::nullopt;
  std::vector<unsigned char> bytes(memory.size);
  const cl_int status = vendor::table(queue_.get())
                            .clEnqueueReadBuffer(queue_.get(), memory.native.get(), CL_TRUE, 0, memory.size,
                                                 bytes.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return std::nullopt;
  return bytes;
}

}  // namespace mkmd
