// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/inspect.hpp"

#include "common/text.hpp"
#include "tools/inspect/formats.hpp"
#include "tools/inspect/one_window.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <string_view>

namespace mkmd::inspect {

namespace {

constexpr int kFailed = 1, kWrongUse = 2;
constexpr size_t kGraphvizManages = 500;  // nodes

struct Format {
  const char* option;
  const char* sentence;
  void (*write)(const Trace&, const Analysis&, std::ostream&);
};

constexpr Format kFormats[] = {
    {"", "a summary", write_summary},
    {"--json", "everything, as JSON", write_json},
    {"--dot", "the kernel graphs, for graphviz", write_dot},
    {"--text", "a timeline for the terminal", write_text},
    {"--svg", "a Gantt chart with transfers, as an SVG image", write_svg},
    {"--perfetto", "trace-event JSON, for ui.perfetto.dev", write_perfetto},
    {"--html", "one page with a Gantt chart to zoom, graphs and predictions", write_html},
};

struct Arguments {
  std::string input, output;
  const Format* format = &kFormats[0];
  size_t window = 0;  // 0: all
  bool help = false;
};

Result<Arguments> read_arguments(const std::vector<std::string>& list) {
  Arguments a;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string& argument = list[i];
    const auto format = std::find_if(std::begin(kFormats) + 1, std::end(kFormats),
                                     [&](const Format& f) { return argument == f.option; });
    if (format != std::end(kFormats)) {
      if (a.format != &kFormats[0] && a.format != format)
        return Status::internal(std::string("either ") + a.format->option + " or " + format->option);
      a.format = format;
    } else if (argument == "--help" || argument == "-h") {
      a.help = true;
    } else if (argument == "--output" || argument == "--window") {
      if (++i == list.size()) return Status::internal(argument + " needs a value");
      if (argument == "--output") {
        a.output = list[i];
        continue;
      }
      const char* end = list[i].data() + list[i].size();
      if (const auto [at, error] = std::from_chars(list[i].data(), end, a.window);
          error != std::errc() || at != end || a.window == 0)
        return Status::internal("--window " + list[i] + ": needs a number from 1");
    } else if (argument.starts_with("-") && argument.size() > 1) {
      return Status::internal("unknown option " + argument +
                              "; accepted: --json, --dot, --text, --svg, --perfetto, --html, --output FILE, "
                              "--window N");
    } else if (!a.input.empty()) {
      return Status::internal("more than one trace: " + a.input + " and " + argument);
    } else {
      a.input = argument;
    }
  }
  if (a.input.empty() && !a.help)
    return Status::internal("no trace was given; usage: mkmd inspect TRACE [--json|…] [--output FILE]");
  return a;
}

void print_help(std::ostream& out) {
  out << "usage: mkmd inspect TRACE [FORMAT] [--window N] [--output FILE]\n\n"
         "Shows what a run recorded by mkmd run --trace TRACE did (- reads standard input); --window N keeps "
         "to its Nth window.\n\n";
  for (const Format& f : kFormats) {
    const std::string option = f.option[0] != '\0' ? f.option : "(none)";
    out << "  " << option << std::string(14 - option.size(), ' ') << f.sentence << "\n";
  }
}

}  // namespace

int run_inspect(const std::vector<std::string>& list, std::ostream& out, std::ostream& err) {
  const auto fail = [&](const std::string& message, int code) {
    err << "mkmd inspect: " << printable(message) << "\n";
    return code;
  };
  const Result<Arguments> arguments = read_arguments(list);
  if (!arguments) return fail(arguments.status().message(), kWrongUse);
  if (arguments->help) {
    print_help(out);
    return 0;
  }
  Result<Trace> read = read_trace(arguments->input);
  if (!read) return fail(read.status().message(), kWrongUse);
  Trace trace = std::move(*read);
  if (arguments->window > 0) {
    if (arguments->window > trace.windows.size())
      return fail("--window " + std::to_string(arguments->window) + ": " + arguments->input + " has " +
                      std::to_string(trace.windows.size()) + " windows",
                  kWrongUse);
    trace = only_window(trace, arguments->window - 1);
  }
  if (std::string_view(arguments->format->option) == "--dot" && trace.commands.size() > kGraphvizManages)
    err << "mkmd inspect: " << trace.commands.size()
        << " commands are more than Graphviz draws in a reasonable time: --window N takes a part, --svg and "
           "--html show all\n";
  const Analysis analysis = analyse(trace);
  if (arguments->output.empty()) {
    arguments->format->write(trace, analysis, out);
    out.flush();
    return out ? 0 : fail("standard output cannot be written", kFailed);
  }
  std::ofstream file(arguments->output, std::ios::binary);
  if (file) arguments->format->write(trace, analysis, file);
  file.flush();
  return file ? 0 : fail(arguments->output + ": cannot be written", kFailed);
}

}  // namespace mkmd::inspect
