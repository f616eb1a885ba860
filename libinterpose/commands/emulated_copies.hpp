// SPDX-License-Identifier: Apache-2.0
// Copies on an emulated machine. The real device is a CPU's, whose buffers lie in the process's own memory:
// its driver says where when a buffer is mapped, and they stay there. Copied by our threads, bytes do not
// wait until the driver's workers are done with somebody's kernel, which a real machine's copy engines would
// not do either.
#pragma once

#include "libinterpose/execution/action.hpp"

#include "common/byte_ranges.hpp"

namespace mkmd {

struct ReadCommand;
struct WriteCommand;
struct CopyCommand;
struct FillCommand;

class Memory;
class Storage;
namespace emulation {
class Machine;
}

// Where the bytes of a root buffer lie in `domain`, or null if its device is no CPU's. The first time it
// waits for the device; the emulated clock stands meanwhile. `memory` is the vendor object there, `queue` any
// queue of its context.
char* bytes_in_process(emulation::Machine& machine, Storage& storage, int domain, cl_mem memory,
                       cl_command_queue queue);

// As transfer(), read_elsewhere(), read_at_home(), write_at_home(), fill_bytes() and copy_bytes() of
// submit.hpp, with those as what to do where the above gives null, or
// nothing is emulated (`machine` is null).
Action::Work emulated_transfer_work(emulation::Machine* machine, Storage& storage, const Lane& from,
                                    cl_mem from_memory, Lane& to, cl_mem to_memory, const ByteRanges& ranges,
                                    Action::Work otherwise);
Action::Work emulated_read_work(emulation::Machine* machine, Storage& storage, Lane& lane, cl_mem memory,
                                const ReadCommand& command, const ByteRanges& ranges, Action::Work otherwise);
Action::Work emulated_write_work(emulation::Machine* machine, Storage& storage, Lane& lane, cl_mem memory,
                                 const WriteCommand& command, Action::Work otherwise);
Action::Work emulated_fill_work(emulation::Machine* machine, Lane& lane, const FillCommand& command,
                                cl_mem destination, ByteRange bytes, Action::Work otherwise);
Action::Work emulated_copy_work(emulation::Machine* machine, Lane& lane, const CopyCommand& command,
                                cl_mem source, cl_mem destination, ByteRange bytes, Action::Work otherwise);

}  // namespace mkmd
