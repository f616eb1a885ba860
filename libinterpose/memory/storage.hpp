// SPDX-License-Identifier: Apache-2.0
// Storage: the real memory behind one root buffer or image, one vendor object per memory domain, made when a
// domain first needs it (Rule 6: storage is separate from the memory object). The home's is the memory
// object's own.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/memory/journal.hpp"
#include "libinterpose/memory/region_map.hpp"
#include "libinterpose/memory/stand_in.hpp"
#include "libinterpose/objects/objects.hpp"

#include <vector>

namespace mkmd {

namespace emulation {
class Machine;
}

class Storage {
public:
  // `machine`: whose memories may be full; null: nothing is emulated. `with_history`: memories may be lost.
  Storage(Memory& memory, int domains, emulation::Machine* machine, bool with_history);
  ~Storage();

  // The vendor object for bytes [origin, origin+size) in `domain`, or null if it cannot be had there.
  // `domain_context` is the vendor context of the domain. Called with the executor's mutex held, though it
  // calls the driver: actions are ordered by the bytes' place in that object, and whether there is room
  // decides the place.
  cl_mem in_domain(Memory& memory, int domain, cl_context domain_context);

  // The root's bytes in `domain`, which the host may touch without a command; null: it may not, or there are
  // none.
  char* host_bytes(int domain) const { return host_bytes_[domain]; }

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

  // On an emulated machine: where its bytes lie, by domain (commands/emulated_copies.hpp).
  Mutex bytes_mutex;
  std::vector<char*> bytes GUARDED_BY(bytes_mutex);

private:
  vendor::Owned<cl_mem> make_in(int domain, cl_context domain_context);

  Memory& root_;
  emulation::Machine* const machine_;
  std::vector<vendor::Owned<cl_mem>> roots_;  // by domain; [0] unused
  std::vector<char*> host_bytes_;             // by domain
};

}  // namespace mkmd
