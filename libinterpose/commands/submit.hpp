// SPDX-License-Identifier: Apache-2.0
// The driver's side of actions: what each kind of action calls. Nothing here takes the runtime's lock.
// `devices` hear of what fails.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/execution/devices.hpp"

namespace mkmd {

// A piece of a kernel (`box` in work-groups): `boxed` as a sub-kernel, otherwise the whole of it as the
// program wrote it. `memories` holds the vendor object of every memory argument, by argument index, in the
// lane's domain. Null for an image: home's own.
Action::Work kernel_piece(Lane& lane, const KernelCommand& command, const compiler::GroupBox& box,
                          std::vector<cl_mem> memories, bool boxed);

// A threaded lane copies bytes itself where the host gets at them. A command would wait behind the kernels
// that the driver works at.
Action::Work read_at_home(Devices& devices, Lane& lane, const ReadCommand& command);
Action::Work write_at_home(Devices& devices, Lane& lane, const WriteCommand& command);
// These bytes of the command's destination, in the lane's domain. The memories there are those of the root
// buffers.
Action::Work fill_bytes(Devices& devices, Lane& lane, const FillCommand& command, cl_mem destination,
                        ByteRange bytes);
Action::Work copy_bytes(Devices& devices, Lane& lane, const CopyCommand& command, cl_mem source,
                        cl_mem destination, ByteRange bytes);
// Fills all of these bytes of root buffers in the lane's domain.
struct Filling {
  cl_mem memory;
  std::vector<unsigned char> pattern;
  ByteRanges bytes;
};
Action::Work fill_all(Lane& lane, std::vector<Filling> fillings);
// Reads `ranges` of the command's source, valid in the lane's domain as `memory`, into the program's memory.
Action::Work read_elsewhere(Devices& devices, Lane& lane, const ReadCommand& command, cl_mem memory,
                            ByteRanges ranges);
Action::Work transfer(Devices& devices, Storage& storage, const Lane& from, cl_mem from_memory, Lane& to,
                      cl_mem to_memory, ByteRanges ranges);
// Over when what the lane was given before is.
Action::Work marker_behind(Lane& lane);
// Over when this marker, in a queue of the program's, is.
using NativeEnd = std::shared_ptr<const vendor::Owned<cl_event>>;
Action::Work end_of_native(NativeEnd marker);

// Copies now, blocking, through the transfer lanes' queues. Offsets are the same on both sides. What a
// helper's memory does not take, the storage's stand-in keeps. `begun`, of a copy that failed: something may
// have been overwritten.
cl_int copy_between(Devices& devices, Storage& storage, const Lane& from, cl_mem from_memory, const Lane& to,
                    cl_mem to_memory, const ByteRanges& ranges, bool& begun);

// The clock of a queue's device minus the host's, in nanoseconds, as well as could be measured.
struct ClockOffset {
  int64_t between = 0, error = 0;  // 0 and 0: not known
  bool may_equal(const ClockOffset& other) const;
};
ClockOffset device_clock_offset(const vendor::OwnQueue& own);

}  // namespace mkmd
