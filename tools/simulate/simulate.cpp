// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/simulate.hpp"

#include "common/files.hpp"
#include "common/text.hpp"
#include "scheduler/json_forms.hpp"
#include "scheduler/simulator.hpp"
#include "scheduler/solver/coin.hpp"
#include "tools/command_line.hpp"
#include "tools/inspect/trace_file.hpp"
#include "tools/inspect/trace_lines.hpp"
#include "tools/simulate/generate.hpp"
#include "tools/simulate/other_hardware.hpp"
#include "tools/simulate/replay_trace.hpp"
#include "tools/simulate/report.hpp"
#include "tools/simulate/trace_input.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace mkmd {

using namespace scheduler;

namespace {

constexpr int kFailed = 1, kWrongUse = 2;
constexpr const char* kUsage =
    "usage: mkmd simulate INPUT.json|TRACE --policy NAME[:key=value,...]|all [options]\n"
    "       mkmd simulate --generate SPEC [options]\n"
    "       mkmd simulate TRACE --replay\n"
    "       mkmd simulate --list\n\n";

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

int run_policies(const tool::SimulateOptions& a, const Problem& problem, std::ostream& out,
                 std::ostream& err) {
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

int run(const tool::SimulateOptions& a, std::ostream& out, std::ostream& err) {
  if (!a.help.empty()) {
    out << kUsage << a.help;
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
  const Result<tool::SimulateOptions> options = tool::parse_simulate({args.begin(), args.end()});
  return options ? run(*options, out, err) : fail(err, options.status());
}

int run_simulate(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return run_simulate(args, std::cout, std::cerr);
}

}  // namespace mkmd
