// SPDX-License-Identifier: Apache-2.0
// What becomes known when actions, captured commands and windows are over. These are measured times, the
// times of windows against home, and lines of the trace and the summary. Not thread-safe: the executor's
// mutex guards it.
#pragma once

#include "libinterpose/capture/domains.hpp"
#include "libinterpose/capture/estimates.hpp"
#include "libinterpose/commands/command.hpp"

namespace mkmd {

class Outcomes {
public:
  Outcomes(Session& session, Estimates& estimates, const Domains& domains, Executor& executor)
      : session_(session), estimates_(estimates), domains_(domains), executor_(executor),
        trace_writer_(new TraceWriter(session.trace)) {}

  void action_over(const Action& action);
  // The same of a part of a command of the window.
  void action_over(WindowUnderWay& window, const Action& action);
  void command_done(WindowUnderWay& window, const Command& command);
  void all_done();  // every captured command is complete

private:
  void note_piece(const Action& action) REQUIRES(executor_.mutex());
  void note_transfer(const Action& action);
  void note_alone(WindowUnderWay& window, const KernelCommand& command);
  void note_window(const WindowUnderWay& window);  // the window is over
  Balance::Outcome outcome_of(const WindowUnderWay& window, double taken) const;

  struct TraceWriter : ActionOwner {
    explicit TraceWriter(Trace& trace) : trace(trace) {}
    void announce() override { trace.flush(); }
    Trace& trace;
  };

  Session& session_;
  Estimates& estimates_;
  const Domains& domains_;
  Executor& executor_;
  const Ref<TraceWriter> trace_writer_;
};

}  // namespace mkmd
