// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/code_for_pieces.hpp"

#include "common/host_clock.hpp"

#include <algorithm>
#include <limits>

namespace mkmd {

namespace {

// An emulated home computes on no core.
bool computes_on_all_cores(const Session& session) {
  const Configuration& p = session.configuration;
  return session.kind.times_native_commands() && vendor::is_host_cpu(p.home.id) &&
         vendor::device_value<cl_uint>(p.home.id, CL_DEVICE_MAX_COMPUTE_UNITS) >= p.cores;
}

}  // namespace

CodeForPieces::CodeForPieces(Session& session, Estimates& estimates, const CodePlaces& places)
    : session_(session), estimates_(estimates), places_(places), teams_(session.rival_teams()),
      on_homes_cores_(computes_on_all_cores(session)) {}

HasCode CodeForPieces::can_divide(SubKernels& code) {
  const HasCode has = can_be_divided(code, places_);
  if (has != HasCode::not_yet || session_.compilers.may_be_gone() || !session_.waits_for_code()) return has;
  session_.code.make(code, places_);
  return can_be_divided(code, places_);
}

HasCode CodeForPieces::can_divide(SubKernels& code, KernelModel& model, const LaunchCost& cost) {
  const HasCode has = can_divide(code);
  if (has != HasCode::not_yet) return has;
  note_without(code, model, cost);
  if (session_.compilers.may_be_gone() || when_to_make(code) != timing::MakeCode::now) return has;
  session_.code.make(code, places_);
  return can_be_divided(code, places_);
}

// Whether a rival of home for the same cores is quicker, is not known before it was measured.
void CodeForPieces::note_without(SubKernels& code, KernelModel& model, const LaunchCost& cost) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const TimeModel& times = estimates_.times();
  const int home = session_.configuration.home_index();
  const double whole = times.seconds(model, cost, home);
  std::vector<double> all, sure, measured;
  for (int d = 0; d < static_cast<int>(session_.configuration.devices.size()); ++d) {
    const double seconds = std::max(times.seconds(model, cost, d), 1e-9);
    const bool known = times.knows(model, d);
    const bool is_rival = !teams_.empty() && teams_[d] > 0 && teams_[d] != teams_.front();
    all.push_back(seconds);
    sure.push_back(known || !is_rival ? seconds : kNever);
    measured.push_back(known ? seconds : kNever);
  }
  const auto saved = [&](const std::vector<double>& seconds) {
    return std::max(whole - timing::seconds_together(seconds, teams_), 0.0);
  };
  if (times.knows(model, home)) model.gain += saved(measured);
  const Lock lock(code.mutex);
  SubKernels::Without& without = code.without;
  if (without.whole <= 0) without.since = host_seconds();
  without.whole += whole;
  without.missed += saved(all);
  without.surely += saved(sure);
}

timing::MakeCode CodeForPieces::when_to_make(SubKernels& code) {
  const double now = host_seconds();
  timing::WithoutCode without;
  {
    const Lock lock(code.mutex);
    without = {code.without.whole, code.without.missed, code.without.surely, now - code.without.since};
  }
  const std::lock_guard turn(session_.profitability_turn);
  return timing::when_to_make(without, {session_.code.seconds(), on_homes_cores_}, session_.regret, now);
}

bool CodeForPieces::can_divide_on(SubKernels& code, int device) const {
  return has_piece_code(code, places_.of_device[device]) == HasCode::yes;
}

void CodeForPieces::expect(SubKernels& code) {
  if (code.recalled.load(std::memory_order_relaxed) || code.recalled.exchange(true)) return;
  if (code.module.sources.empty()) return;
  if (session_.recall(content_of(code)) && !session_.compilers.may_be_gone())
    session_.code.make(code, places_);
}

void CodeForPieces::make_beside(const std::shared_ptr<SubKernels>& code) {
  if (on_homes_cores_ || session_.compilers.may_be_gone()) return;
  if (when_to_make(*code) == timing::MakeCode::beside) session_.code.make_beside(code, places_, {});
}

// A program that is over by the time its launches have taken as long as making the code would is not the
// slower for it.
void CodeForPieces::ran_without(Kernel& kernel, const Queue& queue) {
  estimates_.times().note_run(estimates_.model_of(kernel), session_.configuration.home_index());
  if (on_homes_cores_ || session_.compilers.may_be_gone()) return;
  {
    SubKernels& code = *kernel.sub_kernels();
    const Lock lock(code.mutex);
    if (code.wanted) return;
  }
  if (when_to_make(*kernel.sub_kernels()) != timing::MakeCode::beside) return;
  const cl_command_queue native = queue.native.get();
  const auto& table = vendor::table(native);
  cl_event marker = nullptr;
  if (table.clEnqueueMarkerWithWaitList(native, 0, nullptr, &marker) == CL_SUCCESS) table.clFlush(native);
  session_.code.make_beside(kernel.sub_kernels(), places_, vendor::Owned<cl_event>(marker));
}

}  // namespace mkmd
