// SPDX-License-Identifier: Apache-2.0
// The options of `mkmd run`. Each stands for a setting (common/settings.hpp) and is handed on as its
// variable.
#pragma once

#include "common/status.hpp"

#include <string>
#include <utility>
#include <vector>

namespace mkmd::tool {

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> variables;  // to set, in the order given
  std::vector<std::string> program;                            // and its arguments; never empty
  bool help = false;
};

// Everything after `mkmd run`. Options end at `--` or at the first argument that is none.
Result<RunOptions> parse_run(const std::vector<std::string>& arguments);

// Everything after `mkmd profile`: `--runs N`, and the options of run.
inline constexpr int kRuns = 20;         // where none are given: enough for an error below 5 %
inline constexpr int kMostRuns = 10000;  // that MKMD_PROFILE accepts
Result<RunOptions> parse_profile(const std::vector<std::string>& arguments);

// Everything after `mkmd verify`: `--all`, `--json FILE`, and the options of run.
struct VerifyOptions {
  RunOptions run;
  std::string json;  // the file to write the verdict to; empty: none
};
Result<VerifyOptions> parse_verify(const std::vector<std::string>& arguments);

struct RunOption {
  const char* name;
  const char* value;  // what it takes, or null
  const char* variable;
  const char* sentence;
};
const std::vector<RunOption>& run_options();

}  // namespace mkmd::tool
