// SPDX-License-Identifier: Apache-2.0
#include "tools/inspect/inspect.hpp"

#include "common/text.hpp"
#include "tools/command_line.hpp"
#include "tools/inspect/formats.hpp"
#include "tools/inspect/one_window.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>

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
    {"--json", "everything, as JSON", write_json},
    {"--dot", "the kernel graphs, for graphviz", write_dot},
    {"--text", "a timeline for the terminal", write_text},
    {"--svg", "a Gantt chart with transfers, as an SVG image", write_svg},
    {"--perfetto", "trace-event JSON, for ui.perfetto.dev", write_perfetto},
    {"--html", "one page with a Gantt chart to zoom, graphs and predictions", write_html},
};

constexpr const char* kHelp =
    "usage: mkmd inspect TRACE [FORMAT] [--window N] [--output FILE]\n\n"
    "Shows what a run recorded by mkmd run --trace TRACE did (- reads standard input). Without a FORMAT,\n"
    "it writes a summary.\n\n";

}  // namespace

int run_inspect(const std::vector<std::string>& list, std::ostream& out, std::ostream& err) {
  const auto fail = [&](const std::string& message, int code) {
    err << "mkmd inspect: " << printable(message) << "\n";
    return code;
  };
  std::vector<std::pair<std::string, std::string>> forms;
  for (const Format& form : kFormats)
    forms.emplace_back(form.option, form.sentence);
  const Result<tool::InspectOptions> arguments = tool::parse_inspect(list, forms);
  if (!arguments) return fail(arguments.status().message(), kWrongUse);
  if (!arguments->help.empty()) {
    out << kHelp << arguments->help;
    return 0;
  }
  const auto format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& f) { return arguments->format == f.option; });
  const auto write = format == std::end(kFormats) ? write_summary : format->write;
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
  if (write == write_dot && trace.commands.size() > kGraphvizManages)
    err << "mkmd inspect: " << trace.commands.size()
        << " commands are more than Graphviz draws in a reasonable time: --window N takes a part, --svg and "
           "--html show all\n";
  const Analysis analysis = analyse(trace);
  if (arguments->output.empty()) {
    write(trace, analysis, out);
    out.flush();
    return out ? 0 : fail("standard output cannot be written", kFailed);
  }
  std::ofstream file(arguments->output, std::ios::binary);
  if (file) write(trace, analysis, file);
  file.flush();
  return file ? 0 : fail(arguments->output + ": cannot be written", kFailed);
}

}  // namespace mkmd::inspect
