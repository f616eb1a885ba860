// SPDX-License-Identifier: Apache-2.0
// What each command accepts. One list of its options is what is read, what messages name, and what help
// shows.
#pragma once

#include "common/status.hpp"
#include "tools/simulate/report.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mkmd::tool {

using Words = std::vector<std::string>;

// Of `mkmd run`, `profile` and `verify`. Most stand for a setting (common/settings.hpp) and are handed on as
// its variable.
struct RunOptions {
  std::vector<std::pair<std::string, std::string>> variables;  // to set; the last one of a name counts
  Words program;                                               // and its arguments; never empty
  std::string json;  // of verify: the file for the verdict, or empty
  std::string help;  // a line for each option, if --help is among them; empty otherwise, as in the next ones
};
// These end at `--` or at the first word that belongs to no option.
Result<RunOptions> parse_run(const Words& words);
Result<RunOptions> parse_profile(const Words& words);
Result<RunOptions> parse_verify(const Words& words);

struct ModelsOptions {
  std::string export_file, import_file, json_file, test_folder, help;
};
Result<ModelsOptions> parse_models(const Words& words);

struct KernelsOptions {
  std::string file, build, kernel, help;
  std::array<uint64_t, 3> global{}, local{};  // zeros: assumed
  std::map<std::string, int64_t> numbers;
  bool as_json = false;
};
Result<KernelsOptions> parse_kernels(const Words& words);

struct InspectOptions {
  std::string input, output, help;
  std::string format;   // as the option is named; empty: a summary
  uint64_t window = 0;  // 0: all
};
// `formats`: their names, and what each is.
Result<InspectOptions> parse_inspect(const Words& words,
                                     const std::vector<std::pair<std::string, std::string>>& formats);

struct SimulateOptions {
  std::string input, output, platform, generate, help;
  std::vector<std::string> policies;
  Disturbance disturbance;
  BoundOptions bounds;
  bool list = false, json = false, replay = false;
};
Result<SimulateOptions> parse_simulate(const Words& words);

}  // namespace mkmd::tool
