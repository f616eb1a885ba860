// SPDX-License-Identifier: Apache-2.0
// The Journal: what was done to the buffers, in the program's order, and which command's bytes lie in which
// memory. From it follows what has to be done again when a memory is lost with its device. Kept only where
// devices can fail. Knows no OpenCL; not thread-safe: the executor's mutex guards it.
#pragma once

#include "common/byte_partition.hpp"
#include "libinterpose/memory/stand_in.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace mkmd {

// For each byte of a buffer, the sequence number of the command that wrote it.
class Versions {
public:
  static constexpr uint64_t kNone = UINT64_MAX;  // nothing to be had: never there, lost, or half written
  static constexpr uint64_t kOriginal = UINT64_MAX - 1;  // as the buffer was made

  Versions(uint64_t size, uint64_t version) : bytes_(size, version) {}
  void set(const ByteRanges& ranges, uint64_t version);
  void copy(const ByteRanges& ranges, const Versions& from);
  ByteRanges having(uint64_t version, const ByteRanges& among) const;
  ByteRanges like(const Versions& other, const ByteRanges& among) const;  // of equal version, not kNone
  ByteRanges all() const { return bytes_.all(); }

private:
  BytePartition<uint64_t> bytes_;
};

struct History {  // of one root buffer
  // `of_home`: the domains that use home's own bytes (RegionMap). What is done there, lies at home.
  History(uint64_t size, int domains, uint32_t of_home = 0);
  ByteRanges all() const { return before.all(); }
  Versions& held_in(int domain) { return held[(of_home >> domain & 1u) != 0 ? 0 : domain]; }
  void forget();  // no deed names it any more

  const uint32_t of_home;
  Versions before;             // as the first deed of the journal found it
  std::vector<Versions> held;  // by memory domain: what lies there
  // Nothing can compute those bytes again. So the host keeps them before they are overwritten at home, where
  // deeds of the journal need them. `fresh`: home has them still, after what is planned; `used`: needed.
  StandIn originals;
  ByteRanges fresh, used;
  std::atomic<uint32_t> deeds{0};  // of the journal, that name it; read without the mutex, too
};

// A part of a command that is executed as one: a piece of a kernel, a copy, a read.
struct Deed {
  virtual ~Deed() = default;
  struct Use {
    History* buffer;
    ByteRanges needed, writes;
  };
  uint64_t sequence = 0;  // the command's
  std::vector<Use> uses;
  bool complete = false;
  bool together = false;    // with all of the command's other parts, or not at all
  bool repeatable = false;  // also when it is complete; what is not complete can always be started again
};

class Journal {
public:
  using Deeds = std::vector<std::shared_ptr<Deed>>;

  void add(std::shared_ptr<Deed> deed);
  void complete(Deed& deed, int domain);  // what it wrote lies there
  void fail(Deed& deed);                  // what it should have written stays missing
  void remove(const Deeds& deeds);        // what they wrote is not needed any more
  // They are to be done again. They stay, incomplete, until what replaces them is added.
  void reopen(const Deeds& deeds);
  // Lets go of the incomplete deeds of that command, which others replace.
  Deeds take_incomplete(uint64_t sequence);
  // Lets go of the oldest complete deeds beyond `limit`; the caller drops them where it holds no lock.
  Deeds trim(size_t limit);

  const Deeds& deeds() const { return deeds_; }  // in the program's order

  // The deeds to do (again) after a loss, in order: incomplete ones, and those that they need. As far as
  // possible, also those that last wrote bytes which no memory has. Null if an incomplete deed needs bytes
  // that are neither held nor can be computed again.
  std::optional<Deeds> to_redo() const;

  // Incomplete deeds that can never be done: bytes that they need are neither held nor can be computed again.
  Deeds hopeless() const;

  // Bytes that the host has kept, and that no memory has. Incomplete deeds need them as the first deed found
  // them.
  ByteRanges to_restore(const History& buffer) const;

  void begin_anew(History& buffer) const;  // `fresh` and `used`, when nothing is under way

  // What a buffer holds before incomplete deeds are done: by domain, the bytes that are up to date there.
  std::vector<ByteRanges> valid(const History& buffer) const;

private:
  using Chosen = std::vector<bool>;  // by index in deeds_
  static void leave(const Deed& deed);
  Versions current(const History& buffer) const;  // when incomplete deeds are yet to be done
  bool choose_others(size_t of, Chosen& chosen, bool& changed) const;
  bool choose_later_writers(size_t of, Chosen& chosen, bool& changed) const;
  bool close(Chosen& chosen) const;
  bool choose_inputs(size_t of, Chosen& chosen, bool& changed) const;
  bool may_choose(size_t of) const { return deeds_[of]->repeatable || !deeds_[of]->complete; }

  Deeds deeds_;
};

}  // namespace mkmd
