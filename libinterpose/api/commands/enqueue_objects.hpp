// SPDX-License-Identifier: Apache-2.0
// For commands that run at home whatever happens: checks and translates the handles such a command names, and
// hands it to enqueue_native.
#pragma once

#include "libinterpose/api/commands/enqueue.hpp"

#include <array>
#include <initializer_list>

namespace mkmd::api {

// A memory object a command names, and whether it is written.
struct Named {
  cl_mem handle;
  bool written;
};

// `call(native call, vendor handles in the order of `named`)` calls the vendor.
template <typename Call>
cl_int enqueue_on(cl_command_queue command_queue, std::span<const Named> named, cl_command_type type,
                  WaitList waits, cl_event* event, bool blocking, Call&& call) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  // Two objects at most, but for the commands that take lists: the usual case allocates nothing.
  std::array<Touched, 2> few_touched{};
  std::array<cl_mem, 2> few_natives{};
  std::vector<Touched> many_touched;
  std::vector<cl_mem> many_natives;
  Touched* touched = few_touched.data();
  cl_mem* natives = few_natives.data();
  if (named.size() > few_touched.size()) {
    many_touched.resize(named.size());
    many_natives.resize(named.size());
    touched = many_touched.data();
    natives = many_natives.data();
  }
  for (size_t i = 0; i < named.size(); ++i) {
    Memory* memory = object_cast<Memory>(named[i].handle);
    if (memory == nullptr) return CL_INVALID_MEM_OBJECT;
    touched[i] = {memory, named[i].written};
    natives[i] = memory->native.get();
  }
  return enqueue_native(*queue, type, {touched, named.size()}, waits, event, blocking,
                        [&](const NativeCall& n) { return call(n, static_cast<const cl_mem*>(natives)); });
}

template <typename Call>
cl_int enqueue_on(cl_command_queue command_queue, std::initializer_list<Named> named, cl_command_type type,
                  WaitList waits, cl_event* event, bool blocking, Call&& call) {
  return enqueue_on(command_queue, std::span<const Named>(named.begin(), named.size()), type, waits, event,
                    blocking, call);
}

}  // namespace mkmd::api
