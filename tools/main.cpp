// SPDX-License-Identifier: Apache-2.0
// The mkmd command: finds the sub-command. A new one is a row here and a function in commands.hpp.
#include "tools/commands.hpp"
#include "tools/inspect/inspect.hpp"

#include <iostream>

#ifdef MKMD_HAS_SIMULATE
#include "tools/simulate/simulate.hpp"
#endif

using namespace mkmd::tool;

int main(int argc, char** argv) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  if (all.empty()) {
    help({});
    return kWrongUse;
  }
  const std::vector<std::string> arguments(all.begin() + 1, all.end());
  constexpr struct {
    const char* name;
    int (*command)(const std::vector<std::string>&);
  } kCommands[] = {
      {"run", run},     {"profile", profile}, {"models", models},   {"devices", devices},   {"help", help},
      {"--help", help}, {"-h", help},         {"version", version}, {"--version", version},
  };
  for (const auto& row : kCommands) {
    if (all.front() == row.name) return row.command(arguments);
  }
  if (all.front() == "inspect") return mkmd::inspect::run_inspect(arguments, std::cout, std::cerr);
#ifdef MKMD_HAS_SIMULATE
  if (all.front() == "simulate") return mkmd::run_simulate(argc - 1, argv + 1);
#endif
  return wrong_use("unknown command \"" + all.front() +
                   "\"; accepted: run, profile, models, devices, inspect, simulate, help, version");
}
