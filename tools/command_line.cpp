// SPDX-License-Identifier: Apache-2.0
#include "tools/command_line.hpp"

#include <algorithm>

namespace mkmd::tool {

const std::vector<RunOption>& run_options() {
  static const std::vector<RunOption> list = {
      {"--devices", "SPEC", "MKMD_DEVICES",
       "the real devices, such as pocl/2 or pocl/2,oclgrind; the first is home"},
      {"--platform", "FILE", "MKMD_PLATFORM", "emulate the devices of this file on the real ones"},
      {"--separate-memory", nullptr, "MKMD_SEPARATE_MEMORY",
       "treat each device as having a memory of its own"},
      {"--policy", "NAME", "MKMD_POLICY", "the scheduling policy"},
      {"--exact", nullptr, "MKMD_EXACT", "keep every kernel on devices that share the home's code generator"},
      {"--relaxed", nullptr, "MKMD_RELAXED",
       "split kernels built for relaxed arithmetic too: last bits may vary"},
      {"--trace", "FILE", "MKMD_TRACE", "write what was planned and what happened"},
      {"--trace-planning", nullptr, "MKMD_TRACE_PLANNING",
       "also what each plan follows from, for mkmd simulate --replay"},
      {"--summary", "FILE", "MKMD_SUMMARY", "write at exit what each device did, as JSON"},
      {"--log", "LEVEL", "MKMD_LOG", "quiet, error, warning, info or debug"},
  };
  return list;
}

namespace {

std::string accepted_options() {
  std::string text;
  for (const RunOption& option : run_options()) {
    text += (text.empty() ? "" : ", ") + std::string(option.name);
    if (option.value != nullptr) text += std::string(" ") + option.value;
  }
  return text;
}

}  // namespace

Result<RunOptions> parse_run(const std::vector<std::string>& arguments) {
  RunOptions result;
  size_t next = 0;
  for (; next < arguments.size(); ++next) {
    const std::string& argument = arguments[next];
    if (argument == "--") {
      ++next;
      break;
    }
    if (argument.empty() || argument[0] != '-') break;
    if (argument == "--help" || argument == "-h") {
      result.help = true;
      return result;
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto option = std::find_if(run_options().begin(), run_options().end(),
                                     [&](const RunOption& candidate) { return candidate.name == name; });
    if (option == run_options().end()) {
      return Status::internal("unknown option " + argument + "; accepted: " + accepted_options());
    }
    std::string value = "1";
    if (option->value == nullptr) {
      if (equals != std::string::npos) return Status::internal(name + " takes no value");
    } else if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (next + 1 < arguments.size() && arguments[next + 1] != "--") {
      value = arguments[++next];
    } else {
      return Status::internal(name + " needs a value: " + option->value);
    }
    result.variables.emplace_back(option->variable, value);
  }
  result.program.assign(arguments.begin() + static_cast<std::ptrdiff_t>(std::min(next, arguments.size())),
                        arguments.end());
  if (result.program.empty()) {
    return Status::internal("no program was given; usage: mkmd run [options] [--] program args…");
  }
  return result;
}

namespace {

// Takes a sub-command's own options out of what comes before the program, and reads the rest as `mkmd run`
// does. `own`: what a word and its value (empty if it takes none) mean; false if it is none of them.
struct OwnOption {
  std::string name;
  const char* value;  // what it takes, or null
};
Result<RunOptions> parse_with(const std::string& command, const std::vector<std::string>& arguments,
                              const std::vector<OwnOption>& own,
                              std::vector<std::pair<std::string, std::string>>& given) {
  std::vector<std::string> rest;
  size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--" && arguments[i].starts_with("-"); ++i) {
    const std::string& a = arguments[i];
    const std::string name = a.substr(0, a.find('='));
    const auto option = std::ranges::find(own, name, &OwnOption::name);
    if (option == own.end()) {
      rest.push_back(a);
      const auto run_option = std::find_if(run_options().begin(), run_options().end(),
                                           [&](const RunOption& candidate) { return candidate.name == a; });
      if (run_option != run_options().end() && run_option->value != nullptr && i + 1 < arguments.size())
        rest.push_back(arguments[++i]);
    } else if (option->value == nullptr) {
      if (name != a) return Status::internal(name + " takes no value");
      given.emplace_back(name, "");
    } else if (name != a) {
      given.emplace_back(name, a.substr(name.size() + 1));
    } else if (i + 1 == arguments.size() || arguments[i + 1] == "--") {
      return Status::internal(name + " needs a value: " + option->value);
    } else {
      given.emplace_back(name, arguments[++i]);
    }
  }
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  auto options = parse_run(rest);
  if (options) return options;
  std::string message = options.status().message();
  if (const size_t at = message.find("mkmd run"); at != std::string::npos)
    message.replace(at, 8, "mkmd " + command);
  return Status::internal(message);
}

}  // namespace

Result<RunOptions> parse_profile(const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, std::string>> given;
  auto options = parse_with("profile", arguments, {{"--runs", "N"}}, given);
  const std::string runs = given.empty() ? std::to_string(kRuns) : given.back().second;
  const bool number = !runs.empty() && runs.size() <= 5 &&
                      std::all_of(runs.begin(), runs.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number || std::stoi(runs) < 1 || std::stoi(runs) > kMostRuns)
    return Status::internal("--runs " + runs + ": give 1 to " + std::to_string(kMostRuns));
  if (options) options->variables.emplace_back("MKMD_PROFILE", runs);
  return options;
}

Result<VerifyOptions> parse_verify(const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, std::string>> given;
  auto options = parse_with("verify", arguments, {{"--all", nullptr}, {"--json", "FILE"}}, given);
  if (!options) return options.status();
  for (const auto& [variable, value] : options->variables) {
    if (variable == "MKMD_POLICY")
      return Status::internal("--policy is not accepted: mkmd verify chooses the splits that it checks");
  }
  VerifyOptions result{std::move(*options), {}};
  for (const auto& [name, value] : given) {
    if (name == "--json") result.json = value;
    if (name == "--all") result.run.variables.emplace_back("MKMD_VERIFY_ALL", "1");
  }
  return result;
}

}  // namespace mkmd::tool
