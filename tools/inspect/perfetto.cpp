// SPDX-License-Identifier: Apache-2.0
// Chrome's trace-event JSON, which ui.perfetto.dev opens. It has a row per device and per link. Arrows go
// from what writes data to the transfer that moves it and to what reads it.
#include "tools/inspect/formats.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace mkmd::inspect {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDevices = 1, kLinks = 2;  // the groups of rows

// Where an arrow can begin and end.
struct Slice {
  int pid = 0, tid = 0;
  double start = 0, end = 0;  // microseconds
};

class Events {
public:
  explicit Events(std::ostream& out) : out_(out) { out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["; }
  ~Events() { out_ << "\n]}\n"; }
  void add(const Json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }
  void name(int pid, const std::string& name) {
    add({{"ph", "M"}, {"name", "process_name"}, {"pid", pid}, {"args", {{"name", name}}}});
    add({{"ph", "M"}, {"name", "process_sort_index"}, {"pid", pid}, {"args", {{"sort_index", pid}}}});
  }
  void name_row(int pid, int tid, const std::string& name) {
    add({{"ph", "M"}, {"name", "thread_name"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
    add({{"ph", "M"},
         {"name", "thread_sort_index"},
         {"pid", pid},
         {"tid", tid},
         {"args", {{"sort_index", tid}}}});
  }
  void slice(const Slice& s, const std::string& name, const char* category, Json args) {
    add({{"ph", "X"},
         {"name", name},
         {"cat", category},
         {"pid", s.pid},
         {"tid", s.tid},
         {"ts", s.start},
         {"dur", s.end - s.start},
         {"args", std::move(args)}});
  }
  void arrow(const Slice& from, const Slice& to, const std::string& buffer) {
    const int id = ++arrows_;
    // An arrow leaves from inside a slice.
    const double leave = from.start + 0.999 * (from.end - from.start);
    add({{"ph", "s"},
         {"name", buffer},
         {"cat", "data"},
         {"id", id},
         {"pid", from.pid},
         {"tid", from.tid},
         {"ts", leave}});
    add({{"ph", "f"},
         {"bp", "e"},
         {"name", buffer},
         {"cat", "data"},
         {"id", id},
         {"pid", to.pid},
         {"tid", to.tid},
         {"ts", std::max(to.start, leave)}});
  }

private:
  std::ostream& out_;
  bool first_ = true;
  int arrows_ = 0;
};

double micro(double seconds) {
  return std::round(seconds * 1e9) * 1e-3;
}

// Slices of one row may not cross: clocks of drivers let one begin a little before its forerunner ends.
Slice slice_of(const Row& row, size_t i, int pid, int tid) {
  const Bar& b = row.bars[i];
  double end = b.end;
  if (i + 1 < row.bars.size() && row.bars[i + 1].end > end)
    end = std::max(b.start, std::min(end, row.bars[i + 1].start));
  return {pid, tid, micro(b.start), micro(end)};
}

}  // namespace

void write_perfetto(const Trace& trace, const Analysis& a, std::ostream& out) {
  Events events(out);
  events.name(kDevices, "devices");
  events.name(kLinks, "links");
  std::vector<std::vector<Slice>> of_command(trace.commands.size());
  std::vector<Slice> of_transfer(trace.transfers.size());
  for (size_t r = 0; r < a.rows.size(); ++r) {
    const Row& row = a.rows[r];
    const int pid = row.is_link ? kLinks : kDevices;
    const int tid = static_cast<int>(r) + 1;
    events.name_row(pid, tid, row.label);
    for (size_t i = 0; i < row.bars.size(); ++i) {
      const Bar& b = row.bars[i];
      const Slice s = slice_of(row, i, pid, tid);
      if (b.kind == BarKind::transfer) {
        const Transfer& t = trace.transfers[b.index];
        of_transfer[b.index] = s;
        events.slice(s, t.buffer, "transfer", {{"bytes", t.bytes}});
      } else if (b.kind == BarKind::memory_command) {
        const Command& c = trace.commands[trace.memory_commands[b.index].command];
        of_command[trace.memory_commands[b.index].command].push_back(s);
        events.slice(s, c.name, "memory", {{"command", c.id}, {"bytes", c.bytes}});
      } else {
        const Piece& p = trace.pieces[b.index];
        const Command& c = trace.commands[p.command];
        of_command[p.command].push_back(s);
        events.slice(s, c.name, "kernel",
                     {{"command", c.id},
                      {"window", c.window + 1},
                      {"lo", p.box.lo},
                      {"hi", p.box.hi},
                      {"predicted ms", 1e3 * predicted_seconds(trace, p)},
                      {"measured ms", 1e3 * (p.end - p.start)}});
      }
    }
  }
  for (const Window& w : trace.windows) {
    for (const scheduler::Edge& e : w.problem.graph.edges) {
      if (e.src == 0) continue;
      const auto& from = of_command[w.first_command + e.src - 1];
      if (from.empty()) continue;
      const Slice& last = *std::max_element(from.begin(), from.end(),
                                            [](const Slice& x, const Slice& y) { return x.end < y.end; });
      for (const Slice& to : of_command[w.first_command + e.dst - 1]) {
        if (to.start >= last.start) events.arrow(last, to, e.buffer);
      }
    }
  }
  for (size_t i = 0; i < trace.transfers.size(); ++i) {
    const Transfer& t = trace.transfers[i];
    if (t.command == kNoCommand) continue;
    for (const Slice& to : of_command[t.command]) {
      if (to.start >= of_transfer[i].start) events.arrow(of_transfer[i], to, t.buffer);
    }
  }
}

}  // namespace mkmd::inspect
