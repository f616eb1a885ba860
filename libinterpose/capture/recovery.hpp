// SPDX-License-Identifier: Apache-2.0
// Makes the loss of a device good. When an action finds its device or a memory gone, nothing new starts; once
// what runs is over, the journal says what has to be done again. What had not begun is planned anew on the
// devices that are left, and so are whole commands whose bytes are lost; of a command of which other pieces
// were done, the missing ones run at home. If bytes that unfinished commands need are nowhere any more, those
// commands end with an error, as when a driver loses its device.
#pragma once

#include "libinterpose/capture/captured_commands.hpp"
#include "libinterpose/capture/losses.hpp"

#include <vector>

namespace mkmd {

// Lives for one recovery, with the executor's mutex held.
class Recovery {
public:
  Recovery(Session& session, Executor& executor, Losses& losses, Epoch& epoch, CapturedCommands& commands)
      : session_(session), executor_(executor), losses_(losses), epoch_(epoch), commands_(commands) {}

  // Nothing runs, and nobody plans. What is to be planned again.
  std::vector<Ref<Command>> recover();

private:
  void drop_unfinished_actions();
  void fail_unfinished();
  std::vector<Ref<Command>> commands_to_redo(const Journal::Deeds& redo);

  Session& session_;
  Executor& executor_;
  Losses& losses_;
  Epoch& epoch_;
  CapturedCommands& commands_;
};

}  // namespace mkmd
