// SPDX-License-Identifier: Apache-2.0
#include "profiler/spool.hpp"

#include "common/files.hpp"
#include "common/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <unistd.h>

namespace mkmd::profiler {

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kLongLine = 4096;

uint64_t checksum(std::string_view text) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

std::string file_name() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec) +
         ".spool";
}

}  // namespace

std::string default_spool_folder() {
  return data_directory() + "/spool";
}

std::string to_line(const Record& r) {
  json j = models::to_json(r.sample.work);
  j.update({{"v", kFormat},
            {"kernel", r.key.kernel},
            {"content", r.key.content},
            {"device", r.key.device},
            {"dim", r.work_dim},
            {"global", r.global},
            {"scalars", r.scalars},
            {"input", r.sample.input},
            {"seconds", r.sample.seconds},
            {"alone", r.sample.alone}});
  const std::string text = j.dump(-1, ' ', false, json::error_handler_t::replace);
  char sum[20];
  std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(checksum(text)));
  // The newline in front ends what a write cut short may have left there.
  return "\n" + text + " " + sum + "\n";
}

bool from_line(std::string_view line, Record& r) {
  if (line.size() < 18 || line[line.size() - 17] != ' ') return false;
  const std::string_view text = line.substr(0, line.size() - 17);
  uint64_t sum = 0;
  const char* end = line.data() + line.size();
  if (const auto parsed = std::from_chars(end - 16, end, sum, 16); parsed.ptr != end || sum != checksum(text))
    return false;
  const json j = json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    if (!j.is_object() || j.at("v") != kFormat) return false;
    r.key = {j.at("kernel"), j.at("content"), j.at("device")};
    r.work_dim = j.at("dim");
    j.at("global").get_to(r.global);
    j.at("scalars").get_to(r.scalars);
    const auto work = models::work_from_json(j);
    if (!work) return false;
    r.sample.work = *work;
    r.sample.input = j.at("input");
    r.sample.seconds = j.at("seconds");
    r.sample.alone = j.at("alone");
  } catch (const json::exception&) {
    return false;
  }
  return true;
}

Spool::Spool(std::string folder) : folder_(std::move(folder)), file_(folder_ + "/" + file_name()) {}

Status Spool::append(const Record& record) {
  std::lock_guard lock(mutex_);
  if (broken_) return {};
  const Status written = write_line(to_line(record));
  if (written) return {};
  broken_ = true;
  return Status::internal("cannot record samples in " + written.message() +
                          "; the program goes on, nothing more is recorded");
}

Status Spool::try_out() {
  std::lock_guard lock(mutex_);
  Status written = write_line(std::string(kLongLine, '\n'));
  unlink(file_.c_str());
  return written;
}

Status Spool::write_line(const std::string& line) {
  std::error_code why_no_folder;
  std::filesystem::create_directories(folder_, why_no_folder);
  if (why_no_folder) return Status::internal(folder_ + ": " + why_no_folder.message());
  const int fd = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  errno = fd >= 0 ? 0 : errno;
  const ssize_t written = fd >= 0 ? write(fd, line.data(), line.size()) : -1;
  // A short write sets no errno: there was room for a part only.
  const int error = errno != 0 ? errno : ENOSPC;
  if (fd >= 0) close(fd);
  if (written == static_cast<ssize_t>(line.size())) return {};
  return Status::internal(file_ + ": " + std::strerror(error));
}

Status read_spool(const std::string& file, uint64_t& offset, std::vector<Record>& records, int& damaged) {
  const auto read = read_file(file, std::numeric_limits<uint64_t>::max());
  if (!read) return read.status();
  const std::string& text = *read;
  // It may have become shorter: then there is nothing new.
  const size_t begin = std::min<uint64_t>(offset, text.size());
  size_t at = begin;
  for (;;) {
    const size_t newline = text.find('\n', at);
    if (newline == std::string::npos) break;
    const std::string_view line(text.data() + at, newline - at);
    at = newline + 1;
    if (line.empty()) continue;
    Record record;
    if (from_line(line, record)) {
      records.push_back(std::move(record));
    } else {
      ++damaged;
    }
  }
  offset += at - begin;
  return {};
}

}  // namespace mkmd::profiler
