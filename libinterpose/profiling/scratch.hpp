// SPDX-License-Identifier: Apache-2.0
// Scratch: copies of the buffers a launch names, so that it can be run any number of times without the
// program noticing. A set of them is made for each place where the launch is to run. Arguments that are parts
// of one root buffer are parts of one copy.
#pragma once

#include "libinterpose/commands/command.hpp"

namespace mkmd {

class Scratch {
public:
  // The bytes of one root buffer that the launch names, and everything between them. Offsets in the copy are
  // those of the root plus `shift`, modulo 2^64.
  struct Buffer {
    Memory* root = nullptr;
    uint64_t shift = 0;
    ByteRange bytes;       // the copy's bytes that stand for the root's; around them lies slack
    bool changes = false;  // a run depends on what the run before it has done
    std::vector<unsigned char> contents;  // of the copy; slack is zero
  };
  struct Place {
    cl_context context;
    cl_device_id device;
  };

  // `devices`: those whose memory it shares with the program. `slack`: bytes before and behind each copy that
  // are nobody's; a multiple of the page size.
  explicit Scratch(const std::vector<vendor::Device>& devices, size_t slack = 0)
      : devices_(devices), slack_(slack) {}

  // Reads the buffers as they are now, through a queue of the home's. The places' sets are then there, with
  // any contents. Fails if there is not room enough.
  Status copy(const std::vector<Place>& places, cl_command_queue home, const KernelLaunch& launch);
  // Gives a set the contents.
  Status write(size_t set);
  // Gives what a run may have changed its first contents again, for the next run. It uses a queue of the
  // device that is to run. Another device's queue would leave the bytes in its own caches.
  void restore(size_t set, cl_command_queue queue);

  const std::vector<Buffer>& buffers() const { return buffers_; }
  cl_mem memory(size_t set, size_t buffer) const { return sets_[set].owned[buffer].get(); }
  // By argument index; null for arguments that are no buffers.
  const std::vector<cl_mem>& memories(size_t set) const { return sets_[set].handles; }

private:
  struct Set {
    Place place;
    std::vector<vendor::Owned<cl_mem>> owned;  // as buffers_
    std::vector<vendor::Owned<cl_mem>> parts;
    std::vector<cl_mem> handles;  // by argument
  };
  void find_buffers(const KernelLaunch& launch);
  Status check_room(const std::vector<Place>& places) const;
  Status read(Buffer& buffer, cl_command_queue home);
  Status make_set(const Place& place, const KernelArguments& arguments);

  const std::vector<vendor::Device>& devices_;
  const size_t slack_;
  std::vector<Buffer> buffers_;
  std::vector<Set> sets_;
};

}  // namespace mkmd
