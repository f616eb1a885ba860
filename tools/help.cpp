// SPDX-License-Identifier: Apache-2.0
// `mkmd help`, `mkmd help settings`, `mkmd version`. The texts about options and settings come from their
// lists.
#include "common/settings.hpp"
#include "common/text.hpp"
#include "profiler/store.hpp"
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
  std::printf(
      "mkmd runs an unmodified OpenCL program over several devices, as if they were one.\n\n"
      "  mkmd run [options] [--] program args…   run a program\n"
      "  mkmd profile [--runs N] [options] [--] program args…\n"
      "                                          measure its kernels on every device, fit models\n"
      "  mkmd verify [--all] [--json FILE] [options] [--] program args…\n"
      "                                          check that its kernels do what MKMD thinks they do\n"
      "  mkmd models [--export FILE] [--import FILE] [--plot FILE.svg] [--test FOLDER]\n"
      "                                          what is known of kernels' times\n"
      "  mkmd kernels FILE.cl|FILE.spv [options] what is known of its kernels: accesses, split or why not\n"
      "  mkmd devices [SPEC]                     the devices there are, and how to name them\n"
      "  mkmd inspect TRACE [--html|…]           show what a recorded run did\n"
      "  mkmd simulate …                         try scheduling policies on recorded graphs\n"
      "  mkmd help [TOPIC]                       this text, or more: run, profile, verify, models,\n"
      "                                          kernels, devices, inspect, simulate, settings, policies\n"
      "  mkmd version\n");
}

void print_spec() {
  std::printf(
      "\nSPEC is PLATFORM[:INDEX][/PARTS], comma-separated: pocl, pocl:0, pocl/2 (two equal parts of the "
      "device).\n"
      "A platform may be named pocl, oclgrind, intel, nvidia, amd or rusticl, or by any part of its name.\n");
}

void print_run(const std::string& options) {
  std::printf("usage: mkmd run [options] [--] program args…\n\n%s", options.c_str());
  print_spec();
}

void print_profile(const std::string& options) {
  std::printf(
      "usage: mkmd profile [--runs N] [options] [--] program args…\n\n"
      "Runs the program, and before each of its kernels pieces of it on every device, on copies of the "
      "data.\n"
      "The program's results and exit code stay its own; it takes longer. What was measured adds up in "
      "%s,\n"
      "and models are fitted to it, in %s; `mkmd models` shows them, `mkmd run` uses them.\n\n",
      profiler::default_store_file().c_str(), mkmd::models::default_models_file().c_str());
  std::printf("%s", options.c_str());
  print_spec();
}

void print_verify(const std::string& options) {
  std::printf(
      "usage: mkmd verify [--all] [--json FILE] [options] [--] program args…\n\n"
      "Runs the program at home, and before launches that could be split pieces of them on every device, on\n"
      "copies of the data. In a copy, every byte that MKMD thinks the piece does not need is poison, of one\n"
      "pattern and then of another. It is a difference if results depend on poison, if a byte changes that\n"
      "should not, if one does not that should, or if the pieces together are not the whole launch, bit by "
      "bit.\n"
      "How far devices with another code generator are from home is told in units in the last place.\n\n"
      "The first launch of each kernel is checked, and further ones as long as checking takes no longer "
      "than\n"
      "the program. At the end, stderr has a line for each kernel and one for each difference. The exit\n"
      "code is 1 if there is any difference; otherwise it is the program's, also if a signal ended that. A "
      "piece\n"
      "that crashes on poison ends the program; a piece that does not end is given a minute.\n\n");
  std::printf("%s", options.c_str());
  print_spec();
}

std::string kilobytes(double bytes) {
  return std::to_string(static_cast<int>(bytes / 1000));
}

void print_models(const std::string& options) {
  std::printf(
      "usage: mkmd models [options]\n\n"
      "Takes in what profiling runs have left, and shows the model of each kernel on each kind of device.\n\n"
      "%s\n"
      "What a model shows:\n"
      "  samples              measured pieces that it was fitted to\n"
      "  R2                   of these, the share of the variance of times that it explains; 1 is all\n"
      "  held-out MAPE        mean error, in percent of the measured time, on inputs it was not fitted to\n"
      "  nine of ten within   how far measured times are from predicted ones, except the worst tenth\n"
      "  range                launches it was measured on; it is asked about up to half as much again\n"
      "  while all devices work   times as long as alone\n\n"
      "Terms of its formula, of a piece of a launch:\n"
      "  items                work-items\n"
      "  operations           operations of all of them\n"
      "  bytes                bytes that they load and store\n"
      "  lines                bytes of the cache lines that work-groups touch, each for itself\n",
      options.c_str());
  std::printf(
      "  crowded              bytes whose cache lines share a set with too many (more than %.0f), so that "
      "they\n"
      "                       are gone before their neighbours are used\n"
      "  beyond_%sk…%sk    bytes beyond a cache of so many kB (1 kB = 1000 bytes): bytes x (1 - cache /\n"
      "                       footprint), where the footprint, the distinct bytes touched, is larger\n"
      "  conflicts            bytes whose lines are gone before their work-group comes back to them\n"
      "  reach_%sk…%sk     the same as beyond, of the pages that one work-group touches and those whose\n"
      "                       addresses a processor keeps\n",
      mkmd::models::kWaysKept, kilobytes(mkmd::models::kCaches.front()).c_str(),
      kilobytes(mkmd::models::kCaches.back()).c_str(), kilobytes(mkmd::models::kReaches.front()).c_str(),
      kilobytes(mkmd::models::kReaches.back()).c_str());
}

void print_kernels(const std::string& options) {
  std::printf(
      "usage: mkmd kernels FILE.cl|FILE.spv [-D… -I… -cl-…] [options]\n\n"
      "What MKMD knows of each kernel of a file: whether it may be split or why not, where it reads and "
      "writes\n"
      "each buffer, and what a work-item costs. Whether a kernel is split depends on its launch. Sizes and\n"
      "integer arguments that are not given are assumed, and shown. FILE.cl may also be SPIR-V, or a binary "
      "that "
      "a\nprogram has got under `mkmd run`.\n\n"
      "%s\n"
      "Addresses are in bytes from the start of the argument. [a … b] is any number from a to b.\n\n"
      "What lets a kernel that runs whole be split:\n"
      "  it may write anywhere          compute the index from ids, sizes and integer arguments. A loaded "
      "one\n"
      "                                 needs a mask, remainder or comparison that keeps each work-group to\n"
      "                                 bytes of its own. The index must not leave its type: use size_t.\n"
      "  it writes a buffer and may     read from one buffer and write to another one\n"
      "    read anywhere in it\n"
      "  its work-groups touch the      give each work-group elements of its own, or change the common ones "
      "by\n"
      "    same bytes                   atomic operations on integers whose result is not used\n",
      options.c_str());
}

void print_devices() {
  std::printf("usage: mkmd devices [SPEC]\n\nThe devices there are, or those that SPEC names.\n");
  print_spec();
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

void say(const std::string& sentence) {
  std::fprintf(stderr, "mkmd: %s\n", printable(sentence).c_str());
}

int wrong_use(const std::string& sentence) {
  say(sentence);
  return kWrongUse;
}

void print_notices(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices)
    say(notice);
}

int help(const std::vector<std::string>& arguments) {
  const std::string topic = arguments.empty() ? "" : arguments.front();
  if (topic.empty()) {
    print_usage();
  } else if (topic == "run") {
    print_run(parse_run({"--help"})->help);
  } else if (topic == "profile") {
    print_profile(parse_profile({"--help"})->help);
  } else if (topic == "verify") {
    print_verify(parse_verify({"--help"})->help);
  } else if (topic == "models") {
    print_models(parse_models({"--help"})->help);
  } else if (topic == "kernels") {
    print_kernels(parse_kernels({"--help"})->help);
  } else if (topic == "devices") {
    print_devices();
  } else if (topic == "settings") {
    print_settings();
  } else if (topic == "policies") {
    print_policies();
  } else {
    return wrong_use("there is no help about \"" + topic +
                     "\"; accepted: run, profile, verify, models, kernels, devices, "
                     "inspect, simulate, settings, policies");
  }
  return 0;
}

int version(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return wrong_use("version takes no argument");
  std::printf("mkmd %s\n", MKMD_VERSION);
  return 0;
}

}  // namespace mkmd::tool
