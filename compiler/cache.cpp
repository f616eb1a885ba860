// SPDX-License-Identifier: Apache-2.0
#include "compiler/cache.hpp"

#include "common/own_files.hpp"

#include <algorithm>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace mkmd::compiler {

namespace {

struct Entry {
  std::string name;
  uint64_t bytes;
  timespec used;
};

bool used_before(const Entry& a, const Entry& b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

// And what a helper that was killed left half written, but not what one is writing: none lives that long. The
// folder holds files of other parts, too.
bool may_go(const std::string& name, time_t changed) {
  constexpr time_t kLongestWrite = 3600;
  return name.ends_with(".mkmd") ||
         (name.find(".mkmd.") != std::string::npos && changed < time(nullptr) - kLongestWrite);
}

std::vector<Entry> entries_of(int folder) {
  std::vector<Entry> entries;
  const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const all = own >= 0 ? fdopendir(own) : nullptr;
  if (all == nullptr) {
    if (own >= 0) close(own);
    return entries;
  }
  while (const dirent* next = readdir(all)) {
    struct stat about {};
    if (fstatat(folder, next->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        may_go(next->d_name, about.st_mtim.tv_sec))
      entries.push_back({next->d_name, static_cast<uint64_t>(about.st_size), about.st_mtim});
  }
  closedir(all);
  return entries;
}

void trim(int folder, uint64_t most) {
  std::vector<Entry> entries = entries_of(folder);
  uint64_t sum = 0;
  for (const Entry& e : entries)
    sum += e.bytes;
  if (sum <= most) return;
  std::sort(entries.begin(), entries.end(), used_before);
  for (const Entry& e : entries) {
    if (sum <= most / 4 * 3) return;
    unlinkat(folder, e.name.c_str(), 0);
    sum -= e.bytes;
  }
}

}  // namespace

Result<std::string> read_entry(const std::string& path, uint64_t most) {
  auto bytes = read_own_file(path, most);
  // The time of the last change says when it was used last; nobody changes an entry.
  const timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  if (bytes) utimensat(AT_FDCWD, path.c_str(), now, AT_SYMLINK_NOFOLLOW);
  return bytes;
}

Status write_entry(const std::string& path, std::string_view bytes, uint64_t most) {
  if (Status s = replace_own_file(path, bytes); !s) return s;
  const size_t slash = path.rfind('/');
  // Looking at thousands of entries takes as long as compiling: one of 16 names, which are hashes, has it
  // done.
  if (path[slash + 1] != '0') return {};
  const auto folder = open_own_folder(path.substr(0, slash));
  if (folder) trim(folder->get(), most);
  return {};
}

}  // namespace mkmd::compiler
