// SPDX-License-Identifier: Apache-2.0
// What a buffer holds, read for ourselves and not for the program.
#pragma once

#include "libinterpose/objects/objects.hpp"
#include "libinterpose/vendor/own_queue.hpp"

#include <mutex>
#include <optional>
#include <vector>

namespace mkmd {

// Whether the program may write the buffer at any time: it was made over bytes of the program's, or is
// mapped.
bool is_open_to_host(Memory& memory);

class ContentsReader {
public:
  ContentsReader(const Context& context, cl_device_id home) : context_(context), home_(home) {}

  // False: the program may write them without a call.
  static bool may_read(Memory& memory);
  // The bytes at home of a buffer or a part of one. None: they could not be read by `deadline`, in seconds of
  // the host's clock, or the program may write them without a call. Whoever asks knows whether somebody has
  // written them meanwhile. Thread-safe.
  std::optional<std::vector<unsigned char>> read(Memory& memory, double deadline);

private:
  const Context& context_;
  const cl_device_id home_;
  std::once_flag opened_;
  vendor::OwnQueue queue_;
};

}  // namespace mkmd
