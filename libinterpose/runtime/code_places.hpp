// SPDX-License-Identifier: Apache-2.0
// Where sub-kernels are built. Lanes of one place run the same program; some drivers can have only so many of
// them run it at the same time (vendor::queues_of_a_program).
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <string>
#include <vector>

namespace mkmd {

class Lane;

struct CodePlace {
  cl_context context = nullptr;
  std::string options;  // what tells this copy of the code from others, to the driver

  bool operator==(const CodePlace&) const = default;
};

// A number that no other living object has, the lowest there is: what drivers keep on disk for the copies of
// one run is found by the next.
class LiveNumber {
public:
  LiveNumber();
  ~LiveNumber();
  LiveNumber(const LiveNumber&) = delete;
  LiveNumber& operator=(const LiveNumber&) = delete;

  size_t value() const { return value_; }

private:
  size_t value_;
};

// Gives each of a runtime's lanes that compute its place. `home` is the whole of other lanes' devices, or
// null: they do not run while it does. Copies are the process's, since drivers do not tell contexts apart
// either.
std::vector<CodePlace> place_code(const std::vector<Lane*>& lanes, const Lane* home, size_t runtime);

}  // namespace mkmd
