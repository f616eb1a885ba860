// SPDX-License-Identifier: Apache-2.0
// Storage: the real memory behind one root buffer or image (Rule 6: storage is separate from the memory
// object). It has one vendor object per memory domain, made when a domain first needs it. Home's is the
// memory object's own.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/memory/journal.hpp"
#include "libinterpose/memory/region_map.hpp"
#include "libinterpose/memory/stand_in.hpp"
#include "libinterpose/objects/objects.hpp"

#include <vector>

namespace mkmd {

class Hardware;

// Whether the context's devices work in memory of ours, so that another driver's may work there, too.
bool works_in_host_bytes(cl_context context);

// This class has more than 15 fields: what several floors know of the bytes of one object.
class Storage {
public:
  // `of_home`: the domains that use home's own bytes (RegionMap). `with_history`: memories may be lost.
  Storage(Memory& memory, int domains, uint32_t of_home, Hardware& hardware, bool with_history);
  ~Storage();

  // The vendor object for bytes [origin, origin+size) in `domain`, or null if it cannot be had there.
  // `domain_context` is the vendor context of the domain. Called with the executor's mutex held, although it
  // calls the driver. Actions are ordered by the bytes' place in that object, and the place depends on
  // whether there is room.
  cl_mem in_domain(Memory& memory, int domain, cl_context domain_context);

  // The root's bytes in `domain`, which the host may touch without a command; null: it may not, or there are
  // none.
  char* host_bytes(int domain) const { return host_bytes_[domain]; }

  // Home's bytes, if those of another domain are the same: no driver is needed to get at them. Else null.
  char* bytes_of_home(int domain) const {
    return domain != 0 && regions.is_home(domain) ? host_bytes_[0] : nullptr;
  }

  // Null: it is a buffer.
  const ImageShape* image() const { return root_.is_buffer ? nullptr : &root_.image; }

  // Whether in_domain() would have to allocate there.
  bool is_new_in(int domain) const { return domain != 0 && !roots_[domain]; }

  RegionMap regions;
  StandIn stand_in;
  std::unique_ptr<History> history;  // null where no device can fail
  uint32_t lost = 0;                 // the domains whose loss `regions` and `history` know of, one bit each
  // What the native fast path needs to know, without a lock: every byte is valid at home, and nowhere else.
  // False once captured commands may have changed that, until the next native command has looked.
  std::atomic<bool> at_home{true};
  std::atomic<bool> home_only{true};
  std::vector<int> devices_without;  // whose drivers have no such image
  uint64_t number = 0;               // among the process's buffers, given when first planned for; 0: not yet
  uint64_t epoch = 0;                // the runtime's, in which `regions` has last met an action
  // Another one with each captured command that may write it, and no other storage's. The executor's mutex
  // guards it.
  uint64_t version = next_version();
  static uint64_t next_version();

  // Where else the devices have found its bytes in the process's own memory, by domain.
  Mutex mapped_mutex;
  std::vector<char*> mapped GUARDED_BY(mapped_mutex);

private:
  vendor::Owned<cl_mem> make_in(int domain, cl_context domain_context);

  Memory& root_;
  Hardware& hardware_;
  std::vector<vendor::Owned<cl_mem>> roots_;  // by domain; [0] unused
  std::vector<char*> host_bytes_;             // by domain
};

}  // namespace mkmd
