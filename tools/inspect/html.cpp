// SPDX-License-Identifier: Apache-2.0
// One page that needs nothing else: page.html with the trace's data put in.
#include "tools/inspect/formats.hpp"
#include "tools/inspect/picture.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace mkmd::inspect {

extern const char* const kPage;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "@DATA@";

int index_of(size_t command) {
  return command == kNoCommand ? -1 : static_cast<int>(command);
}

Json rows_of(const Analysis& a) {
  Json rows = Json::array();
  for (const Row& row : a.rows) {
    Json bars = Json::array();  // flat: start, end, kind, colour, index
    for (const Bar& b : row.bars) {
      bars.push_back(b.start);
      bars.push_back(b.end);
      bars.push_back(static_cast<int>(b.kind));
      bars.push_back(b.colour);
      bars.push_back(b.index);
    }
    rows.push_back(
        {{"label", row.label}, {"link", row.is_link}, {"busy", row.busy}, {"bars", std::move(bars)}});
  }
  return rows;
}

Json windows_of(const Trace& trace, const Analysis& a) {
  Json windows = Json::array();
  for (size_t i = 0; i < trace.windows.size(); ++i) {
    const Window& w = trace.windows[i];
    Json edges = Json::array();
    for (const scheduler::Edge& e : w.problem.graph.edges) {
      if (e.src > 0)
        edges.push_back({e.src - 1, e.dst - 1, e.bytes, e.buffer, e.access == scheduler::Access::row});
    }
    windows.push_back({{"policy", w.policy},
                       {"predicted", w.predicted},
                       {"planning", w.planning_seconds},
                       {"measured", a.windows[i].complete ? Json(a.windows[i].measured()) : Json(nullptr)},
                       {"start", a.windows[i].start},
                       {"end", a.windows[i].end},
                       {"first", w.first_command},
                       {"count", w.commands},
                       {"edges", std::move(edges)}});
  }
  return windows;
}

Json commands_of(const Trace& trace) {
  Json commands = Json::array();
  for (const Command& c : trace.commands) {
    Json seconds = Json::array();
    for (double s : c.seconds)
      seconds.push_back(s);  // where it cannot run: infinite, written as null
    commands.push_back({{"id", c.id},
                        {"window", c.window},
                        {"name", c.name},
                        {"kernel", c.is_kernel()},
                        {"groups", c.is_kernel() ? Json(c.whole.hi) : Json(nullptr)},
                        {"bytes", c.bytes},
                        {"seconds", std::move(seconds)},
                        {"why", c.whole_because},
                        {"line", c.line}});
  }
  return commands;
}

}  // namespace

void write_html(const Trace& trace, const Analysis& a, std::ostream& out) {
  Json pieces = Json::array(), transfers = Json::array(), memory = Json::array(), whole = Json::array(),
       devices = Json::array(), colours = Json::array(), segments = Json::array(), worst = Json::array();
  for (const Piece& p : trace.pieces) {
    const double all = trace.commands[p.command].whole.groups();
    pieces.push_back({p.command, p.device, all > 0 ? p.box.groups() / all : 0, predicted_seconds(trace, p),
                      p.end - p.start});
  }
  for (const Transfer& t : trace.transfers)
    transfers.push_back({index_of(t.command), t.buffer, t.bytes});
  for (const MemoryCommand& m : trace.memory_commands)
    memory.push_back(m.command);
  for (const Device& d : trace.devices)
    devices.push_back(d.name);
  for (const WholeKernel& w : a.whole)
    whole.push_back({w.name, w.launches, w.line, w.why + (w.native ? " (not captured)" : ""),
                     w.seconds > 0 ? time_text(w.seconds) : ""});
  for (int k = 0; k < kColours; ++k)
    colours.push_back({colour_of(k).fill, colour_of(k).dark});
  const TimeAxis axis(a);
  for (const TimeAxis::Segment& s : axis.segments())
    segments.push_back({s.from, s.to, s.x0, s.x1, s.folded});
  for (size_t i = 0; i < std::min<size_t>(10, a.worst.size()); ++i)
    worst.push_back(a.worst[i].piece);
  const Json data = {{"devices", devices},
                     {"rows", rows_of(a)},
                     {"kernels", a.kernels},
                     {"kernel_seconds", a.kernel_seconds},
                     {"colours", colours},
                     {"segments", segments},
                     {"windows", windows_of(trace, a)},
                     {"commands", commands_of(trace)},
                     {"pieces", pieces},
                     {"transfers", transfers},
                     {"memory", memory},
                     {"whole", whole},
                     {"worst", worst},
                     {"active", a.active},
                     {"measured", a.measured},
                     {"predicted", a.predicted},
                     {"planning", a.planning_seconds},
                     {"idle_share", a.idle_share},
                     {"bytes_moved", a.bytes_moved},
                     {"cut", trace.cut}};
  const std::string_view page = kPage;
  const size_t place = page.find(kPlace);
  out << page.substr(0, place);
  // Nothing in a program's names can end the script.
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      out << "\\u003c";
    } else {
      out << c;
    }
  }
  out << page.substr(place + kPlace.size());
}

}  // namespace mkmd::inspect
