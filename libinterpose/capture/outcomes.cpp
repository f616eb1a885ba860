// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/outcomes.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/capture/at_exit.hpp"
#include "libinterpose/capture/trace_plan.hpp"

#include <algorithm>

namespace mkmd {

namespace {

void trace_memory(Trace& trace, const Action& action) {
  trace.add_later([command = command_of(action).number, device = action.lane->device,
                   start = action.times.started, end = action.times.ended]() -> nlohmann::json {
    return {{"memory", {{"command", command}, {"device", device}, {"start", start}, {"end", end}}}};
  });
}

// Into the program's memory.
bool is_read(const Action& action) {
  return action.origin.owner && command_of(action).kind() == Command::Kind::read;
}

// Where the memories are several, the plan says how long home would take for fills and copies.
timing::Window::Kind timing_kind(const Action& action, bool separate_memories) {
  if (action.piece.device >= 0) return timing::Window::Kind::kernel;
  const Command& command = command_of(action);
  // Home merges nothing.
  const bool placed = separate_memories && (command.can_be_made_anywhere() || command.kernel() != nullptr);
  return placed ? timing::Window::Kind::placed : timing::Window::Kind::other;
}

}  // namespace

void Outcomes::action_over(const Action& action) {
  executor_.mutex().is_held();
  if (action.piece.device >= 0 && action.status >= 0) note_piece(action);
  if (action.transfer.bytes > 0) note_transfer(action);
  if (session_.trace.on() && action.origin.owner && action.piece.device < 0 && action.transfer.bytes == 0)
    trace_memory(session_.trace, action);
}

void Outcomes::command_done(WindowUnderWay& window, const Command& command) {
  if (const KernelCommand* const kernel = command.kernel()) note_alone(window, *kernel);
  if (--window.unfinished == 0) note_window(window);
}

void Outcomes::all_done() {
  executor_.mutex().is_held();
  estimates_.profitability()->captured_all_done();
  if (session_.trace.on()) executor_.graveyard().announce_later(*trace_writer_);
}

void Outcomes::note_piece(const Action& action) {
  const double seconds = static_cast<double>(action.times.ended - action.times.started) * 1e-9;
  session_.summary.add_piece(action.piece.device, action.piece.groups, seconds);
  if (session_.trace.on()) {
    session_.trace.add_later([command = command_of(action).number, device = action.piece.device,
                              lo = action.piece.lo, hi = action.piece.hi, start = action.times.started,
                              end = action.times.ended]() -> nlohmann::json {
      return {{"piece",
               {{"command", command},
                {"device", device},
                {"lo", lo},
                {"hi", hi},
                {"start", start},
                {"end", end}}}};
    });
  }
  const KernelCommand& command = *command_of(action).kernel();
  const KernelLaunch& launch = command.launch;
  if (launch.kernel->info() == nullptr) return;
  if (action.lane == &executor_.lanes().repair()) return;  // that was not how long such pieces take
  note_ran(session_, action);
  if (const timing::Rivalry::Sample& sample = command.sample; sample.device == action.piece.device)
    estimates_.profitability()->rivalry().sampled(sample, seconds);
  const int domain = action.lane->domain;
  const int busy = executor_.busy_lanes(domain, action.lane);
  const double alone = seconds_alone(seconds, action.piece.bytes, std::max(action.piece.sharing, busy),
                                     session_.shared_memory(domain));
  KernelModel& model = estimates_.model_of(*launch.kernel);
  estimates_.times().learn(model, command.cost, action.piece.device, action.piece.share, alone);
  if (action.piece.alone)
    model.whole.learn(command.cost.shape, action.piece.device, action.piece.share, alone);
}

void Outcomes::action_over(WindowUnderWay& window, const Action& action) {
  if (action.status < 0 || action.lane == &executor_.lanes().repair()) return;
  const Command& command = command_of(action);
  window.ended = std::max(window.ended, action.times.ended);
  timing::Window::Ran ran{.kind = timing_kind(action, domains_.separate()),
                          .seconds = static_cast<double>(action.times.ended - action.times.started) * 1e-9};
  if (action.piece.device >= 0) {
    const int home = session_.configuration.home_index();
    ran.share = action.piece.share;
    ran.at_home = action.piece.device == home;
    if (const KernelCommand& kernel = *command.kernel();
        !ran.at_home && estimates_.without_turn().setting().home_is_sum)
      ran.known_at_home = estimates_.times()
                              .measured(estimates_.model_of(*kernel.launch.kernel), kernel.cost, home)
                              .value_or(0);
  }
  window.facts.ran(ran);
}

// A device that may not run the kernel, or never has, counts with home's time, which then is not measured.
void Outcomes::note_alone(WindowUnderWay& window, const KernelCommand& command) {
  const size_t lanes = session_.configuration.lane_count();
  window.alone.resize(lanes);
  window.measured.resize(lanes);
  const KernelModel& model = estimates_.model_of(*command.launch.kernel);
  const double at_home = estimates_.times().seconds(model, command.cost, session_.configuration.home_index());
  for (size_t d = 0; d < lanes; ++d) {
    const bool known = estimates_.times().knows(model, static_cast<int>(d));
    const double seconds =
        known ? estimates_.times().seconds(model, command.cost, static_cast<int>(d)) : at_home;
    window.alone[d] += seconds;
    if (known) window.measured[d] += seconds;
  }
}

// Everything but kernels takes as long whichever device runs these. What all devices took together says what
// home takes that is the sum of them.
Balance::Outcome Outcomes::outcome_of(const WindowUnderWay& window, double taken) const {
  const size_t home = static_cast<size_t>(session_.configuration.home_index());
  Balance::Outcome outcome{.taken = taken, .alone = {}, .explores = window.facts.explores()};
  if (window.alone.empty()) return outcome;
  const double others = std::max(0.0, window.facts.at_home() - window.alone[home]);
  for (size_t d = 0; d < window.alone.size(); ++d)
    outcome.alone.push_back({window.alone[d] + others, window.measured[d] + others});
  if (estimates_.without_turn().setting().home_is_sum)
    outcome.alone[home] = {window.facts.at_home(), window.facts.at_home()};
  return outcome;
}

// Which may have ended a while ago.
void Outcomes::note_window(const WindowUnderWay& window) {
  if (window.ended == 0) return;
  const int64_t ahead = executor_.lanes().home().clock_offset;
  // Signed: what the program's own lane has done has no times, and home's clock may be ahead of the host's.
  const auto on_host = [&](cl_ulong time) {
    return static_cast<double>(static_cast<int64_t>(time) - ahead) * 1e-9;
  };
  double began = static_cast<double>(window.began) * 1e-9;
  if (window.entry && window.entry->complete()) began = std::max(began, on_host(window.entry->times.ended));
  const double now = host_seconds();
  double spent = 0;
  Balance::Outcome outcome;
  {
    const Estimates::Turn asked = estimates_.profitability();
    outcome = outcome_of(window, asked->observe(window.facts, began, on_host(window.ended), now));
    spent = session_.regret.spent();
  }
  session_.summary.add_window(outcome);
  session_.summary.note_exploring(spent);
  if (!session_.trace.on()) return;
  const auto on_home = [&](double time) { return static_cast<int64_t>(time * 1e9) + ahead; };
  session_.trace.add_later([first = window.first, began = on_home(began), ended = window.ended,
                            known = on_home(now), at_home = window.facts.at_home(), spent,
                            measured = window.facts.measured(), outcome]() -> nlohmann::json {
    nlohmann::json alone = nlohmann::json::array();
    for (const Balance::Alone& of : outcome.alone)
      alone.push_back({of.seconds, of.measured});
    return {{"outcome",
             {{"command", first},
              {"began", began},
              {"ended", ended},
              {"known", known},
              {"at_home", at_home},
              {"measured", measured},
              {"taken", outcome.taken},
              {"alone", std::move(alone)},
              {"explores", outcome.explores},
              {"spent", spent}}}};
  });
}

void Outcomes::note_transfer(const Action& action) {
  session_.summary.add_bytes_moved(action.transfer.bytes);
  if (session_.trace.on()) {
    const TracedTransfer transfer{action.transfer.consumer,
                                  action.transfer.buffer,
                                  action.transfer.bytes,
                                  action.transfer.from_domain,
                                  is_read(action) ? -1 : action.lane->domain,
                                  action.times.started,
                                  action.times.ended};
    session_.trace.add_later([transfer] { return transfer_line(transfer); });
  }
}

}  // namespace mkmd
