// SPDX-License-Identifier: Apache-2.0
// Scratch: copies of the buffers a launch names, one set per memory domain, so that it can be run any number
// of times without the program noticing.
#pragma once

#include "libinterpose/capture/command.hpp"

namespace mkmd {

class Scratch {
public:
  // Copies the buffers as they are now; `contexts` are the domains', `home` is a queue of the first. Fails if
  // there is not room enough.
  Status copy(const std::vector<cl_context>& contexts, cl_command_queue home, const KernelLaunch& launch);
  // Gives what a run may have written its first contents again.
  void restore(int domain);
  // By argument index; null for arguments that are no buffers.
  const std::vector<cl_mem>& memories(int domain) const { return handles_[domain]; }

private:
  struct Buffer {
    size_t argument = 0;
    bool written = false;
    std::vector<unsigned char> contents;
  };
  std::vector<Buffer> buffers_;
  std::vector<std::vector<vendor::Owned<cl_mem>>> owned_;  // by domain, then as buffers_
  std::vector<std::vector<cl_mem>> handles_;               // by domain, then argument
  std::vector<vendor::Owned<cl_command_queue>> queues_;    // by domain
};

}  // namespace mkmd
