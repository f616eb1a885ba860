// SPDX-License-Identifier: Apache-2.0
// Ordered: what a RegionMap knows of whoever reads and writes bytes. The execution floor's actions are such.
// All that one map meets are of one kind.
#pragma once

#include "libinterpose/objects/object.hpp"

namespace mkmd {

class Ordered {
public:
  // It will touch no byte any more.
  virtual bool complete() const = 0;
  // Both are parts of one command: they do not wait for each other.
  virtual bool same_owner(const Ordered& other) const = 0;
  // It may not begin before `other` is complete, of whose bytes it needs some.
  virtual void wait_for(Ordered& other) = 0;

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

protected:
  virtual ~Ordered() = default;

private:
  std::atomic<uint32_t> references_{0};
};

}  // namespace mkmd
