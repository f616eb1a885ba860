// SPDX-License-Identifier: Apache-2.0
// Files that are believed: the cache, calibrations, samples, models. They lie in folders of ours: this
// process's effective user owns them, and nobody else may write to them. So all that is there was written by
// us, whoever owns the folders above. What is not ours is not believed, and no link to it is followed.
#pragma once

#include "common/files.hpp"

#include <utility>

namespace mkmd {

// Of a Status: there is no such file, or it is somebody else's.
inline constexpr int kMissing = -9996, kNotOurs = -9995;

// An open file or folder; nothing of ours stays open for long in a program.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

private:
  int fd_;
};

// With O_CREAT in `flags`, missing folders are made with mode 0700 and a missing file with 0600, whatever the
// umask. Owner and mode are those of what was opened.
Result<Descriptor> open_own_folder(const std::string& folder, int flags = 0);
Result<Descriptor> open_own_file(const std::string& path, int flags);

// Whose file is believed: ours alone, or one that a user named, whoever owns it.
enum class Whose { ours, named };

Result<Descriptor> open_to_read(const std::string& path, Whose whose);

// What is not ours is as if it were missing, and one line in the log says so.
Result<std::string> read_own_file(const std::string& path, uint64_t most = uint64_t{1} << 30);
Status replace_own_file(const std::string& path, std::string_view bytes, Sync sync = Sync::no);

}  // namespace mkmd
