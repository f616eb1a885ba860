// SPDX-License-Identifier: Apache-2.0
// What a person who watches `mkmd profile` sees: one line on a terminal, rewritten in place. Elsewhere
// nothing; the command itself says at the end what was measured.
#pragma once

#include "libinterpose/objects/object.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace mkmd {

class ProfileProgress {
public:
  ProfileProgress();
  void begin(const std::string& kernel, const std::array<uint64_t, 3>& global, int runs);
  void device(const std::string& name);
  void step();
  void skip(int runs) { total_ -= runs; }
  void end();

private:
  void show();

  const bool terminal_;
  std::string what_, device_;
  int total_ = 0, done_ = 0;
  cl_ulong began_ = 0, shown_ = 0;
};

}  // namespace mkmd
