// SPDX-License-Identifier: Apache-2.0
// `mkmd help`, `mkmd help settings`, `mkmd version`. The texts about options and settings come from their
// lists.
#include "common/settings.hpp"
#include "scheduler/policy.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"

#include <cstdio>

#ifndef MKMD_VERSION
#define MKMD_VERSION "0"
#endif

namespace mkmd::tool {

namespace {

void print_usage() {
  std::printf("mkmd runs an unmodified OpenCL program over several devices, as if they were one.\n\n"
              "  mkmd run [options] [--] program args…   run a program\n"
              "  mkmd profile [--runs N] [options] [--] program args…\n"
              "                                          measure its kernels on every device, fit models\n"
              "  mkmd models [--export FILE] [--import FILE] [--plot FILE.svg] [--test FOLDER]\n"
              "                                          what is known of kernels' times\n"
              "  mkmd devices [SPEC]                     the devices there are, and how to name them\n"
              "  mkmd inspect TRACE [--html|…]           show what a recorded run did\n"
              "  mkmd simulate …                         try scheduling policies on recorded graphs\n"
              "  mkmd help [run|settings|policies]       this text, or more\n"
              "  mkmd version\n");
}

void print_run() {
  std::printf("usage: mkmd run [options] [--] program args…\n\n");
  for (const RunOption& option : run_options()) {
    const std::string form = option.name + (option.value != nullptr ? std::string(" ") + option.value : "");
    std::printf("  %-20s %s (%s)\n", form.c_str(), option.sentence, option.variable);
  }
  std::printf(
      "\nSPEC is PLATFORM[:INDEX][/PARTS], comma-separated: pocl, pocl:0, pocl/2 (two equal parts of the "
      "device).\n"
      "A platform may be named pocl, oclgrind, intel, nvidia, amd or rusticl, or by any part of its name.\n");
}

void print_settings() {
  for (const SettingInfo& setting : setting_list()) {
    std::printf("%s\n    %s\n    accepted: %s; default: %s\n", setting.variable.c_str(),
                setting.sentence.c_str(), setting.accepted.c_str(),
                setting.fallback.empty() ? "empty" : setting.fallback.c_str());
  }
}

void print_policies() {
  for (const scheduler::PolicyInfo& policy : scheduler::policies()) {
    std::printf("%-20.*s %.*s\n", static_cast<int>(policy.name.size()), policy.name.data(),
                static_cast<int>(policy.sentence.size()), policy.sentence.data());
  }
}

}  // namespace

int wrong_use(const std::string& sentence) {
  std::fprintf(stderr, "mkmd: %s\n", sentence.c_str());
  return kWrongUse;
}

void print_notices(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices)
    std::fprintf(stderr, "mkmd: %s\n", notice.c_str());
}

int help(const std::vector<std::string>& arguments) {
  const std::string topic = arguments.empty() ? "" : arguments.front();
  if (topic.empty()) {
    print_usage();
  } else if (topic == "run") {
    print_run();
  } else if (topic == "settings") {
    print_settings();
  } else if (topic == "policies") {
    print_policies();
  } else {
    return wrong_use("there is no help about \"" + topic + "\"; accepted: run, settings, policies");
  }
  return 0;
}

int version(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return wrong_use("version takes no argument");
  std::printf("mkmd %s\n", MKMD_VERSION);
  return 0;
}

}  // namespace mkmd::tool
