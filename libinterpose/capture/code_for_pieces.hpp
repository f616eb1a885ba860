// SPDX-License-Identifier: Apache-2.0
// Which launches wait for the code for their pieces, and which ones run whole until it is there. Nobody knows
// how long a program goes on. So the code is made once launches have taken as long without it as making it
// takes, and waited for once they have missed as much: whatever comes then, it costs at most twice the least.
#pragma once

#include "libinterpose/capture/estimates.hpp"
#include "libinterpose/commands/code_places.hpp"
#include "libinterpose/commands/piece_code.hpp"

#include <memory>

namespace mkmd {

class CodeForPieces {
public:
  // `places`: where the context's devices build code. Asked for only when they are known.
  CodeForPieces(Session& session, Estimates& estimates, const CodePlaces& places)
      : session_(session), estimates_(estimates), places_(places) {}

  // Among the devices. Makes the code first where launches wait for it.
  HasCode can_divide(SubKernels& code);
  // The same for a launch. It waits, too, once launches have missed more without the code than making it
  // takes.
  HasCode can_divide(SubKernels& code, const KernelModel& model, const LaunchCost& cost);
  bool can_divide_on(SubKernels& code, int device) const;  // this one may have pieces

  // A program was built. What earlier runs have learned of it is taken up.
  void expect(const std::shared_ptr<SubKernels>& code);
  // A window does without.
  void make_beside(const std::shared_ptr<SubKernels>& code);
  // A launch that did without is on home's queue.
  void ran_without(Kernel& kernel, const Queue& queue);

private:
  bool must_wait(bool missed_much) const;

  Session& session_;
  Estimates& estimates_;
  const CodePlaces& places_;
};

}  // namespace mkmd
