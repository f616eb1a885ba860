// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/code_for_pieces.hpp"

#include <algorithm>

namespace mkmd {

HasCode CodeForPieces::can_divide(SubKernels& code) {
  const HasCode has = can_be_divided(code, places_);
  if (has != HasCode::not_yet || !must_wait(false)) return has;
  session_.code.make(code, places_);
  return can_be_divided(code, places_);
}

HasCode CodeForPieces::can_divide(SubKernels& code, const KernelModel& model, const LaunchCost& cost) {
  const HasCode has = can_be_divided(code, places_);
  if (has != HasCode::not_yet) return has;
  std::vector<double> seconds;
  for (size_t d = 0; d < session_.configuration.devices.size(); ++d)
    seconds.push_back(std::max(estimates_.times().seconds(model, cost, static_cast<int>(d)), 1e-9));
  const double together = timing::seconds_together(seconds, session_.rival_teams());
  const double whole = estimates_.times().seconds(model, cost, session_.configuration.home_index());
  bool missed_much = false;
  {
    const Lock lock(code.mutex);
    code.whole += whole;
    code.missed += std::max(whole - together, 0.0);
    missed_much = code.missed > session_.code.seconds();
  }
  if (!must_wait(missed_much)) return has;
  session_.code.make(code, places_);
  return can_be_divided(code, places_);
}

bool CodeForPieces::must_wait(bool missed_much) const {
  if (session_.compilers.may_be_gone()) return false;
  return missed_much || session_.waits_for_code();
}

bool CodeForPieces::can_divide_on(SubKernels& code, int device) const {
  return has_piece_code(code, places_.of_device[device]) == HasCode::yes;
}

// Who has split it in an earlier run is to find the code when launches begin.
void CodeForPieces::expect(const std::shared_ptr<SubKernels>& code) {
  if (code->module.sources.empty()) return;
  if (session_.recall(content_of(*code)) && !session_.compilers.may_be_gone())
    session_.code.make_beside(code, places_, {});
}

void CodeForPieces::make_beside(const std::shared_ptr<SubKernels>& code) {
  if (!session_.compilers.may_be_gone()) session_.code.make_beside(code, places_, {});
}

// A program that is over by the time its launches have taken as long as making the code would is not the
// slower for it.
void CodeForPieces::ran_without(Kernel& kernel, const Queue& queue) {
  estimates_.times().note_run(estimates_.model_of(kernel), session_.configuration.home_index());
  if (session_.compilers.may_be_gone()) return;
  {
    SubKernels& code = *kernel.sub_kernels;
    const Lock lock(code.mutex);
    if (code.wanted || code.whole < session_.code.seconds()) return;
  }
  const cl_command_queue native = queue.native.get();
  const auto& table = vendor::table(native);
  cl_event marker = nullptr;
  if (table.clEnqueueMarkerWithWaitList(native, 0, nullptr, &marker) == CL_SUCCESS) table.clFlush(native);
  session_.code.make_beside(kernel.sub_kernels, places_, vendor::Owned<cl_event>(marker));
}

}  // namespace mkmd
