// SPDX-License-Identifier: Apache-2.0
// Differences between what a launch is described to do and what its pieces do. They are named in the
// program's terms: the argument whose bytes differ, and the line of the source.
#pragma once

#include "libinterpose/memory/argument_uses.hpp"
#include "libinterpose/timing/launch_facts.hpp"
#include "libinterpose/verify/trials.hpp"

#include <string>
#include <vector>

namespace mkmd::verify {

struct Difference {
  enum class Kind {
    undescribed_read,   // the results depend on bytes that are not described as read
    undescribed_write,  // bytes changed that are not described as written
    missing_write,      // bytes did not change that are described as surely written
    other_result,       // the pieces' results are not those of the whole launch, poison or not
  };
  Kind kind = Kind::other_result;
  int argument = -1;  // whose bytes these are; -1: not known
  ByteRange bytes;    // from the argument's first byte
  int line = 0;       // of the program's source: of an access to the argument there, or near; 0: not known
  std::string device;
  compiler::GroupBox box;  // of the piece
  Poison poison = Poison::small;
};
const char* to_string(Difference::Kind kind);

// The launch that is described, and what its buffers held.
struct DescribedLaunch {
  const compiler::KernelInfo& info;
  const KernelArguments& arguments;
  const LaunchFacts& facts;
  const Buffers& buffers;

  compiler::GroupBox whole() const;
};

class Differences {
public:
  explicit Differences(const DescribedLaunch& launch) : launch_(launch) {}

  void note(Difference difference, size_t buffer, const ByteRanges& bytes);
  void note_of_several_buffers(Difference difference) { all_.push_back(std::move(difference)); }
  const std::vector<Difference>& all() const { return all_; }

private:
  int line_of(const Difference& difference) const;

  const DescribedLaunch& launch_;
  std::vector<Difference> all_;
};

}  // namespace mkmd::verify
