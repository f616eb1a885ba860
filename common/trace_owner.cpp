// SPDX-License-Identifier: Apache-2.0
#include "common/trace_owner.hpp"

#include "common/files.hpp"
#include "common/json.hpp"
#include "common/process.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd {

pid_t other_writer(int fd) {
  std::string start(64 << 10, '\0');
  const ssize_t got = pread(fd, start.data(), start.size(), 0);
  start.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const Result<nlohmann::json> line = parse_json(start.substr(0, start.find('\n')));
  if (!line || !line->is_object()) return 0;
  const auto number = [&](const char* key) -> uint64_t {
    const auto it = line->find(key);
    return it != line->end() && it->is_number_unsigned() ? it->get<uint64_t>() : 0;
  };
  const auto pid = static_cast<pid_t>(number("pid"));
  const uint64_t began = number("began");
  if (pid <= 0 || began == 0 || pid == getpid()) return 0;
  return process_began(pid) == began ? pid : 0;
}

std::string written_by(pid_t other, const std::string& file) {
  return "process " + std::to_string(other) + " is writing " + file +
         ", so this one is not traced: each needs a file of its own";
}

std::string begin_trace(const std::string& file) {
  struct stat about {};
  if (stat(file.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return {};
  const int fd = open_named_output(file, O_RDWR);
  const auto cannot = [&] {
    return "cannot write " + file + ": " + std::strerror(errno) + "; nothing is traced";
  };
  if (fd < 0) return cannot();
  std::string problem;
  if (const pid_t other = other_writer(fd); other != 0)
    problem = written_by(other, file);
  else if (ftruncate(fd, 0) != 0)
    problem = cannot();
  close(fd);
  return problem;
}

}  // namespace mkmd
