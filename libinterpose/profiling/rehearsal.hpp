// SPDX-License-Identifier: Apache-2.0
// The rehearsal of a launch, for `mkmd profile` and `mkmd verify`. The program's launches run at home. Before
// a launch runs, its rehearsals run on copies of its buffers, whole or in pieces. They go to the lanes'
// queues directly. Nothing is captured meanwhile.
#pragma once

#include "libinterpose/profiling/scratch.hpp"

namespace mkmd {

class Runtime;

class Rehearsal {
public:
  Rehearsal(Runtime& runtime, const KernelLaunch& launch, size_t slack = 0);

  void finish_native();  // what the program has enqueued before
  // Copies the buffers as they are now, a set for each place.
  Status copy(const std::vector<Scratch::Place>& places);
  std::vector<Scratch::Place> place_per_domain() const;
  Scratch::Place place_of(int lane) const;

  // Starts a piece on a lane: as a sub-kernel if `boxed`, otherwise the whole launch as the program wrote it.
  // On a threaded lane it is over when this returns.
  vendor::Owned<cl_event> start(int lane, const compiler::GroupBox& box, size_t set, bool boxed,
                                cl_int& status);
  cl_command_queue queue(int lane) const;

  KernelCommand& command() { return command_; }
  Scratch& scratch() { return scratch_; }
  // Devices have code for its pieces, and may split it as far as its code is concerned.
  bool has_pieces() const { return has_pieces_; }

private:
  Runtime& runtime_;
  KernelCommand command_;
  Scratch scratch_;
  const bool has_pieces_;
};

}  // namespace mkmd
