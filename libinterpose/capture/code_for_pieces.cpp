// SPDX-License-Identifier: Apache-2.0
// Which launches wait for the code for their pieces, and which ones run whole until it is there. Nobody knows
// how long a program goes on. So the code is made once launches have taken as long without it as making it
// takes, and waited for once they have missed as much: whatever comes then, it costs at most twice the least.
#include "libinterpose/capture/runtime.hpp"

#include <algorithm>

namespace mkmd {

HasCode Runtime::can_divide(SubKernels& code) {
  const HasCode has = can_be_divided(code, domains_.code_places());
  if (has != HasCode::not_yet || !must_wait(false)) return has;
  session_.code.make(code, domains_.code_places());
  return can_be_divided(code, domains_.code_places());
}

HasCode Runtime::can_divide(SubKernels& code, const KernelModel& model, const LaunchCost& cost) {
  const HasCode has = can_be_divided(code, domains_.code_places());
  if (has != HasCode::not_yet) return has;
  std::vector<double> seconds;
  for (size_t d = 0; d < configuration_.devices.size(); ++d)
    seconds.push_back(std::max(estimates_.times().seconds(model, cost, static_cast<int>(d)), 1e-9));
  const double together = timing::seconds_together(seconds, session_.rival_teams());
  const double whole = estimates_.times().seconds(model, cost, configuration_.home_index());
  bool missed_much = false;
  {
    const Lock lock(code.mutex);
    code.whole += whole;
    code.missed += std::max(whole - together, 0.0);
    missed_much = code.missed > session_.code.seconds();
  }
  if (!must_wait(missed_much)) return has;
  session_.code.make(code, domains_.code_places());
  return can_be_divided(code, domains_.code_places());
}

bool Runtime::must_wait(bool missed_much) const {
  if (session_.compilers.may_be_gone()) return false;
  return missed_much || session_.waits_for_code();
}

bool Runtime::can_divide_on(SubKernels& code, int device) const {
  return has_piece_code(code, executor_.compute()[device]->code) == HasCode::yes;
}

// Who has split it in an earlier run is to find the code when launches begin.
void Runtime::expect(const std::shared_ptr<SubKernels>& code) {
  if (code->module.sources.empty()) return;
  if (session_.recall(content_of(*code)) && !session_.compilers.may_be_gone())
    session_.code.make_beside(code, domains_.code_places(), {});
}

// A program that is over by the time its launches have taken as long as making the code would is not the
// slower for it.
void Runtime::ran_without_code(Kernel& kernel, const Queue& queue) {
  estimates_.times().note_run(estimates_.model_of(kernel), configuration_.home_index());
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
  session_.code.make_beside(kernel.sub_kernels, domains_.code_places(), vendor::Owned<cl_event>(marker));
}

}  // namespace mkmd
