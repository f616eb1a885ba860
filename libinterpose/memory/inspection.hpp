// SPDX-License-Identifier: Apache-2.0
// Inspection: what the contents of a launch's index buffers have shown about the buffers that it writes. It
// speaks of one launch, of its arguments, and of the bytes that the index buffers had.
#pragma once

#include "compiler/owned_bytes.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace mkmd {

class Memory;

struct Inspection {
  uint64_t number = 0;           // no other's
  std::vector<Memory*> apart{};  // root buffers in which no two work-groups meet: neither writes what the
                                 // other touches
  // What each work-group writes there, in the same order, where memories are separate. Null where they are
  // not: that work-groups are apart is enough.
  std::shared_ptr<const std::vector<compiler::OwnedBytes>> owned{};

  // When the bytes were read. While these stay the same, nobody has been asked to write them since.
  uint64_t native_turns = 0;  // of the context
  struct Read {
    Memory* root = nullptr;
    uint64_t version = 0;  // of its storage
    bool operator==(const Read&) const = default;
  };
  std::vector<Read> read{};

  bool same_bytes(const Inspection& other) const {
    return native_turns == other.native_turns && read == other.read;
  }
};

}  // namespace mkmd
