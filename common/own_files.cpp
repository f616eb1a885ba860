// SPDX-License-Identifier: Apache-2.0
#include "common/own_files.hpp"

#include "common/log.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd {

namespace {

constexpr mode_t kFolderMode = 0700, kFileMode = 0600;

Status not_ours(const std::string& path, const std::string& why) {
  return {kNotOurs, path + " " + why};
}

Status problem_with(const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return {missing ? kMissing : Status::kInternal, "cannot open " + path + ": " + std::strerror(error)};
}

Status check_owner(const std::string& path, const struct stat& about) {
  if (about.st_uid != geteuid()) return not_ours(path, "belongs to another user");
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return not_ours(path, "may be written by others (`chmod go-w` ends that)");
  return {};
}

// A umask may have taken rights away that we need. (A folder without any cannot be opened to be changed.)
void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), kFolderMode) != 0) return;
  const Descriptor made(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about {};
  if (fstat(made.get(), &about) != 0 || about.st_uid != geteuid() || (about.st_mode & 07777) == kFolderMode)
    return;
  chmod(("/proc/self/fd/" + std::to_string(made.get())).c_str(), kFolderMode);
}

struct Place {
  std::string folder, name;
};

Place place_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

int open_or_make(int folder, const std::string& name, int flags) {
  const int how = (flags & ~O_CREAT) | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  for (;;) {
    int fd = openat(folder, name.c_str(), how);
    if (fd >= 0 || errno != ENOENT || (flags & O_CREAT) == 0) return fd;
    fd = openat(folder, name.c_str(), how | O_CREAT | O_EXCL, kFileMode);
    if (fd < 0 && errno == EEXIST) continue;  // another process made it meanwhile
    if (fd >= 0) fchmod(fd, kFileMode);
    return fd;
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<Descriptor> open_own_folder(const std::string& folder, int flags) {
  if (folder.empty()) return Status(kMissing, "neither its XDG variable nor HOME names a folder");
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/')  // behind which a link would be followed
    path.pop_back();
  if ((flags & O_CREAT) != 0) {
    for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
      make_folder(path.substr(0, at));
    make_folder(path);
  }
  Descriptor opened(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const int error = errno;
  struct stat about {};
  if (opened.get() < 0) {
    const bool link = lstat(path.c_str(), &about) == 0 && S_ISLNK(about.st_mode);
    return link ? not_ours(path, "is a link") : problem_with(path, error);
  }
  if (fstat(opened.get(), &about) != 0) return problem_with(path, errno);
  if (Status ours = check_owner(path, about); !ours) return ours;
  return opened;
}

Result<Descriptor> open_own_file(const std::string& path, int flags) {
  const Place place = place_of(path);
  auto folder = open_own_folder(path.empty() ? path : place.folder, flags);
  if (!folder) return folder.status();
  Descriptor file(open_or_make(folder->get(), place.name, flags));
  if (file.get() < 0) return errno == ELOOP ? not_ours(path, "is a link") : problem_with(path, errno);
  struct stat about {};
  if (fstat(file.get(), &about) != 0) return problem_with(path, errno);
  if (!S_ISREG(about.st_mode)) return Status::internal(path + " is not a file");
  if (Status ours = check_owner(path, about); !ours) return ours;
  return file;
}

Result<Descriptor> open_to_read(const std::string& path, Whose whose) {
  if (whose == Whose::ours) return open_own_file(path, O_RDONLY);
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.get() < 0) return problem_with(path, errno);
  return file;
}

Result<std::string> read_own_file(const std::string& path, uint64_t most) {
  const auto file = open_own_file(path, O_RDONLY);
  if (file) return read_descriptor(file->get(), path, most);
  if (file.status().code() == kNotOurs)
    log_once(LogLevel::warning, file.status().message() + "; what is there is ignored");
  return file.status();
}

Status replace_own_file(const std::string& path, std::string_view bytes, Sync sync) {
  const Place place = place_of(path);
  const auto folder = open_own_folder(path.empty() ? path : place.folder, O_CREAT);
  if (!folder)
    return Status(folder.status().code(), "cannot write " + path + ": " + folder.status().message());
  return replace_in(folder->get(), path, place.name, bytes, sync, kFileMode);
}

}  // namespace mkmd
