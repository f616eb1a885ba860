// SPDX-License-Identifier: Apache-2.0
// `mkmd profile`: runs the program with the library in profiling mode, then takes the samples it left in the
// spool into the store and fits models. The exit code is the program's; whatever becomes of the samples.
#include "common/settings.hpp"
#include "common/text.hpp"
#include "profiler/learn.hpp"
#include "tools/commands.hpp"
#include "tools/launch.hpp"

#include <cstdio>

namespace mkmd::tool {

namespace {

// Why a program that was run to be measured left no sample.
std::string why_no_samples() {
  std::vector<std::string> said;
  if (!read_settings(said).enabled) return "MKMD_ENABLE=0 leaves the program alone";
  profiler::Spool spool(profiler::default_spool_folder());
  if (const Status s = spool.try_out(); !s) return "they cannot be written: " + s.message();
  return "profiling needs at least two devices (`mkmd devices`, --devices) and kernels with buffers";
}

void learn_and_report() {
  std::vector<std::string> notices;
  const auto learned = profiler::learn({}, notices);
  print_notices(notices);
  if (!learned) {
    say(learned.status().message());
    return;
  }
  if (learned->damaged > 0) {
    std::fprintf(stderr, "mkmd: left out of the spool: %s\n",
                 counted(static_cast<uint64_t>(learned->damaged), "damaged line").c_str());
  }
  if (learned->samples == 0) {
    say("no kernel was measured: " + why_no_samples());
    return;
  }
  std::fprintf(stderr, "mkmd: %s taken, %s fitted; `mkmd models` shows what is known\n",
               counted(static_cast<uint64_t>(learned->samples), "sample").c_str(),
               counted(static_cast<uint64_t>(learned->fitted), "model").c_str());
}

}  // namespace

int profile(const std::vector<std::string>& arguments) {
  const auto options = parse_profile(arguments);
  if (!options) return wrong_use("profile: " + options.status().message());
  if (!options->help.empty()) return help({"profile"});
  if (const int problem = prepare(*options); problem != 0) return problem;
  // Damaged models go before the program looks for them: it could only say the same once more.
  std::vector<std::string> notices;
  (void)profiler::read_own_models(mkmd::models::default_models_file(), notices);
  print_notices(notices);
  const Ended ended = run_child(options->program);
  if (ended.started) learn_and_report();
  return ended.code;
}

}  // namespace mkmd::tool
