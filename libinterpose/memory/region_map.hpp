// SPDX-License-Identifier: Apache-2.0
// RegionMap: what is known about each byte of one thing (a root buffer, or the program's host memory). Per
// memory domain: whether the byte is valid there, which actions wrote it last, and which have read it since.
// From this come the order between actions (read after write, write after read, write after write) and the
// transfers. Not thread-safe: the executor's mutex guards it.
#pragma once

#include "common/byte_partition.hpp"
#include "libinterpose/memory/ordered.hpp"
#include "libinterpose/memory/residency.hpp"

#include <vector>

namespace mkmd {

class RegionMap final : public Residency {
public:
  // Every byte is valid in domain 0 only, no action known. Once readers have cut the bytes of a domain into
  // `most_parts`, they do so no more, and writers wait for readers of bytes beside theirs.
  // `of_home`: the domains in which the bytes are those of domain 0, one bit each. They count as domain 0.
  RegionMap(uint64_t size, int domains, uint32_t of_home = 0, size_t most_parts = 32);

  // Orders `action`, which runs in `domain`, after what it must wait for. Actions of one command do not wait
  // for each other: the planner has shown them independent.
  void order_read(int domain, const ByteRanges& ranges, Ordered& action);
  void order_write(int domain, const ByteRanges& ranges, Ordered& action);
  // Records it for what comes later. The ranges of one command's actions may overlap here (hulls), so all of
  // them must be ordered before the first is recorded.
  void record_read(int domain, const ByteRanges& ranges, Ordered& action);
  void record_write(int domain, const ByteRanges& ranges, Ordered& action);
  // Both, for an action that is alone.
  void read(int domain, const ByteRanges& ranges, Ordered& action);
  void write(int domain, const ByteRanges& ranges, Ordered& action);

  // The part of `ranges` that is not valid in `domain`.
  ByteRanges missing(int domain, const ByteRanges& ranges) const;
  // Where missing bytes can be had, lowest domain first: each byte is named once.
  struct Source {
    int domain;
    ByteRanges ranges;
  };
  std::vector<Source> sources(const ByteRanges& missing) const;
  ByteRanges valid(int domain) const override;
  bool all_valid(int domain) const;
  bool any_valid(int domain) const;
  bool suits(const ByteRanges& ranges) const override;
  bool is_home(int domain) const override { return place_of(domain) == 0; }
  // In all domains: then nothing is ever to be brought anywhere.
  bool is_all_home() const;

  void add_valid(int domain, const ByteRanges& ranges);
  void set_only_valid(int domain, const ByteRanges& ranges);
  void remove_valid(int domain, const ByteRanges& ranges);  // lost there
  void set_invalid(const ByteRanges& ranges);               // to be had nowhere
  ByteRanges nowhere(const ByteRanges& ranges) const;       // those of the bytes that are not

  // Forgets the actions, all of which must be complete.
  void forget_actions();

private:
  struct Users {
    std::vector<Ref<Ordered>> writers;  // the last
    std::vector<Ref<Ordered>> readers;  // since
    bool operator==(const Users&) const = default;
    void add_reader(Ordered& action);
  };
  // Of one domain, which may never be without an action: complete ones are looked for each time there are
  // twice as many parts.
  struct Known {
    BytePartition<Users> users;
    size_t parts_at_most = kFewParts;
    void forget_complete();
  };
  static constexpr size_t kFewParts = 16;

  int place_of(int domain) const { return (of_home_ >> domain & 1u) != 0 ? 0 : domain; }
  Known& known(int domain) { return known_[place_of(domain)]; }

  uint32_t of_home_;
  size_t most_parts_;
  BytePartition<uint32_t> valid_;  // bit d: valid in domain d
  std::vector<Known> known_;       // by domain; that of domain 0 for all that count as it
};

}  // namespace mkmd
