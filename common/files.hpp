// SPDX-License-Identifier: Apache-2.0
// Small files read and written whole, in a program's process or in the helper's. Nothing in a folder can
// make these functions wait: no pipe, no directory, no other process that writes at the same time. No write
// raises a signal.
#pragma once

#include "common/status.hpp"

#include <cstdint>
#include <optional>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace mkmd {

// While it lives, nothing that this thread writes can end the process. A reader that went away (SIGPIPE)
// and the limit on a file's size (SIGXFSZ) are errors of write(2) only. A signal that was pending before
// stays pending.
class NoWriteSignals {
public:
  NoWriteSignals();
  ~NoWriteSignals();
  NoWriteSignals(const NoWriteSignals&) = delete;
  NoWriteSignals& operator=(const NoWriteSignals&) = delete;

private:
  sigset_t before_, swallowed_;
};

// The bytes of a regular file of at most `most` bytes.
Result<std::string> read_file(const std::string& path, uint64_t most = uint64_t{1} << 30);

// Everything in an open regular file of at most `most` bytes; `path` is for the sentence.
Result<std::string> read_descriptor(int fd, const std::string& path, uint64_t most);

// However often write(2) must be called for it.
bool write_all(int fd, std::string_view bytes);

// Whether a loss of power may leave an empty file. It may where what is lost can be had again: waiting for
// the disk takes milliseconds.
enum class Sync { no, yes };

// Makes the file hold `bytes`. Others see all of it or what was there before: it is written under another
// name, then renamed. Its folder must exist: a user who mistypes its name is told so.
Status replace_file(const std::string& path, std::string_view bytes, Sync sync = Sync::no);
// The same of a name in an open folder. `mode` holds whatever the umask, if there is one.
Status replace_in(int folder, const std::string& path, const std::string& name, std::string_view bytes,
                  Sync sync, std::optional<mode_t> mode);

// Opens a file that a user named for what we write, as open(2) does, and makes it if it is missing. A link is
// followed if it is this user's or root's (/dev/stdout is one): in a folder for everybody, others cannot
// choose where we write. -1 with errno set if it cannot be.
int open_named_output(const std::string& path, int flags);

}  // namespace mkmd
