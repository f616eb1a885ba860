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
      "                                          check on copies of its data that its kernels may be split\n"
      "  mkmd models [--export FILE] [--import FILE] [--json FILE] [--test FOLDER]\n"
      "                                          show the models of kernel times\n"
      "  mkmd kernels FILE.cl|FILE.spv [options] describe a file's kernels: accesses, and whether they may "
      "be split\n"
      "  mkmd devices [SPEC]                     list the devices, and their names for --devices\n"
      "  mkmd inspect TRACE [--html|…]           show a recorded run\n"
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
  std::printf("usage: mkmd profile [--runs N] [options] [--] program args…\n\n"
              "Runs the program at home. Before each launch, runs pieces of its kernel on every device, on "
              "copies of\n"
              "the buffers. Results and exit code are the program's. Each run adds its samples to\n"
              "  %s\n"
              "and fits models to them, in\n"
              "  %s\n"
              "`mkmd models` shows the models. `mkmd run` uses them.\n\n",
              profiler::default_store_file().c_str(), mkmd::models::default_models_file().c_str());
  std::printf("%s", options.c_str());
  print_spec();
}

void print_verify(const std::string& options) {
  std::printf(
      "usage: mkmd verify [--all] [--json FILE] [options] [--] program args…\n\n"
      "Runs the program at home. Before launches that may be split, runs pieces of them on every device, on\n"
      "copies of the buffers. In a copy, every byte that the piece should not read is overwritten (poison),\n"
      "with one pattern and then with another. These are differences:\n"
      "  - The results depend on poison.\n"
      "  - The piece changes a byte that it should not write.\n"
      "  - The piece does not write a byte that it should write.\n"
      "  - The pieces together do not give the result of the whole launch, bit by bit.\n"
      "Devices with another code generator may differ from home in the last bits. For these, the verdict "
      "has\n"
      "the distance in units in the last place.\n\n"
      "The first launch of each kernel is checked. Further ones are checked while checking has taken no "
      "longer\n"
      "than the program. At the end, stderr has a line for each kernel and one for each difference. The "
      "exit\n"
      "code is 1 if there is any difference. Otherwise it is the program's, or 128 and the number of the "
      "signal\n"
      "that ended the program. A piece that crashes on poison ends the program, and so does a piece that "
      "has\n"
      "not ended after a minute.\n\n");
  std::printf("%s", options.c_str());
  print_spec();
}

std::string kilobytes(double bytes) {
  return std::to_string(static_cast<int>(bytes / 1000));
}

void print_models(const std::string& options) {
  std::printf(
      "usage: mkmd models [options]\n\n"
      "Shows the model of each kernel on each kind of device. Samples of profiling runs that were ended "
      "before\n"
      "they could fit models are fitted first.\n\n"
      "%s\n"
      "What a model shows:\n"
      "  samples              number of measured pieces that the model was fitted to\n"
      "  R2                   share of the variance of their times that the model explains (1: all of it)\n"
      "  held-out MAPE        mean error in percent of the measured time, on inputs that it was not fitted "
      "to\n"
      "  nine of ten within   error of nine tenths of the measured times against the predicted ones\n"
      "  range                launches that were measured; the model is used up to one and a half times "
      "that\n"
      "  while all devices work   a piece's time then, over its time on one device alone\n\n"
      "Terms of its formula, of a piece of a launch:\n"
      "  items                work-items\n"
      "  operations           operations of all of them\n"
      "  bytes                bytes that they load and store\n"
      "  lines                bytes of the cache lines that each work-group touches, summed over "
      "work-groups\n",
      options.c_str());
  std::printf(
      "  crowded              bytes in cache lines that share a set with more than %.0f others, so that they "
      "are\n"
      "                       evicted before the line's other bytes are used\n"
      "  beyond_%sk…%sk    bytes beyond a cache of this size in kB (1000 bytes): bytes x (1 - cache /\n"
      "                       footprint) if the footprint (the distinct bytes touched) is larger, else 0\n"
      "  conflicts            bytes whose lines are evicted before their work-group uses them again\n"
      "  reach_%sk…%sk     as beyond, for the pages of one work-group and the reach of the address cache "
      "(TLB)\n",
      mkmd::models::kWaysKept, kilobytes(mkmd::models::kCaches.front()).c_str(),
      kilobytes(mkmd::models::kCaches.back()).c_str(), kilobytes(mkmd::models::kReaches.front()).c_str(),
      kilobytes(mkmd::models::kReaches.back()).c_str());
}

void print_kernels(const std::string& options) {
  std::printf(
      "usage: mkmd kernels FILE.cl|FILE.spv [-D… -I… -cl-…] [options]\n\n"
      "Describes each kernel of a file: whether it may be split or why not, which bytes of each "
      "buffer it reads\n"
      "and writes, and what a work-item costs. Whether a kernel is split depends on its launch. The "
      "output shows\n"
      "the launch, with assumed values for sizes and integer arguments that are not given. The file "
      "may also be\n"
      "SPIR-V, or a binary that a program has obtained under `mkmd run`.\n\n"
      "%s\n"
      "Addresses are in bytes from the start of the argument. [a … b] is any number from a to b.\n\n"
      "What lets a kernel be split that runs whole:\n"
      "  it may write anywhere          compute the index from ids, sizes and integer arguments. A "
      "loaded index\n"
      "                                 needs a mask, remainder or comparison that keeps each "
      "work-group to\n"
      "                                 bytes of its own. The index must not leave its type: use "
      "size_t.\n"
      "  it writes a buffer and may     read from one buffer and write to another one\n"
      "    read anywhere in it\n"
      "  its work-groups touch the      give each work-group elements of its own, or change common "
      "elements by\n"
      "    same bytes                   atomic operations on integers whose result is not used\n"
      "  what its index buffers hold    wait for the commands that write them before the launch, and do not "
      "make them\n"
      "    was not known                over the program's memory (CL_MEM_USE_HOST_PTR)\n",
      options.c_str());
}

void print_devices() {
  std::printf("usage: mkmd devices [SPEC]\n\nLists all devices, or those that SPEC names. The first column "
              "is the name for --devices.\n");
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
    return wrong_use("there is no help on \"" + topic +
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
