// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/profiling/rehearsal.hpp"

#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/commands/submit.hpp"

namespace mkmd {

Rehearsal::Rehearsal(Runtime& runtime, const KernelLaunch& launch, size_t slack)
    : runtime_(runtime), command_{launch}, scratch_(runtime.session().configuration.devices, slack),
      has_pieces_(launch.kernel->info()->split_allowed &&
                  runtime.code().can_divide(*launch.kernel->sub_kernels()) == HasCode::yes) {}

void Rehearsal::finish_native() {
  runtime_.native_work().finish();
}

Status Rehearsal::copy(const std::vector<Scratch::Place>& places) {
  return scratch_.copy(places, runtime_.executor().lanes().home().queue.get(), command_.launch);
}

std::vector<Scratch::Place> Rehearsal::place_per_domain() const {
  std::vector<Scratch::Place> places;
  const Domains& domains = runtime_.domains();
  for (size_t d = 0; d < domains.count(); ++d) {
    const auto first = static_cast<size_t>(domains[d].devices.front());
    places.push_back({domains[d].context, runtime_.session().configuration.devices[first].id});
  }
  return places;
}

Scratch::Place Rehearsal::place_of(int lane) const {
  return {runtime_.executor().lanes().compute()[lane]->native_context,
          runtime_.session().configuration.lane_device(static_cast<size_t>(lane)).id};
}

vendor::Owned<cl_event> Rehearsal::start(int lane, const compiler::GroupBox& box, size_t set, bool boxed,
                                         cl_int& status) {
  Action::Outcome outcome = kernel_piece(*runtime_.executor().lanes().compute()[lane], command_, box,
                                         scratch_.memories(set), boxed)({});
  status = outcome.status;
  if (status == CL_SUCCESS) vendor::table(queue(lane)).clFlush(queue(lane));
  return std::move(outcome.event);
}

cl_command_queue Rehearsal::queue(int lane) const {
  return runtime_.executor().lanes().compute()[lane]->queue.get();
}

}  // namespace mkmd
