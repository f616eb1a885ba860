// SPDX-License-Identifier: Apache-2.0
#include "common/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd {

namespace {

constexpr int kWriteSignals[] = {SIGPIPE, SIGXFSZ};

// A new file beside another.
int create_beside(int folder, const std::string& name, std::string& temporary, mode_t mode) {
  for (;;) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    temporary = name + "." + std::to_string(getpid()) + "." + std::to_string(now.tv_nsec);
    const int fd = openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

}  // namespace

NoWriteSignals::NoWriteSignals() {
  sigset_t pending;
  sigpending(&pending);
  sigemptyset(&swallowed_);
  for (const int signal : kWriteSignals) {
    if (sigismember(&pending, signal) == 0) sigaddset(&swallowed_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &swallowed_, &before_);
}

NoWriteSignals::~NoWriteSignals() {
  const int error = errno;
  const timespec now{};
  while (sigtimedwait(&swallowed_, nullptr, &now) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

Result<std::string> read_file(const std::string& path, uint64_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return Status::internal("cannot open " + path + ": " + std::strerror(errno));
  auto bytes = read_descriptor(fd, path, most);
  close(fd);
  return bytes;
}

Result<std::string> read_descriptor(int fd, const std::string& path, uint64_t most) {
  struct stat about {};
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return Status::internal(path + " is not a file");
  if (static_cast<uint64_t>(about.st_size) > most) {
    return Status::internal(path + " has " + std::to_string(about.st_size) + " bytes, more than " +
                            std::to_string(most));
  }
  std::string bytes(static_cast<size_t>(about.st_size), '\0');
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = read(fd, bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Status::internal("cannot read " + path);
    at += static_cast<size_t>(got);
  }
  return bytes;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Status replace_file(const std::string& path, std::string_view bytes, Sync sync) {
  return replace_in(AT_FDCWD, path, path, bytes, sync, std::nullopt);
}

Status replace_in(int folder, const std::string& path, const std::string& name, std::string_view bytes,
                  Sync sync, std::optional<mode_t> mode) {
  const NoWriteSignals quiet;
  std::string temporary;
  const int fd = create_beside(folder, name, temporary, mode.value_or(0666));
  if (fd < 0) return Status::internal("cannot write " + path + ": " + std::strerror(errno));
  errno = 0;
  bool good =
      (!mode || fchmod(fd, *mode) == 0) && write_all(fd, bytes) && (sync == Sync::no || fsync(fd) == 0);
  int error = errno;
  if (close(fd) != 0 && good) good = false, error = errno;
  if (good && renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) good = false, error = errno;
  if (good) return {};
  unlinkat(folder, temporary.c_str(), 0);
  return Status::internal("cannot write " + path + ": " + std::strerror(error));
}

int open_named_output(const std::string& path, int flags) {
  constexpr mode_t kMode = 0666;
  const int fd = open(path.c_str(), flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (fd >= 0 || errno != ELOOP) return fd;
  struct stat link {};
  if (lstat(path.c_str(), &link) == 0 && link.st_uid != 0 && link.st_uid != geteuid()) {
    errno = EACCES;
    return -1;
  }
  return open(path.c_str(), flags | O_CREAT | O_CLOEXEC, kMode);
}

}  // namespace mkmd
