// SPDX-License-Identifier: Apache-2.0
// What a buffer holds, read for ourselves and not for the program.
#pragma once

#include "libinterpose/objects/objects.hpp"
#include "libinterpose/vendor/own_queue.hpp"

#include <mutex>
#include <optional>
#include <vector>

namespace mkmd {

class ContentsReader {
public:
  explicit ContentsReader(const Context& context) : context_(context) {}

  // False: the program may write them without a call.
  static bool may_read(Memory& memory);
  // The bytes at home of a buffer or a part of one. None: they could not be read, or the program may write
  // them without a call. Whoever asks knows that nothing unfinished writes them. Thread-safe.
  std::optional<std::vector<unsigned char>> read(Memory& memory);

private:
  const Context& context_;
  std::once_flag opened_;
  vendor::OwnQueue queue_;
};

}  // namespace mkmd
