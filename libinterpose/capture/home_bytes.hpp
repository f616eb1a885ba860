// SPDX-License-Identifier: Apache-2.0
// Bytes that native commands touch: home's driver finds them valid in home's memory, and those that it writes
// are valid nowhere else. What lies elsewhere is copied before.
#pragma once

#include "libinterpose/capture/domains.hpp"
#include "libinterpose/capture/losses.hpp"
#include "libinterpose/memory/storage.hpp"

#include <optional>
#include <span>

namespace mkmd {

// What a command does with a memory object it names.
struct Touched {
  Memory* memory;
  bool written;
  struct Bytes {
    size_t offset, size;
  };
  std::optional<Bytes> only = std::nullopt;  // none: any byte of the object
};

class HomeBytes {
public:
  // `losses`: null where no device can fail.
  HomeBytes(const Context& context, Session& session, const Domains& domains, Executor& executor,
            Losses* losses)
      : context_(context), session_(session), domains_(domains), executor_(executor), losses_(losses) {}

  bool are_valid(const Touched& bytes) EXCLUDES(executor_.mutex());  // all of them
  static bool are_remembered(const Touched& bytes);                  // deeds of the journal have changed them
  // Nothing is captured meanwhile. An error if bytes were lost with a device.
  cl_int make_valid(std::span<const Touched> touched) EXCLUDES(executor_.mutex());

private:
  cl_int bring(const Touched& bytes) EXCLUDES(executor_.mutex());
  cl_int copy(Memory& root, const RegionMap::Source& source, bool& begun) EXCLUDES(executor_.mutex());
  void note_places(Storage& storage) const REQUIRES(executor_.mutex());  // for the fast path
  void note_written(const Touched& bytes, bool was_home_only) EXCLUDES(executor_.mutex());

  const Context& context_;
  Session& session_;
  const Domains& domains_;
  Executor& executor_;
  Losses* const losses_ PT_GUARDED_BY(executor_.mutex());
  bool copying_ GUARDED_BY(executor_.mutex()) = false;  // a thread copies
};

}  // namespace mkmd
