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
  // Gives what a run may have changed for the next one its first contents again, through a queue of the
  // device that is to run: another one's would leave the bytes in its own caches.
  void restore(int domain, cl_command_queue queue);
  // By argument index; null for arguments that are no buffers.
  const std::vector<cl_mem>& memories(int domain) const { return handles_[domain]; }

private:
  struct Buffer {
    size_t argument = 0;
    bool changes = false;
    std::vector<unsigned char> contents;
  };
  std::vector<Buffer> buffers_;
  std::vector<std::vector<vendor::Owned<cl_mem>>> owned_;  // by domain, then as buffers_
  std::vector<std::vector<cl_mem>> handles_;               // by domain, then argument
};

}  // namespace mkmd
