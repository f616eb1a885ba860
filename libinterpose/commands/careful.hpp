// SPDX-License-Identifier: Apache-2.0
// Driver calls that are tried again when they fail, and in another way after that: slower than the plain ones
// of submit.cpp, which come first. Nothing here takes the runtime's lock. `devices` hear of what fails.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/execution/devices.hpp"
#include "libinterpose/vendor/careful.hpp"

#include <functional>
#include <map>

namespace mkmd {

// A call for the lane has failed: its device may be lost, or give trouble.
void note_failure(Devices& devices, const Lane& lane, const char* what, cl_int status);

// The final status of a command that was flushed, once it is over. CL_QUEUED: it is not over by then, in
// seconds of the host's clock.
cl_int is_over_by(cl_event event, double deadline);

// Whether the program has closed a buffer to the host, by one of these flags.
constexpr cl_mem_flags kHostMayNotRead = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostMayNotWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
bool is_closed(cl_mem memory, cl_mem_flags by);

// Calls `use` with the range's bytes of a buffer, mapped. `use` is done with them when it returns.
cl_int with_mapping(const Lane& lane, cl_mem memory, cl_map_flags flags, ByteRange range,
                    const std::function<cl_int(void* mapped)>& use);

// A buffer of ours with room for these bytes, at the same offsets, in the context of the lane's queue.
// Nothing is done if the status is an error.
vendor::Owned<cl_mem> open_buffer(const Lane& lane, const ByteRanges& ranges, cl_int& status);

// Between two buffers of one context, whatever the host may do with them.
cl_int copy_inside(const Lane& lane, cl_mem from, cl_mem to, const ByteRanges& ranges);

// Bytes of the buffer in the lane's memory; those that its device would not take are in the stand-in.
cl_int get_bytes(Devices& devices, Storage& storage, const Lane& lane, cl_mem memory, ByteRange range,
                 unsigned char* to);
// What a helper's memory does not take, the stand-in keeps.
cl_int put_bytes(Devices& devices, Storage& storage, const Lane& lane, cl_mem memory, ByteRange range,
                 const unsigned char* from);

// Home's bytes, before they are overwritten, to where the host keeps them (History::originals), and back.
cl_int keep_originals(Devices& devices, Storage& storage, const Lane& home, cl_mem memory,
                      const ByteRanges& ranges);
cl_int restore_originals(Devices& devices, Storage& storage, const Lane& home, cl_mem memory,
                         const ByteRanges& ranges);

// From one memory to another by way of ours, with both of the above. `begun`: bytes there may be overwritten.
cl_int copy_through_host(Devices& devices, Storage& storage, const Lane& from, cl_mem from_memory,
                         const Lane& to, cl_mem to_memory, const ByteRanges& ranges, bool& begun);

// For the lane of repairs: a piece, fill or copy that a device with a memory of its own has failed at. Its
// bytes come from that memory, and what it makes goes there, so that nothing else has to know.
struct RemoteMemory {
  Devices* devices;
  const Lane* transfer;
  std::vector<cl_mem> memories;  // of the root buffers: by use, or a copy's source, then the destination
};
// Buffers and images of home that stand for those of another memory which a launch names, by root.
class HomeDoubles {
public:
  HomeDoubles(Lane& lane, const KernelLaunch& launch) : lane_(lane), launch_(launch) {}

  cl_int make();
  const std::vector<cl_mem>& memories() const { return memories_; }  // by argument
  // What is needed of the bytes that lie there, and what is written to them.
  cl_int bring(const BufferUses& uses, const RemoteMemory& where) const;
  cl_int take_back(const BufferUses& uses, const RemoteMemory& where) const;

private:
  cl_mem of(const Memory* root) const { return roots_.at(root).get(); }

  Lane& lane_;
  const KernelLaunch& launch_;
  std::vector<cl_mem> memories_;
  std::map<const Memory*, vendor::Owned<cl_mem>> roots_;
  std::vector<vendor::Owned<cl_mem>> parts_;
};
Action::Work piece_from_afar(Lane& lane, const KernelCommand& command, const compiler::GroupBox& box,
                             BufferUses uses, RemoteMemory where);
Action::Work fill_afar(const FillCommand& command, ByteRange bytes, RemoteMemory where);
Action::Work copy_afar(const CopyCommand& command, ByteRange bytes, RemoteMemory where);

}  // namespace mkmd
