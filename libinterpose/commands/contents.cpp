// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/contents.hpp"

#include "libinterpose/commands/careful.hpp"

#include <memory>

namespace mkmd {

namespace {

template <typename T>
T value_of(cl_mem memory, cl_mem_info what) {
  T value = 0;
  vendor::table(memory).clGetMemObjectInfo(memory, what, sizeof value, &value, nullptr);
  return value;
}

// The driver may still write them. They are lost if it never says that it is through.
void leave_to_driver(cl_event event, std::unique_ptr<std::vector<unsigned char>> bytes) {
  const auto forget = [](cl_event, cl_int, void* left) {
    delete static_cast<std::vector<unsigned char>*>(left);
  };
  vendor::table(event).clSetEventCallback(event, CL_COMPLETE, forget, bytes.release());
}

}  // namespace

bool is_open_to_host(Memory& memory) {
  const cl_mem native = memory.native.get();
  const bool ours =
      memory.root()->visible_bytes.begin != nullptr;  // the place is; the program does not know it
  return (!ours && (value_of<cl_mem_flags>(native, CL_MEM_FLAGS) & CL_MEM_USE_HOST_PTR) != 0) ||
         value_of<cl_uint>(native, CL_MEM_MAP_COUNT) > 0;
}

bool ContentsReader::may_read(Memory& memory) {
  return !is_open_to_host(memory) && !is_open_to_host(*memory.root());
}

std::optional<std::vector<unsigned char>> ContentsReader::read(Memory& memory, double deadline) {
  std::call_once(opened_, [this] { queue_ = vendor::OwnQueue(context_.native.get(), home_); });
  if (!queue_ || !may_read(memory)) return std::nullopt;
  auto bytes = std::make_unique<std::vector<unsigned char>>(memory.size);
  const auto& table = vendor::table(queue_.get());
  cl_event event = nullptr;
  if (table.clEnqueueReadBuffer(queue_.get(), memory.native.get(), CL_FALSE, 0, memory.size, bytes->data(), 0,
                                nullptr, &event) != CL_SUCCESS)
    return std::nullopt;
  const vendor::Owned<cl_event> end(event);
  table.clFlush(queue_.get());
  const cl_int status = is_over_by(event, deadline);
  if (status == CL_COMPLETE) return std::move(*bytes);
  if (status > CL_COMPLETE) leave_to_driver(event, std::move(bytes));
  return std::nullopt;
}

}  // namespace mkmd
