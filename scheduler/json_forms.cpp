// SPDX-License-Identifier: Apache-2.0
#include "scheduler/json_forms.hpp"

#include "common/json.hpp"
#include "common/json_reader.hpp"
#include "platform/json.hpp"
#include "scheduler/problem_index.hpp"

#include <algorithm>
#include <unordered_map>

namespace mkmd::scheduler {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string element(const char* list, size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "]";
}

class GraphReader {
public:
  GraphReader(Problem& problem, Status& status) : problem_(problem), status_(status) {}

  void read(const json& j) {
    JsonReader in(j, "graph", status_);
    const json& tasks = in.list("tasks");
    for (size_t i = 0; i < tasks.size() && status_.ok(); ++i)
      read_task(tasks[i], i);
    const json& edges = in.list("edges", false);
    for (size_t i = 0; i < edges.size() && status_.ok(); ++i)
      read_edge(edges[i], i);
    const json& resident = in.list("resident", false);
    for (size_t i = 0; i < resident.size() && status_.ok(); ++i) {
      JsonReader r(resident[i], element("graph.resident", i), status_);
      problem_.graph.resident.push_back(
          {r.text("buffer"), r.integer("mem"), r.number_or("lo", 0), r.number_or("hi", 1)});
    }
  }

private:
  void read_task(const json& j, size_t i) {
    JsonReader in(j, element("graph.tasks", i), status_);
    Task t;
    t.id = in.integer("id");
    t.name = in.has("name") ? in.text("name") : std::to_string(t.id);
    const json& times = in.list("times");
    for (size_t d = 0; d < times.size(); ++d)
      t.times.push_back(times[d].is_null() ? kNever : in.as_number(times[d], element("times", d)));
    t.divisible = in.flag_or("divisible", false);
    t.pinned = in.integer_or("pinned", -1);
    if (in.has("pinned") && t.pinned < 0) in.fail("pinned", "no device " + std::to_string(t.pinned));
    t.priority = in.number_or("priority", 0);
    t.units = in.integer_or("units", 0);
    t.bytes = in.number_or("bytes", 0);
    if (!index_.emplace(t.id, static_cast<int>(i)).second)
      in.fail("id", "task " + std::to_string(t.id) + " is there twice");
    problem_.graph.tasks.push_back(std::move(t));
  }

  int find_task(JsonReader& in, const char* key) {
    const int id = in.integer(key);
    const auto found = index_.find(id);
    if (found != index_.end()) return found->second;
    in.fail(key, "no task " + std::to_string(id));
    return 0;
  }

  void read_edge(const json& j, size_t i) {
    JsonReader in(j, element("graph.edges", i), status_);
    Edge e;
    e.src = find_task(in, "src");
    e.dst = find_task(in, "dst");
    e.bytes = in.number_or("bytes", 0);
    e.buffer = in.has("buffer") ? in.text("buffer") : "o" + std::to_string(problem_.graph.tasks[e.src].id);
    const std::string access = in.has("access") ? in.text("access") : "full";
    if (access == "row") {
      e.access = Access::row;
    } else if (access != "full") {
      in.fail("access", "is \"" + access + "\", not full or row");
    }
    problem_.graph.edges.push_back(std::move(e));
  }

  Problem& problem_;
  Status& status_;
  std::unordered_map<int, int> index_;
};

class ScheduleReader {
public:
  ScheduleReader(const Problem& problem, Status& status) : problem_(problem), status_(status) {
    for (size_t i = 0; i < problem.graph.tasks.size(); ++i)
      index_.emplace(problem.graph.tasks[i].id, static_cast<int>(i));
    for (const Edge& e : problem.graph.edges) {
      auto [at, added] = producer_.emplace(e.buffer, e.src);
      if (!added && at->second != e.src) at->second = -1;
    }
  }

  Schedule read(const json& j) {
    Schedule s;
    JsonReader in(j, "schedule", status_);
    s.algorithm = in.has("algorithm") ? in.text("algorithm") : "";
    s.in_order = in.flag_or("in_order", false);
    const json& entries = in.list("entries");
    for (size_t i = 0; i < entries.size() && status_.ok(); ++i) {
      JsonReader e(entries[i], element("schedule.entries", i), status_);
      s.entries.push_back({find_task(e), find_device(e), e.number("start"), e.number("end"),
                           e.number_or("lo", 0), e.number_or("hi", 1)});
    }
    const json& transfers = in.list("transfers", false);
    for (size_t i = 0; i < transfers.size() && status_.ok(); ++i)
      read_transfer(transfers[i], i, s);
    read_occupations(in, "aborted", s.aborted);
    read_occupations(in, "merges", s.merges);
    return s;
  }

private:
  int find_task(JsonReader& in, const char* key = "task") {
    const int id = in.integer(key);
    const auto found = index_.find(id);
    if (found != index_.end()) return found->second;
    in.fail(key, "no task " + std::to_string(id));
    return 0;
  }

  int find_device(JsonReader& in) {
    const int d = in.integer("device");
    if (d < 0 || d >= static_cast<int>(problem_.platform.devices.size()))
      in.fail("device", "no device " + std::to_string(d));
    return d;
  }

  void read_transfer(const json& j, size_t i, Schedule& s) {
    JsonReader in(j, element("schedule.transfers", i), status_);
    Transfer t;
    t.buffer = in.text("buffer");
    t.src_mem = in.integer("src_mem");
    t.dst_mem = in.integer("dst_mem");
    t.start = in.number("start");
    t.end = in.number("end");
    t.bytes = in.number_or("bytes", 0);
    t.lo = in.number_or("lo", 0);
    t.hi = in.number_or("hi", 1);
    const auto found = producer_.find(t.buffer);
    if (in.has("producer")) {
      t.producer = find_task(in, "producer");
    } else if (found == producer_.end()) {
      in.fail("buffer", "no edge has buffer \"" + t.buffer + "\"");
    } else if (found->second < 0) {
      in.fail("producer", "is needed: several tasks write \"" + t.buffer + "\"");
    } else {
      t.producer = found->second;
    }
    s.transfers.push_back(std::move(t));
  }

  void read_occupations(JsonReader& in, const char* key, std::vector<Occupation>& out) {
    const json& list = in.list(key, false);
    for (size_t i = 0; i < list.size() && status_.ok(); ++i) {
      JsonReader o(list[i], element(("schedule." + std::string(key)).c_str(), i), status_);
      out.push_back({find_task(o), find_device(o), o.number("start"), o.number("end")});
    }
  }

  const Problem& problem_;
  Status& status_;
  std::unordered_map<int, int> index_;
  std::unordered_map<std::string, int> producer_;  // -1: several
};

ordered_json occupations(const std::vector<Occupation>& list, const Problem& problem) {
  ordered_json out = ordered_json::array();
  for (const Occupation& o : list)
    out.push_back(
        {{"task", problem.graph.tasks[o.task].id}, {"device", o.device}, {"start", o.start}, {"end", o.end}});
  return out;
}

}  // namespace

Result<Document> parse_document(std::string_view text) {
  const Result<json> j = parse_json(text);
  if (!j) return Status::internal("not JSON: " + j.status().message());
  return document_from_json(*j);
}

Result<Document> document_from_json(const json& j) {
  Status status;
  Document document;
  JsonReader in(j, "", status);
  for (const char* key : {"platform", "graph"})
    if (!in.has(key)) in.fail(key, "is missing");
  if (!status) return status;
  Result<Platform> read = platform::from_json(j["platform"]);
  if (!read) return read.status();
  document.problem.platform = std::move(*read);
  GraphReader(document.problem, status).read(j["graph"]);
  if (!status) return status;
  if (Result<ProblemIndex> index = ProblemIndex::make(document.problem); !index) return index.status();
  if (in.has("schedule")) document.schedule = ScheduleReader(document.problem, status).read(j["schedule"]);
  if (!status) return status;
  return document;
}

ordered_json to_json(const TaskGraph& g) {
  ordered_json tasks = ordered_json::array();
  for (const Task& t : g.tasks) {
    ordered_json times = ordered_json::array();
    for (double time : t.times)
      times.push_back(time == kNever ? ordered_json(nullptr) : ordered_json(time));
    ordered_json task = {{"id", t.id},
                         {"name", t.name},
                         {"times", std::move(times)},
                         {"divisible", t.divisible},
                         {"pinned", t.pinned < 0 ? ordered_json(nullptr) : ordered_json(t.pinned)}};
    if (t.priority != 0) task["priority"] = t.priority;
    if (t.units > 0) task["units"] = t.units;
    if (t.bytes > 0) task["bytes"] = t.bytes;
    tasks.push_back(std::move(task));
  }
  ordered_json edges = ordered_json::array();
  for (const Edge& e : g.edges)
    edges.push_back({{"src", g.tasks[e.src].id},
                     {"dst", g.tasks[e.dst].id},
                     {"bytes", e.bytes},
                     {"buffer", e.buffer},
                     {"access", e.access == Access::row ? "row" : "full"}});
  ordered_json out = {{"tasks", std::move(tasks)}, {"edges", std::move(edges)}};
  if (!g.resident.empty()) {
    ordered_json resident = ordered_json::array();
    for (const Resident& r : g.resident)
      resident.push_back({{"buffer", r.buffer}, {"mem", r.mem}, {"lo", r.lo}, {"hi", r.hi}});
    out["resident"] = std::move(resident);
  }
  return out;
}

ordered_json to_json(const Problem& problem) {
  return {{"platform", to_json(problem.platform)}, {"graph", to_json(problem.graph)}};
}

ordered_json to_json(const Schedule& s, const Problem& problem) {
  ordered_json entries = ordered_json::array();
  for (const Entry& e : s.entries)
    entries.push_back({{"task", problem.graph.tasks[e.task].id},
                       {"device", e.device},
                       {"start", e.start},
                       {"end", e.end},
                       {"lo", e.lo},
                       {"hi", e.hi}});
  ordered_json transfers = ordered_json::array();
  for (const Transfer& t : s.transfers)
    transfers.push_back({{"buffer", t.buffer},
                         {"producer", problem.graph.tasks[t.producer].id},
                         {"src_mem", t.src_mem},
                         {"dst_mem", t.dst_mem},
                         {"start", t.start},
                         {"end", t.end},
                         {"bytes", t.bytes},
                         {"lo", t.lo},
                         {"hi", t.hi}});
  return {{"algorithm", s.algorithm},
          {"in_order", s.in_order},
          {"entries", std::move(entries)},
          {"transfers", std::move(transfers)},
          {"aborted", occupations(s.aborted, problem)},
          {"merges", occupations(s.merges, problem)}};
}

}  // namespace mkmd::scheduler
