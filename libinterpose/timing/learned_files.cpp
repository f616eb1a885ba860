// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/learned_files.hpp"

#include "common/hash.hpp"
#include "common/log.hpp"
#include "common/own_files.hpp"
#include "compiler/cache.hpp"

#include <cstdio>

namespace mkmd::timing {

namespace {

// Corrections are of these rates.
std::string text_of(const DeviceRates& r) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "%.17g %.17g %.17g %.17g %.17g", r.operations_per_second,
                r.bytes_per_second, r.launch_seconds, r.copy_bytes_per_second, r.copy_seconds);
  return r.kind + "|" + numbers;
}

}  // namespace

LearnedFiles::LearnedFiles(std::string folder, const std::vector<DeviceRates>& rates,
                           const std::string& setting)
    : folder_(std::move(folder)), devices_(rates.size()),
      setting_("MKMD " MKMD_VERSION "|" + std::to_string(kLearnedFormat) + "|" + setting) {
  for (const DeviceRates& one : rates)
    setting_ += "|" + text_of(one);
}

std::string LearnedFiles::path(const std::string& content) const {
  return folder_ + "/" + hex(hash_of(holds_for(content))) + ".learned.mkmd";
}

std::optional<LearnedSource> LearnedFiles::read(const std::string& content) const {
  if (folder_.empty()) return std::nullopt;
  const std::string file = path(content);
  const Result<std::string> text = compiler::read_entry(file, kMostLearnedBytes);
  if (!text && (text.status().code() == kMissing || text.status().code() == kNotOurs)) return std::nullopt;
  Result<LearnedSource> source =
      text ? learned_from(*text, holds_for(content), devices_) : Result<LearnedSource>(text.status());
  if (source) return std::move(*source);
  log_once(LogLevel::warning,
           file + ": " + source.status().message() + "; what earlier runs have learned is not used");
  return std::nullopt;
}

void LearnedFiles::write(const std::string& content, const LearnedSource& source) const {
  if (folder_.empty()) return;
  const Status status = compiler::write_entry(path(content), to_text(source, holds_for(content)));
  if (!status) log_once(LogLevel::info, status.message() + "; what was learned is lost for the next run");
}

}  // namespace mkmd::timing
