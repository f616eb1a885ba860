// SPDX-License-Identifier: Apache-2.0
// Everything in a trace as one JSON document, times in seconds since its first instant.
#include "tools/inspect/advice.hpp"
#include "tools/inspect/formats.hpp"

#include <nlohmann/json.hpp>

namespace mkmd::inspect {

namespace {

using Json = nlohmann::ordered_json;

Json task_of(const Trace& trace, size_t command) {
  return command == kNoCommand ? Json(nullptr) : Json(trace.commands[command].id);
}

Json tasks(const Trace& trace) {
  Json list = Json::array();
  for (const Command& c : trace.commands) {
    Json task = {{"id", c.id}, {"window", c.window}, {"kind", c.kind}, {"name", c.name}};
    if (c.is_kernel()) task["groups"] = c.whole.hi;
    task["seconds"] = Json::array();
    for (double s : c.seconds)
      task["seconds"].push_back(s);  // where it cannot run: infinite, written as null
    if (c.is_kernel()) task["planned_pieces"] = c.plan.size();
    if (!c.whole_because.empty()) {
      task["whole_because"] = c.whole_because;
      task["line"] = c.line;
    }
    task["after"] = Json::array();
    for (const scheduler::Edge& e : trace.windows[c.window].problem.graph.edges) {
      if (e.dst == c.task && e.src > 0)
        task["after"].push_back(trace.commands[trace.windows[c.window].first_command + e.src - 1].id);
    }
    list.push_back(std::move(task));
  }
  return list;
}

Json windows(const Trace& trace, const Analysis& a) {
  Json list = Json::array();
  for (size_t i = 0; i < trace.windows.size(); ++i) {
    const Window& w = trace.windows[i];
    list.push_back({{"policy", w.policy},
                    {"time", w.time},
                    {"planning_seconds", w.planning_seconds},
                    {"kept_plan", w.kept_plan},
                    {"predicted", w.predicted},
                    {"measured", a.windows[i].measured()},
                    {"complete", a.windows[i].complete}});
  }
  return list;
}

Json best_single_device(const Balance& balance) {
  const int device = balance.best();
  if (device < 0) return nullptr;
  return {{"device", device}, {"seconds", balance.alone[device].seconds}, {"seconds_here", balance.taken}};
}

Json exploring(const Trace& trace) {
  return {{"windows", trace.balance.explored},
          {"of", trace.balance.windows},
          {"seconds", trace.exploring_seconds}};
}

}  // namespace

void write_json(const Trace& trace, const Analysis& a, std::ostream& out) {
  Json pieces = Json::array(), transfers = Json::array(), devices = Json::array(), whole = Json::array(),
       memory = Json::array();
  for (const Piece& p : trace.pieces)
    pieces.push_back({{"task", task_of(trace, p.command)},
                      {"device", p.device},
                      {"lo", p.box.lo},
                      {"hi", p.box.hi},
                      {"start", p.start},
                      {"end", p.end},
                      {"predicted", predicted_seconds(trace, p)}});
  for (const Transfer& t : trace.transfers)
    transfers.push_back({{"task", task_of(trace, t.command)},
                         {"buffer", t.buffer},
                         {"bytes", t.bytes},
                         {"from", t.from},
                         {"to", t.to},
                         {"start", t.start},
                         {"end", t.end}});
  for (const MemoryCommand& m : trace.memory_commands)
    memory.push_back(
        {{"task", task_of(trace, m.command)}, {"device", m.device}, {"start", m.start}, {"end", m.end}});
  for (size_t d = 0; d < trace.devices.size(); ++d)
    devices.push_back({{"name", trace.devices[d].name},
                       {"device", trace.devices[d].device},
                       {"memory", trace.devices[d].memory},
                       {"busy", a.busy[d]}});
  for (const WholeKernel& w : a.whole)
    whole.push_back({{"kernel", w.name},
                     {"why", w.why},
                     {"line", w.line},
                     {"launches", w.launches},
                     {"seconds", w.seconds},
                     {"advice", advice_on(w.why)},
                     {"captured", !w.native}});
  const Json document = {{"devices", devices},
                         {"windows", windows(trace, a)},
                         {"tasks", tasks(trace)},
                         {"pieces", pieces},
                         {"memory_commands", memory},
                         {"transfers", transfers},
                         {"predicted", a.predicted},
                         {"measured", a.measured},
                         {"active", a.active},
                         {"idle_share", a.idle_share},
                         {"bytes_moved", a.bytes_moved},
                         {"planning_seconds", a.planning_seconds},
                         {"not_split", whole},
                         {"best_single_device", best_single_device(trace.balance)},
                         {"exploring", exploring(trace)},
                         {"native_commands", trace.native_commands},
                         {"cut", trace.cut}};
  out << document.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace mkmd::inspect
