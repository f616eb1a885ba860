// SPDX-License-Identifier: Apache-2.0
// The kernel graphs for graphviz: a cluster per window, a box per command, an edge wherever one reads what
// another wrote. What was there before a window has no edges.
#include "tools/inspect/formats.hpp"

#include <algorithm>

namespace mkmd::inspect {

namespace {

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

void write_dot(const Trace& trace, const Analysis& a, std::ostream& out) {
  std::vector<std::vector<double>> share(trace.commands.size(), std::vector<double>(trace.devices.size(), 0));
  std::vector<double> start(trace.commands.size(), scheduler::kNever), end(trace.commands.size(), 0);
  for (const Piece& p : trace.pieces) {
    share[p.command][p.device] += p.box.groups() / trace.commands[p.command].whole.groups();
    start[p.command] = std::min(start[p.command], p.start);
    end[p.command] = std::max(end[p.command], p.end);
  }
  out << "digraph trace {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
         "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  for (size_t w = 0; w < trace.windows.size(); ++w) {
    const Window& window = trace.windows[w];
    out << "  subgraph cluster_" << w << " {\n    label="
        << in_quotes("window " + std::to_string(w + 1) + ": predicted " + time_text(window.predicted) +
                     (a.windows[w].complete ? ", measured " + time_text(a.windows[w].measured()) : ""))
        << "; color=gray; fontname=\"sans-serif\";\n";
    for (size_t c = window.first_command; c < window.first_command + window.commands; ++c) {
      const Command& command = trace.commands[c];
      std::string label = command.name;
      if (end[c] > 0) label += "\n" + time_text(end[c] - start[c]);
      for (size_t d = 0; d < trace.devices.size(); ++d) {
        if (share[c][d] > 0) label += "\n" + trace.devices[d].name + " " + percent_text(share[c][d]);
      }
      if (!command.is_kernel()) label += "\n" + bytes_text(command.bytes);
      std::string escaped = in_quotes(label);
      for (size_t at = 0; (at = escaped.find('\n', at)) != std::string::npos;)
        escaped.replace(at, 1, "\\n");
      out << "    c" << command.id << " [label=" << escaped
          << (command.is_kernel() ? "" : ", style=rounded, color=gray") << "];\n";
    }
    for (const scheduler::Edge& e : window.problem.graph.edges) {
      if (e.src == 0) continue;
      out << "    c" << trace.commands[window.first_command + e.src - 1].id << " -> c"
          << trace.commands[window.first_command + e.dst - 1].id
          << " [label=" << in_quotes(bytes_text(e.bytes))
          << (e.access == scheduler::Access::row ? ", style=dashed" : "") << "];\n";
    }
    out << "  }\n";
  }
  out << "}\n";
}

}  // namespace mkmd::inspect
