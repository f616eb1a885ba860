// SPDX-License-Identifier: Apache-2.0
// Which launches wait for the code for their pieces, and which ones run whole until it is there
// (timing/code_worth.hpp).
#pragma once

#include "libinterpose/capture/estimates.hpp"
#include "libinterpose/commands/code_places.hpp"
#include "libinterpose/commands/piece_code.hpp"
#include "libinterpose/timing/code_worth.hpp"

#include <memory>

namespace mkmd {

class CodeForPieces {
public:
  // `places`: where the context's devices build code. Asked for only when they are known.
  CodeForPieces(Session& session, Estimates& estimates, const CodePlaces& places);

  // Among the devices. Makes the code first where launches wait for it in any case.
  HasCode can_divide(SubKernels& code);
  // The same for a launch. It waits, too, once making the code is worth that.
  HasCode can_divide(SubKernels& code, KernelModel& model, const LaunchCost& cost);
  bool can_divide_on(SubKernels& code, int device) const;  // the device may get pieces

  // A program has been analysed. The first call takes up what earlier runs have learned of it. The caller
  // waits for code that is expected to gain more than making it takes, as for the program's own code.
  void expect(SubKernels& code);
  // A window runs without the code. The code is made beside the program, if that is worth it.
  void make_beside(const std::shared_ptr<SubKernels>& code);
  // The same of a launch that is on home's queue, and is to be over first.
  void ran_without(Kernel& kernel, const Queue& queue);

private:
  void note_without(SubKernels& code, KernelModel& model, const LaunchCost& cost);
  timing::MakeCode when_to_make(SubKernels& code);

  Session& session_;
  Estimates& estimates_;
  const CodePlaces& places_;
  const std::vector<int> teams_;  // see timing::Rivalry
  const bool on_homes_cores_;     // compilers run on cores that home may need
};

}  // namespace mkmd
