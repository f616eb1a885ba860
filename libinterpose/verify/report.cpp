// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/report.hpp"

#include "common/files.hpp"
#include "common/log.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace mkmd::verify {

namespace {

using nlohmann::json;

json of_this_process(const KernelName& kernel) {
  return {{"process", getpid()}, {"kernel", kernel.name}, {"program", kernel.program}};
}

std::string text(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

void Report::append(const std::string& line) const {
  const NoWriteSignals quiet;
  const int fd = open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || !mkmd::write_all(fd, line))
    log_once(LogLevel::error, "MKMD_VERIFY: cannot write " + file_ + ": " + std::strerror(errno));
  if (fd >= 0) close(fd);
}

void Report::write_totals(const KernelName& kernel) {
  const Totals& t = totals_[kernel];
  json line = of_this_process(kernel);
  line["totals"] = {{"launches", t.launches},  {"splittable", t.splittable}, {"checked", t.checked},
                    {"splits", t.splits},      {"pieces", t.pieces},         {"differences", t.differences},
                    {"varying", t.varying},    {"failed", t.failed},         {"ulps", t.distance.ulps},
                    {"nans", t.distance.nans}, {"bytes", t.distance.bytes},  {"why_not", t.why_not},
                    {"why_line", t.why_line},  {"why_failed", t.why_failed}};
  append(text(line));
}

void Report::count(const KernelName& kernel, const Totals& totals) {
  if (complete_ || std::has_single_bit(totals.launches)) write_totals(kernel);
}

void Report::write_all() {
  complete_ = true;
  for (const auto& [kernel, totals] : totals_)
    write_totals(kernel);
  if (!totals_.empty()) append(text({{"process", getpid()}, {"complete", true}}));
}

void Report::write_difference(const KernelName& kernel, const compiler::KernelInfo& info,
                              const Difference& difference) {
  json line = of_this_process(kernel);
  json& d = line["difference"] = {{"what", to_string(difference.kind)},
                                  {"device", difference.device},
                                  {"first_group", difference.box.lo},
                                  {"end_group", difference.box.hi}};
  if (difference.argument >= 0) {
    d["argument"] = difference.argument;
    d["name"] = info.arguments[static_cast<size_t>(difference.argument)].name;
    d["first_byte"] = difference.bytes.lo;
    d["end_byte"] = difference.bytes.hi;
    d["line"] = difference.line;
  }
  append(text(line));
}

std::string Report::end_line(const KernelName& kernel, const char* what, const std::string& device,
                             const compiler::GroupBox& box) {
  json line = of_this_process(kernel);
  line["ended_by"] = {{"what", what}, {"device", device}, {"first_group", box.lo}, {"end_group", box.hi}};
  return text(line);
}

}  // namespace mkmd::verify
