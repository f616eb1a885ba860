// SPDX-License-Identifier: Apache-2.0
// The mkmd command: finds the sub-command. A new one is a row here and a function in commands.hpp.
#include "tools/commands.hpp"
#include "tools/inspect/inspect.hpp"
#include "tools/library_place.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <unistd.h>

using namespace mkmd::tool;

namespace {

int become_simulate(std::vector<std::string> all) {
  const std::string folder = program_folder("mkmd-simulate");
  if (folder.empty()) {
    say("mkmd-simulate is missing; it belongs in bin/ beside this command, or in libexec/mkmd/ beside its "
        "folder");
    return 1;
  }
  const std::string program = folder + "/mkmd-simulate";
  std::vector<char*> argv;
  for (std::string& word : all)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  say(program + ": " + std::strerror(errno));
  return 1;
}

int run_command(int argc, char** argv) {
  std::vector<std::string> all(argv + 1, argv + argc);
  if (all.empty()) {
    help({});
    return kWrongUse;
  }
  // These two explain themselves: each is a part of its own.
  if (all.size() == 2 && all[0] == "help" && (all[1] == "inspect" || all[1] == "simulate"))
    all = {all[1], "--help"};
  const std::vector<std::string> arguments(all.begin() + 1, all.end());
  constexpr struct {
    const char* name;
    int (*command)(const std::vector<std::string>&);
  } kCommands[] = {
      {"run", run},         {"profile", profile}, {"verify", verify},     {"models", models},
      {"devices", devices}, {"kernels", kernels}, {"help", help},         {"--help", help},
      {"-h", help},         {"version", version}, {"--version", version},
  };
  const bool asks = arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h");
  for (const auto& row : kCommands) {
    if (all.front() == row.name) {
      const bool is_topic = row.command != help && row.command != version;
      return asks ? help({is_topic ? row.name : ""}) : row.command(arguments);
    }
  }
  if (all.front() == "inspect") return mkmd::inspect::run_inspect(arguments, std::cout, std::cerr);
  if (all.front() == "simulate") return become_simulate(all);
  return wrong_use(
      "unknown command \"" + all.front() +
      "\"; accepted: run, profile, verify, models, kernels, devices, inspect, simulate, help, version");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::exception& e) {  // an input larger than the memory
    say(e.what());
    return 1;
  }
}
