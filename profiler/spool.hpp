// SPDX-License-Identifier: Apache-2.0
// The spool: a profiled program leaves its samples here until the mkmd command takes them into the store.
// Each process has a file, and each sample a line with a checksum. One write() appends the line, and the
// descriptor is closed again at once. Reading takes bounded memory, whatever a file holds. If the process is
// killed at any moment, its complete lines stay valid.
#pragma once

#include "common/own_files.hpp"
#include "common/thread_annotations.hpp"
#include "models/model.hpp"

#include <string>
#include <vector>

namespace mkmd::profiler {

// A measured piece of a launch, with what identifies it.
struct Record {
  models::Key key;
  unsigned work_dim = 1;
  std::array<uint64_t, 3> global{1, 1, 1};  // of the launch; the piece is work.items of it
  std::vector<int64_t> scalars;             // by slot of the kernel's description
  models::Sample sample;
};

std::string to_line(const Record& record);  // begins and ends with a newline
// False if the line is damaged or of a format we do not know.
bool from_line(std::string_view line, Record& record);

std::string default_spool_folder();  // in the data directory

class Spool {
public:
  // The file is made with the first record.
  explicit Spool(std::string folder);

  // Thread-safe. After a failure (disk full, folder not writable) nothing more is tried; the message says so
  // once, `ok()` from then on.
  Status append(const Record& record);
  // Whether a record could be appended now: leaves nothing behind but the folder.
  Status try_out();
  const std::string& file() const { return file_; }

private:
  Status write_line(const std::string& line) REQUIRES(mutex_);

  Mutex mutex_;
  const std::string folder_;
  const std::string file_;
  bool broken_ GUARDED_BY(mutex_) = false;
};

// Of a Status: a file that no program of ours can have written.
inline constexpr int kNoSpool = -9992;

// Adds at most `most` records of a spool file from `offset` on. `offset` then is the first byte that was not
// read. An incomplete last line stays for the next call. `damaged` counts lines that
// were no records. True if there may be more to read.
Result<bool> read_spool(const std::string& file, Whose whose, uint64_t& offset, std::vector<Record>& records,
                        int& damaged, size_t most = 10'000);

}  // namespace mkmd::profiler
