// SPDX-License-Identifier: Apache-2.0
// Makes the loss of a device good. When an action finds its device or a memory gone, nothing new starts. Once
// running actions are over, the journal says what has to be done again. Commands that had not begun are
// planned again on the remaining devices, and so are commands whose pieces are all to be done again. Where
// only some of a command's pieces are, home runs them. Commands that need bytes which nothing can compute
// again end with an error, as when a driver loses its device.
#pragma once

#include "libinterpose/capture/captured_commands.hpp"
#include "libinterpose/capture/losses.hpp"

#include <map>
#include <vector>

namespace mkmd {

// Lives for one recovery, with the executor's mutex held.
class Recovery {
public:
  Recovery(Session& session, Executor& executor, Losses& losses, Epoch& epoch, CapturedCommands& commands)
      : session_(session), executor_(executor), losses_(losses), epoch_(epoch), commands_(commands) {}

  // Nothing runs, and no thread plans. No thread may plan while this lets go of the mutex. `window`: the
  // commands not planned yet, in the program's order, with those that an earlier recovery returned. Returns
  // the commands to plan now, in that order.
  std::vector<Ref<Command>> recover(std::vector<Ref<Command>> window);

private:
  void drop_unfinished_actions();
  std::vector<Memory*> tell_buffers();
  void fail(const Journal::Deeds& hopeless);
  void restore(const std::vector<Memory*>& roots);
  Ref<Command> renew(const Ref<Command>& command);
  void add_again(const std::vector<CommandDeed*>& deeds, bool are_all);
  size_t add_again(const Journal::Deeds& redo);  // of so many commands

  Session& session_;
  Executor& executor_;
  Losses& losses_;
  Epoch& epoch_;
  CapturedCommands& commands_;
  // What is to be planned, by sequence, and whose planning counts as pending: one action of a command counts
  // on, if its actions were dropped.
  std::map<uint64_t, Ref<Command>> window_;
};

}  // namespace mkmd
