// SPDX-License-Identifier: Apache-2.0
#include "profiler/spool.hpp"

#include "common/hash.hpp"
#include "common/json.hpp"
#include "common/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mkmd::profiler {

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kLongLine = 4096;
constexpr size_t kLongestLine = 1 << 20;        // of a record; more are none
constexpr size_t kBlock = 1 << 20;              // bytes read at a time
constexpr off_t kMostBytes = off_t{256} << 20;  // of a file: half a million records

std::string file_name() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec) +
         ".spool";
}

}  // namespace

std::string default_spool_folder() {
  return file_in(data_directory(), "spool");
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
  std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(short_hash_of(text)));
  // The newline in front ends what a write cut short may have left there.
  return "\n" + text + " " + sum + "\n";
}

bool from_line(std::string_view line, Record& r) {
  if (line.size() < 18 || line[line.size() - 17] != ' ') return false;
  const std::string_view text = line.substr(0, line.size() - 17);
  uint64_t sum = 0;
  const char* end = line.data() + line.size();
  if (const auto parsed = std::from_chars(end - 16, end, sum, 16);
      parsed.ptr != end || sum != short_hash_of(text))
    return false;
  const Result<json> parsed = parse_json(text);
  if (!parsed) return false;
  const json& j = *parsed;
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

Spool::Spool(std::string folder) : folder_(std::move(folder)), file_(file_in(folder_, file_name())) {}

Status Spool::append(const Record& record) {
  const std::string line = to_line(record);
  const Lock lock(mutex_);
  if (broken_) return {};
  const Status written = write_line(line);
  if (written) return {};
  broken_ = true;
  return Status::internal("samples cannot be recorded: " + written.message() +
                          "; the program goes on, nothing more is recorded");
}

Status Spool::try_out() {
  const Lock lock(mutex_);
  Status written = write_line(std::string(kLongLine, '\n'));
  unlink(file_.c_str());
  return written;
}

Status Spool::write_line(const std::string& line) {
  const NoWriteSignals quiet;
  const auto file = open_own_file(file_, O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return file.status();
  struct stat about {};
  if (fstat(file->get(), &about) == 0 && about.st_size > kMostBytes)
    return Status::internal(file_ + ": it has " + std::to_string(about.st_size) + " bytes");
  errno = 0;
  const ssize_t written = write(file->get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return {};
  // A short write sets no errno: there was room for a part only.
  return Status::internal(file_ + ": " + std::strerror(errno != 0 ? errno : ENOSPC));
}

Result<bool> read_spool(const std::string& file, Whose whose, uint64_t& offset, std::vector<Record>& records,
                        int& damaged, size_t most) {
  auto opened = open_to_read(file, whose);
  if (!opened) return opened.status();
  struct stat about {};
  if (fstat(opened->get(), &about) != 0 || !S_ISREG(about.st_mode))
    return Status::internal(file + " is not a file");
  if (about.st_size > kMostBytes + static_cast<off_t>(kLongestLine)) {
    return Status(kNoSpool,
                  file + " has " + std::to_string(about.st_size) + " bytes: no program writes so many");
  }
  std::vector<char> block(kBlock);
  std::string rest;       // of a line, from `offset` on
  bool too_long = false;  // what `rest` goes on with
  for (uint64_t at = offset;;) {
    const ssize_t got = pread(opened->get(), block.data(), block.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status::internal(file + ": " + std::strerror(errno));
    if (got == 0) return false;
    at += static_cast<uint64_t>(got);
    for (std::string_view bytes(block.data(), static_cast<size_t>(got)); !bytes.empty();) {
      const size_t newline = bytes.find('\n');
      rest += bytes.substr(0, newline);
      if (newline == std::string_view::npos) {
        if (rest.size() <= kLongestLine) break;
        if (!std::exchange(too_long, true)) ++damaged;
        offset += rest.size();
        rest.clear();
        break;
      }
      bytes.remove_prefix(newline + 1);
      offset += rest.size() + 1;
      Record record;
      if (from_line(rest, record))
        records.push_back(std::move(record));
      else if (!rest.empty() && !too_long)
        ++damaged;
      rest.clear();
      too_long = false;
      if (records.size() >= most) return true;
    }
  }
}

}  // namespace mkmd::profiler
