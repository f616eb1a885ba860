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

// A new file beside another. Unlike mkostemp's, others may read it if they may read what this process writes.
int create_beside(const std::string& path, std::string& name) {
  for (;;) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    name = path + "." + std::to_string(getpid()) + "." + std::to_string(now.tv_nsec);
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
  std::string bytes;
  struct stat about {};
  Status status;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
    status = Status::internal(path + " is not a file");
  else if (static_cast<uint64_t>(about.st_size) > most)
    status = Status::internal(path + " has " + std::to_string(about.st_size) + " bytes, more than " +
                              std::to_string(most));
  else
    bytes.resize(static_cast<size_t>(about.st_size));
  size_t at = 0;
  while (status.ok() && at < bytes.size()) {
    const ssize_t got = read(fd, bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      status = Status::internal("cannot read " + path);
    else
      at += static_cast<size_t>(got);
  }
  close(fd);
  if (!status.ok()) return status;
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
  const NoWriteSignals quiet;
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  std::string temporary;
  const int fd = create_beside(path, temporary);
  if (fd < 0) return Status::internal("cannot write " + path + ": " + std::strerror(errno));
  errno = 0;
  bool good = write_all(fd, bytes) && (sync == Sync::no || fsync(fd) == 0);
  int error = errno;
  if (close(fd) != 0 && good) good = false, error = errno;
  if (good && rename(temporary.c_str(), path.c_str()) != 0) good = false, error = errno;
  if (good) return {};
  unlink(temporary.c_str());
  return Status::internal("cannot write " + path + ": " + std::strerror(error));
}

}  // namespace mkmd
