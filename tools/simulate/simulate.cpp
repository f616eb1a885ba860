// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/simulate.hpp"

#include "common/files.hpp"
#include "common/text.hpp"
#include "scheduler/json_forms.hpp"
#include "scheduler/simulator.hpp"
#include "scheduler/solver/coin.hpp"
#include "tools/inspect/trace_file.hpp"
#include "tools/inspect/trace_lines.hpp"
#include "tools/simulate/generate.hpp"
#include "tools/simulate/other_hardware.hpp"
#include "tools/simulate/replay_trace.hpp"
#include "tools/simulate/report.hpp"
#include "tools/simulate/trace_input.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <sstream>

namespace mkmd {

using namespace scheduler;

namespace {

constexpr int kFailed = 1, kWrongUse = 2;
constexpr const char* kUsage =
    "usage: mkmd simulate INPUT.json|TRACE --policy NAME[:key=value,...]|all [--output FILE] [--platform "
    "FILE]\n"
    "                     [--rate-error 0.2] [--jitter 0.05] [--seed 1] [--bound-time SECONDS]\n"
    "                     [--exact SECONDS] [--bounds path,classes,area,transfers,mixed] [--json]\n"
    "                     (several --policy: one table)\n"
    "       mkmd simulate --generate SPEC [--output FILE]\n"
    "       mkmd simulate TRACE --replay\n"
    "       mkmd simulate --list\n"
    "--rate-error F: the plan is carried out in a world where every kind of task is up to the share F "
    "quicker\n"
    "or slower on each device; --jitter F: where every single time is; --seed N: another such world\n"
    "--replay: the library's planner plans the windows of a trace with --trace-planning again; exit code 1 "
    "if a "
    "plan differs\n";

struct Arguments {
  std::string input, output, platform, generate;
  std::vector<std::string> policies;
  Disturbance disturbance;
  BoundOptions bounds;
  bool list = false, help = false, json = false, replay = false;
};

Status read_number(const std::string& option, const std::string& text, double min, double max,
                   double& value) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !(x >= min && x <= max)) {
    std::ostringstream out;
    out << option << " " << text << ": needs a number from " << min << " to " << max;
    return Status::internal(out.str());
  }
  value = x;
  return {};
}

Result<Arguments> read_arguments(std::span<const std::string> args) {
  Arguments a;
  double seed = 1;
  std::string bounds;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--list") {
      a.list = true;
    } else if (arg == "--help" || arg == "-h") {
      a.help = true;
    } else if (arg == "--json") {
      a.json = true;
    } else if (arg == "--replay") {
      a.replay = true;
    } else if (!arg.starts_with("-")) {
      if (!a.input.empty()) return Status::internal("more than one input: " + a.input + " and " + arg);
      a.input = arg;
    } else {
      std::string* text = nullptr;
      double* number = nullptr;
      double min = 0, max = 1e6;
      if (arg == "--policy") text = &a.policies.emplace_back();
      if (arg == "--output") text = &a.output;
      if (arg == "--platform") text = &a.platform;
      if (arg == "--bounds") text = &bounds;
      if (arg == "--generate") text = &a.generate;
      if (arg == "--rate-error" || arg == "--jitter") {
        number = arg == "--jitter" ? &a.disturbance.jitter : &a.disturbance.rate_error;
        max = 0.99;
      }
      if (arg == "--seed") {
        number = &seed;
        max = 1e15;
      }
      if (arg == "--bound-time") number = &a.bounds.seconds_each;
      if (arg == "--exact") number = &a.bounds.exact_seconds;
      if (!text && !number) return Status::internal("unknown option " + arg + " (see mkmd simulate --help)");
      if (i + 1 == args.size()) return Status::internal(arg + " needs a value");
      ++i;
      if (text) *text = args[i];
      if (number)
        if (Status s = read_number(arg, args[i], min, max, *number); !s) return s;
    }
  }
  if (seed != std::floor(seed)) return Status::internal("--seed needs a whole number");
  a.disturbance.seed = static_cast<uint64_t>(seed);
  if (!bounds.empty()) a.bounds.only.clear();
  std::istringstream list(bounds);
  for (std::string name; std::getline(list, name, ',');) {
    if (!BoundOptions{}.wants(name) && name != "none")
      return Status::internal("--bounds " + name + ": needs path, classes, area, transfers, mixed or none");
    a.bounds.only.push_back(name);
  }
  return a;
}

Result<Problem> read_problem(const std::string& path) {
  Result<std::string> text = read_file(path, kLargestInput);
  if (!text) return text.status();
  if (text->empty())
    return Status::internal(
        path + ": is empty; give a graph (docs/exchange-format.md) or a trace of mkmd run --trace");
  Result<Document> document = parse_document(*text);
  if (!document) return Status::internal(path + ": " + document.status().message());
  return std::move(document->problem);
}

int list_policies(std::ostream& out) {
  for (const PolicyInfo& p : policies())
    out << p.name << ": " << p.sentence << " [" << p.citation << "]\n";
  return 0;
}

int compare(const std::vector<std::string>& wanted, const Problem& problem, const Problem& actual,
            const std::vector<Bound>& bounds, bool as_json, std::ostream& out) {
  nlohmann::ordered_json json = as_json ? bounds_to_json(bounds) : nlohmann::ordered_json();
  if (!as_json) {
    for (const Bound& b : bounds)
      if (b.seconds)
        out << "bound: " << b.name << (b.note.empty() ? "" : " (" + b.note + ")") << "  " << *b.seconds
            << " s\n";
    print_table_head(out);
  }
  bool failed = false;
  for (const std::string& policy : wanted) {
    const Outcome outcome = try_policy(problem, actual, policy);
    failed = failed || !outcome.status.ok();
    if (as_json) {
      json["policies"].push_back(outcome_to_json(policy, problem, outcome));
    } else {
      print_table_row(out, policy, problem, outcome, best_bound(bounds));
    }
  }
  if (as_json) out << json.dump() << "\n";
  return failed ? kFailed : 0;
}

int fail(std::ostream& err, const Status& status, int code = kWrongUse) {
  err << "mkmd simulate: " << printable(status.message()) << "\n";
  return code;
}

Status print_problem(const Problem& problem, const std::string& output, std::ostream& out) {
  const nlohmann::ordered_json json = to_json(problem);
  if (!output.empty()) return write_file(output, json);
  out << json.dump() << "\n";
  return {};
}

// `all` stands for each of them.
Result<std::vector<std::string>> wanted_policies(const std::vector<std::string>& specs) {
  std::vector<std::string> wanted;
  for (const std::string& spec : specs) {
    if (spec == "all") {
      for (const PolicyInfo& p : policies())
        wanted.emplace_back(p.name);
    } else if (Result<std::unique_ptr<Policy>> policy = make_policy(spec); !policy) {
      return policy.status();
    } else {
      wanted.push_back(spec);
    }
  }
  return wanted;
}

int run_policies(const Arguments& a, const Problem& problem, std::ostream& out, std::ostream& err) {
  const Problem disturbed = a.disturbance.of(problem);
  const Problem& actual = a.disturbance.none() ? problem : disturbed;
  const Result<std::vector<std::string>> wanted = wanted_policies(a.policies);
  if (!wanted) return fail(err, wanted.status());
  if (wanted->size() > 1 && !a.output.empty())
    return fail(err, Status::internal("--output needs one policy"));
  const std::vector<Bound> bounds = bounds_of(actual, a.bounds);
  if (a.json || wanted->size() > 1) return compare(*wanted, problem, actual, bounds, a.json, out);
  const Outcome outcome = try_policy(problem, actual, wanted->front());
  if (!outcome.status.ok()) return fail(err, outcome.status, outcome.refused ? kWrongUse : kFailed);
  out << "policy            " << wanted->front() << "\n";
  print_outcome(out, problem, outcome, bounds);
  if (a.output.empty()) return 0;
  nlohmann::ordered_json json = to_json(actual);
  json["schedule"] = to_json(outcome.schedule, actual);
  if (Status s = write_file(a.output, json); !s) return fail(err, s);
  return 0;
}

int run(const Arguments& a, std::ostream& out, std::ostream& err) {
  if (a.help) {
    out << kUsage << "generators: " << kGenerators << "\n";
    return 0;
  }
  if (a.list) return list_policies(out);
  const bool generates = !a.generate.empty();
  if (generates && !a.input.empty())
    return fail(err, Status::internal("either an input or --generate, not both"));
  if (!generates && a.input.empty())
    return fail(err, Status::internal("needs an input (see mkmd simulate --help)"));

  if (a.replay) {
    const Result<size_t> different = replay_trace(a.input, out);
    return !different ? fail(err, different.status()) : *different > 0 ? kFailed : 0;
  }
  if (!generates && inspect::is_trace(a.input)) {
    const TraceRequest request{a.input, a.platform, a.output, a.policies, a.disturbance, a.bounds};
    const Status status = simulate_trace(request, out);
    return status.ok() ? 0 : fail(err, status, status.code() == Status::kInternal ? kWrongUse : kFailed);
  }
  Result<Problem> problem = generates ? generate_problem(a.generate) : read_problem(a.input);
  if (!problem) return fail(err, problem.status());
  if (!a.platform.empty())
    if (Status s = move_to_platform(*problem, a.platform, {}); !s) return fail(err, s);
  if (!a.policies.empty()) return run_policies(a, *problem, out, err);
  if (!generates) return fail(err, Status::internal("needs --policy (see mkmd simulate --list)"));
  if (Status s = print_problem(*problem, a.output, out); !s) return fail(err, s);
  return 0;
}

}  // namespace

int run_simulate(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  use_coin_solver();
  Result<Arguments> arguments = read_arguments(args);
  if (arguments) return run(*arguments, out, err);
  err << "mkmd simulate: " << printable(arguments.status().message()) << "\n";
  return kWrongUse;
}

int run_simulate(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return run_simulate(args, std::cout, std::cerr);
}

}  // namespace mkmd
