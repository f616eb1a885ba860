// SPDX-License-Identifier: Apache-2.0
// Where the bytes of one buffer are valid.
#pragma once

#include "common/byte_ranges.hpp"

namespace mkmd {

class Residency {
public:
  virtual ByteRanges valid(int domain) const = 0;
  // Whether what happens to these bytes can be kept apart from what is known: rows of another length would be
  // cut apart into single ones.
  virtual bool suits(const ByteRanges& ranges) const = 0;
  // The domain's devices work in the very bytes that home's do: what is valid at home is valid there.
  virtual bool is_home(int domain) const { return domain == 0; }

protected:
  ~Residency() = default;
};

}  // namespace mkmd
