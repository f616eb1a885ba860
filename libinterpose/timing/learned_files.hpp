// SPDX-License-Identifier: Apache-2.0
// The files of what programs have taught (timing/learned.hpp), one per source: entries of the compiler's
// cache folder, with its rights and its bound. A file holds for one version of ours, these devices as
// calibrated, and this configuration. What is damaged, or somebody else's, is not used.
#pragma once

#include "libinterpose/timing/calibration.hpp"
#include "libinterpose/timing/learned.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mkmd::timing {

class LearnedFiles {
public:
  // `folder`: empty: there is none, and nothing is kept. `setting`: what else times and decisions depend on.
  LearnedFiles(std::string folder, const std::vector<DeviceRates>& rates, const std::string& setting);

  std::optional<LearnedSource> read(const std::string& content) const;
  // A file that cannot be written is a line of information: the program is none the worse for it.
  void write(const std::string& content, const LearnedSource& source) const;

private:
  std::string holds_for(const std::string& content) const { return setting_ + "|" + content; }
  std::string path(const std::string& content) const;

  const std::string folder_;
  const size_t devices_;
  std::string setting_;
};

}  // namespace mkmd::timing
