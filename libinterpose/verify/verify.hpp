// SPDX-License-Identifier: Apache-2.0
// Verifying mode (MKMD_VERIFY, `mkmd verify`). Before a launch that may be split runs at home as the
// program asked, pieces of it run on copies of its buffers. What they do is compared with what the compiler
// says of them (description_check.hpp). The program's data and results are untouched.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/setup/configuration.hpp"

namespace mkmd {

class Runtime;

namespace verify {

// One per process that is verified. Thread-safe.
class Verifier {
public:
  explicit Verifier(const Configuration& configuration);
  ~Verifier();

  // On the program's thread, without any lock held. Checks the launch if one of its kernel and shape is due
  // and affordable, or if all are to be checked.
  void check(Runtime& runtime, const KernelLaunch& launch);
  // The launch cannot be split, whatever it does.
  void note_unverified(const Kernel& kernel, const std::string& why);

  void write_verdict();  // at exit

private:
  friend class LaunchVerifier;
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace verify

}  // namespace mkmd
