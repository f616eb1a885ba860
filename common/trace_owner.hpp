// SPDX-License-Identifier: Apache-2.0
// Which process owns a trace file. The library opens the file for every write and closes it again: no
// descriptor of ours stays in a program. So no lock can be held meanwhile. The file's first line names the
// process that writes it.
#pragma once

#include <string>
#include <sys/types.h>

namespace mkmd {

// The process that writes the file, if it still runs and is another than this one; otherwise 0.
pid_t other_writer(int fd);

// What is said then.
std::string written_by(pid_t other, const std::string& file);

// Makes the file empty, or a new one, so that what an earlier run left is not taken for this one's. The
// sentence that says why it cannot be traced to; what is no regular file is left alone.
std::string begin_trace(const std::string& file);

}  // namespace mkmd
