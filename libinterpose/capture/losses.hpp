// SPDX-License-Identifier: Apache-2.0
// Which memories of a context are lost with their devices, and what was done to its buffers (Journal). The
// journal says which commands compute lost bytes again. Losses exist only where a device can fail. Not
// thread-safe: the executor's mutex guards them.
#pragma once

#include "libinterpose/capture/session.hpp"
#include "libinterpose/commands/command.hpp"
#include "libinterpose/execution/executor.hpp"

namespace mkmd {

class Losses {
public:
  Losses(Session& session, const Executor& executor)
      : executor_(executor), domains_(session.configuration.domain_count), numbers_(session.numbers) {}

  bool any_new() const;  // a memory was lost since the last take_new()
  void take_new();
  void tell(Memory& root) const;  // its storage hears which memories are lost

  // Parts of a command are going to need those bytes.
  static void will_use(const BufferUses& uses);
  // Bytes are about to be overwritten at home, after what is planned: those to be kept before.
  static ByteRanges will_overwrite(Memory& root, const ByteRanges& ranges);
  // What is to be done: a part of a command; and one whose bytes are lost, so that it never will be.
  void plan(Action& action, const BufferUses& uses, const compiler::GroupBox& box);
  void doom(Command& command, const BufferUses& uses);
  // The command's parts are about to be planned. They replace its incomplete parts in the journal. The caller
  // drops the old ones where it holds no lock.
  Journal::Deeds replan(const Command& command) { return journal_.take_incomplete(command.sequence); }
  // The end of an action. Lost: it had begun, and how far it came is not known. Failed: it is not repeated.
  void note_done(Action& action);
  void note_lost(Action& action);
  void note_failed(Action& action);
  void note_native_write(Memory& root, const ByteRanges& ranges);
  // Lets go of what is older than the last so many parts. The caller drops that where it holds no lock.
  Journal::Deeds trim(size_t most) { return journal_.trim(most); }
  // As many as are kept of a context in use, and with them the buffers they name. What is older cannot be
  // computed again.
  Journal::Deeds trim();

  Journal& journal() { return journal_; }

private:
  static constexpr size_t kRemembered = 2048;
  // Of buffers that the program has released, and has back only when no part names them any more. A program
  // that releases them may need the room. A small GPU has 16 times as much.
  static constexpr uint64_t kMostBytes = 256 << 20;
  size_t affordable() const;  // parts

  const Executor& executor_;  // whose devices know what is lost
  const int domains_;
  Numbers& numbers_;
  Journal journal_;
  uint32_t lost_ = 0;  // domains, one bit each
  size_t trims_ = 0;
};

inline CommandDeed& of_command(Deed& deed) {
  return static_cast<CommandDeed&>(deed);  // there are no others in the journal
}

}  // namespace mkmd
