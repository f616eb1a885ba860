// SPDX-License-Identifier: Apache-2.0
// CLI11 is included here alone, because compiling it takes seconds.
#include "tools/command_line.hpp"

#include "tools/simulate/generate.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>
#include <variant>

namespace mkmd::tool {

namespace {

// Is given a value, and says what is wrong with it, or nothing.
using Take = std::function<std::string(const std::string& value)>;

struct Option {
  std::string name;   // such as --output
  std::string value;  // what it takes, such as FILE; empty: nothing
  std::string help;   // empty: neither help nor messages name the option
  std::variant<bool*, std::string*, Words*, Take> to;

  std::string form() const { return name + (value.empty() ? "" : " " + value); }
};

std::string accepted(const std::vector<Option>& options) {
  std::string all;
  for (const Option& option : options) {
    if (!option.help.empty()) all += (all.empty() ? "" : ", ") + option.form();
  }
  return all;
}

std::string help_on(const std::vector<Option>& options) {
  constexpr size_t kMargin = 23;
  std::string all;
  for (const Option& option : options) {
    if (option.help.empty()) continue;
    std::string line = "  " + option.form() + " ";
    line.resize(std::max(line.size(), kMargin), ' ');
    all += line;
    for (const char c : option.help)
      all += c == '\n' ? "\n" + std::string(kMargin, ' ') : std::string(1, c);
    all += '\n';
  }
  return all;
}

// What is wrong with one use of an option, or nothing.
std::string use(const Option& option, const std::string& value) {
  if (option.value.empty() && value != "true")
    return option.name + " takes no value";  // CLI11's word for none
  if (value == "--") return option.name + " needs a value: " + option.value;
  std::string wrong;
  if (bool* const* given = std::get_if<bool*>(&option.to))
    **given = true;
  else if (std::string* const* last = std::get_if<std::string*>(&option.to))
    **last = value;
  else if (Words* const* all = std::get_if<Words*>(&option.to))
    (*all)->push_back(value);
  else
    wrong = std::get<Take>(option.to)(value);
  return wrong.empty() ? "" : option.name + (option.value.empty() ? "" : " " + value) + ": " + wrong;
}

// CLI11 would take the next word for the value of `--name=`. A NUL is in no word, so here it is an empty
// value.
std::string with_mark(std::string word) {
  return word.starts_with("--") && word.ends_with('=') ? word + '\0' : word;
}
std::string without_mark(std::string word) {
  if (word.ends_with('\0')) word.pop_back();
  return word;
}

// The words that belong to no option. Options end at `--`; `prefix`: also at the first such word.
Result<Words> read(const std::vector<Option>& options, const Words& words, std::string& help,
                   bool prefix = false) {
  CLI::App app;
  app.allow_extras();
  app.prefix_command(prefix);
  std::string wrong;
  for (const Option& option : options) {
    const auto use_all = [&option, &wrong](const CLI::results_t& values) {
      for (size_t i = 0; i < values.size() && wrong.empty(); ++i)
        wrong = use(option, without_mark(values[i]));
      return true;
    };
    app.add_option(option.name, use_all)
        ->expected(option.value.empty() ? 0 : 1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  std::vector<std::string> reversed{
      "--"};  // CLI11 begins at the end; this is the value of an option without one
  std::transform(words.rbegin(), words.rend(), std::back_inserter(reversed), with_mark);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    help = help_on(options);
    return Words{};
  }
  if (!wrong.empty()) return Status::internal(wrong);
  Words others = app.remaining();
  others.pop_back();
  std::ranges::transform(others, others.begin(), without_mark);
  for (auto word = others.begin(); word != others.end(); ++word) {
    if (*word == "--") {
      others.erase(word);
      break;
    }
    if (word->size() > 1 && word->front() == '-')
      return Status::internal("unknown option " + *word + "; accepted: " + accepted(options));
    if (prefix) break;
  }
  return others;
}

// The same for a command with at most one other word, `what`.
Status read_with_one(const std::vector<Option>& options, const Words& words, std::string& help,
                     const std::string& what, std::string& one) {
  const Result<Words> others = read(options, words, help);
  if (!others) return others.status();
  if (others->size() > 1)
    return Status::internal("more than one " + what + ": " + (*others)[0] + " and " + (*others)[1]);
  if (!others->empty()) one = others->front();
  return {};
}

template <typename T>
bool read_number(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

template <typename T>
Take number(T& to, T least, T most) {
  return [&to, least, most](const std::string& text) -> std::string {
    if (T read{}; read_number(text, read) && read >= least && read <= most) {
      to = read;
      return "";
    }
    std::ostringstream wrong;
    wrong << "give " << least << " to " << most << (std::is_integral_v<T> ? ", a whole number" : "");
    return wrong.str();
  };
}

// --- run, profile, verify ---

constexpr uint64_t kRuns = 20;         // where none are given: enough for an error below 5 %
constexpr uint64_t kMostRuns = 10000;  // that MKMD_PROFILE accepts

std::vector<Option> run_options(RunOptions& run) {
  std::vector<Option> list;
  const auto add = [&](const char* name, const char* value, const char* variable, const char* help) {
    const bool is_switch = *value == '\0';
    list.push_back(
        {name, value, help + (" (" + std::string(variable) + ")"), [=, &run](const std::string& given) {
           run.variables.emplace_back(variable, is_switch ? "1" : given);
           return "";
         }});
  };
  add("--devices", "SPEC", "MKMD_DEVICES",
      "the real devices, such as pocl/2 or pocl/2,oclgrind; the first is home");
  add("--platform", "FILE", "MKMD_PLATFORM", "emulate the devices of this file on the real ones");
  add("--separate-memory", "", "MKMD_SEPARATE_MEMORY", "give each device a memory of its own");
  add("--policy", "NAME", "MKMD_POLICY", "the scheduling policy");
  add("--exact", "", "MKMD_EXACT", "split kernels only over devices that share home's code generator");
  add("--relaxed", "", "MKMD_RELAXED", "also split kernels built for relaxed arithmetic: last bits may vary");
  add("--trace", "FILE", "MKMD_TRACE", "write plans and executed pieces, for mkmd inspect");
  add("--trace-planning", "", "MKMD_TRACE_PLANNING",
      "also write each plan's inputs, for mkmd simulate --replay");
  add("--summary", "FILE", "MKMD_SUMMARY", "write at exit what each device did, as JSON");
  add("--log", "LEVEL", "MKMD_LOG", "quiet, error, warning, info or debug");
  return list;
}

Result<RunOptions> read_run(RunOptions& run, const std::vector<Option>& options, const std::string& command,
                            const Words& words) {
  Result<Words> program = read(options, words, run.help, true);
  if (!program) return program.status();
  if (program->empty() && run.help.empty())
    return Status::internal("no program was given; usage: mkmd " + command + " [options] [--] program args…");
  run.program = std::move(*program);
  return std::move(run);
}

std::string read_sizes(std::string text, std::array<uint64_t, 3>& sizes) {
  for (size_t d = 0; d < 3; ++d) {
    const size_t comma = text.find(',');
    if (!read_number(text.substr(0, comma), sizes[d]) || sizes[d] == 0) break;
    if (comma == std::string::npos) return "";
    text.erase(0, comma + 1);
  }
  return "give one to three sizes from 1";
}

std::string read_bounds(const std::string& text, std::vector<std::string>& bounds) {
  if (!text.empty()) bounds.clear();
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) {
    if (!BoundOptions{}.wants(name) && name != "none")
      return "give path, classes, area, transfers, mixed or none";
    bounds.push_back(name);
  }
  return "";
}

}  // namespace

Result<RunOptions> parse_run(const Words& words) {
  RunOptions run;
  return read_run(run, run_options(run), "run", words);
}

Result<RunOptions> parse_profile(const Words& words) {
  RunOptions run;
  uint64_t runs = kRuns;
  std::vector<Option> options = run_options(run);
  options.insert(options.begin(),
                 {"--runs", "N",
                  "how often each kernel is measured on every device, 1 to " + std::to_string(kMostRuns) +
                      "; default " + std::to_string(kRuns) + " (MKMD_PROFILE)",
                  number(runs, uint64_t{1}, kMostRuns)});
  Result<RunOptions> result = read_run(run, options, "profile", words);
  if (result) result->variables.emplace_back("MKMD_PROFILE", std::to_string(runs));
  return result;
}

Result<RunOptions> parse_verify(const Words& words) {
  RunOptions run;
  std::vector<Option> options{{"--all", "", "check every launch (MKMD_VERIFY_ALL)",
                               [&run](const std::string&) {
                                 run.variables.emplace_back("MKMD_VERIFY_ALL", "1");
                                 return "";
                               }},
                              {"--json", "FILE", "write the verdict there, as JSON", &run.json}};
  for (Option& option : run_options(run)) {
    if (option.name == "--policy") {
      option.help.clear();
      option.to = [](const std::string&) {
        return "not accepted, mkmd verify chooses the splits that it checks";
      };
    }
    options.push_back(std::move(option));
  }
  return read_run(run, options, "verify", words);
}

Result<ModelsOptions> parse_models(const Words& words) {
  ModelsOptions models;
  const Result<Words> others =
      read({{"--export", "FILE", "write the models to FILE, for another machine", &models.export_file},
            {"--import", "FILE",
             "add FILE's models; they replace those of the same kernel, program and device\n"
             "until `mkmd profile` measures the kernel here",
             &models.import_file},
            {"--json", "FILE", "write each model's samples there: measured and predicted seconds, as JSON",
             &models.json_file},
            {"--test", "FOLDER",
             "print the models' errors on the samples of another data directory, which has\n"
             "samples.db or spool/",
             &models.test_folder}},
           words, models.help);
  if (!others) return others.status();
  if (!others->empty()) return Status::internal(others->front() + " belongs to no option");
  return models;
}

Result<KernelsOptions> parse_kernels(const Words& words) {
  KernelsOptions kernels;
  const auto sizes_to = [](std::array<uint64_t, 3>& sizes) {
    return [&sizes](const std::string& value) { return read_sizes(value, sizes); };
  };
  const auto number_of = [&](const std::string& value) {
    const size_t equals = value.find('=');
    const bool good = equals != std::string::npos &&
                      read_number(value.substr(equals + 1), kernels.numbers[value.substr(0, equals)]);
    return good ? "" : "give NAME=NUMBER";
  };
  Words ours;
  for (const std::string& word : words) {  // with one dash, for the compiler
    if (word.starts_with("-") && !word.starts_with("--"))
      kernels.build += word + " ";
    else
      ours.push_back(word);
  }
  if (const Status s =
          read_with_one({{"--kernel", "NAME", "describe only this kernel", &kernels.kernel},
                         {"--global", "X,Y,Z", "work-items of the launch", sizes_to(kernels.global)},
                         {"--local", "X,Y,Z", "work-items of a work-group", sizes_to(kernels.local)},
                         {"--arg", "NAME=NUMBER", "the value of an integer argument", number_of},
                         {"--json", "", "everything, as JSON", &kernels.as_json}},
                        ours, kernels.help, "file", kernels.file);
      !s)
    return s;
  if (kernels.file.empty() && kernels.help.empty())
    return Status::internal("no file is named; usage: mkmd kernels FILE.cl [-D… -I… -cl-…] [options]");
  return kernels;
}

Result<InspectOptions> parse_inspect(const Words& words,
                                     const std::vector<std::pair<std::string, std::string>>& formats) {
  InspectOptions inspect;
  std::vector<Option> options;
  for (const auto& [name, sentence] : formats) {
    options.push_back({name, "", sentence, [&inspect, name = name](const std::string&) -> std::string {
                         if (!inspect.format.empty() && inspect.format != name)
                           return "not with " + inspect.format;
                         inspect.format = name;
                         return "";
                       }});
  }
  options.push_back({"--window", "N", "show the Nth window only",
                     number(inspect.window, uint64_t{1}, uint64_t{1'000'000'000})});
  options.push_back({"--output", "FILE", "write there, not to standard output", &inspect.output});
  if (const Status s = read_with_one(options, words, inspect.help, "trace", inspect.input); !s) return s;
  if (inspect.input.empty() && inspect.help.empty())
    return Status::internal("no trace was given; usage: mkmd inspect TRACE [--json|…] [--output FILE]");
  return inspect;
}

Result<SimulateOptions> parse_simulate(const Words& words) {
  SimulateOptions o;
  const std::vector<Option> options{
      {"--policy", "NAME", "plan with this policy; may be given several times; all is every policy",
       &o.policies},
      {"--platform", "FILE", "the devices of this file in place of those of the input", &o.platform},
      {"--output", "FILE", "write the schedule there; with --generate alone, the graph", &o.output},
      {"--json", "", "the table as JSON", &o.json},
      {"--rate-error", "F",
       "simulate the plan where each kind of task is up to the share F faster or slower\n"
       "on each device than predicted",
       number(o.disturbance.rate_error, 0.0, 0.99)},
      {"--jitter", "F", "the same for each single task", number(o.disturbance.jitter, 0.0, 0.99)},
      {"--seed", "N", "seed of these random errors; default 1",
       number(o.disturbance.seed, uint64_t{0}, uint64_t{1'000'000'000'000'000})},
      {"--bounds", "NAMES",
       "lower bounds to compare with; default path,classes,area,transfers,mixed; or none",
       [&o](const std::string& names) { return read_bounds(names, o.bounds.only); }},
      {"--bound-time", "SECONDS", "time limit for each bound; default 5",
       number(o.bounds.seconds_each, 0.0, 1e6)},
      {"--exact", "SECONDS", "time limit for the optimal schedule; default 0: none is computed",
       number(o.bounds.exact_seconds, 0.0, 1e6)},
      {"--generate", "SPEC", "generate the input graph; SPEC is one of\n" + std::string(kGenerators),
       &o.generate},
      {"--replay", "",
       "plan the windows of a trace recorded with --trace-planning again; exit code 1\n"
       "if a plan differs",
       &o.replay},
      {"--list", "", "list the policies", &o.list},
  };
  if (const Status s = read_with_one(options, words, o.help, "input", o.input); !s) return s;
  return o;
}

}  // namespace mkmd::tool
