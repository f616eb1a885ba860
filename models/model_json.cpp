// SPDX-License-Identifier: Apache-2.0
// The JSON form of models, and the models file.
#include "models/model.hpp"

#include "common/json.hpp"
#include "common/settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mkmd::models {

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kMostPoints = 4096;

json interval_to_json(const Interval& i) {
  return json::array({i.lo, i.hi});
}

// Reading throws inside this file only: nlohmann's exceptions and these carry the sentence.
[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what);
}

const json& at(const json& j, const char* key) {
  if (!j.is_object()) refuse(std::string("not an object, so it has no \"") + key + "\"");
  const auto it = j.find(key);
  if (it == j.end()) refuse(std::string("\"") + key + "\" is missing");
  return *it;
}

std::string string_at(const json& j, const char* key) {
  const json& value = at(j, key);
  if (!value.is_string()) refuse(std::string(key) + " is not a string");
  return value.get<std::string>();
}

const json& list_at(const json& j, const char* key) {
  const json& value = at(j, key);
  if (!value.is_array()) refuse(std::string(key) + " is not a list");
  return value;
}

bool is_whole(const json& j) {
  return j.is_number_unsigned() || (j.is_number_integer() && j.get<int64_t>() >= 0);
}

int count(const json& j, const char* what) {
  if (!is_whole(j) || j.get<uint64_t>() > std::numeric_limits<int>::max())
    refuse(std::string(what) + " is not a number of samples");
  return j.get<int>();
}

double finite(const json& j, const char* what) {
  if (!j.is_number()) refuse(std::string(what) + " is not a number");
  const double x = j.get<double>();
  if (!std::isfinite(x)) refuse(std::string(what) + " is not finite");
  return x;
}

double not_negative(const json& j, const char* what) {
  const double x = finite(j, what);
  if (x < 0) refuse(std::string(what) + " is negative");
  return x;
}

Interval interval_from(const json& j, const char* what) {
  if (!j.is_array() || j.size() != 2) refuse(std::string(what) + " is not [lowest, highest]");
  const Interval i{not_negative(j[0], what), not_negative(j[1], what)};
  if (i.lo > i.hi) refuse(std::string(what) + " is empty");
  return i;
}

std::array<uint64_t, 3> local_from(const json& j) {
  if (!j.is_array() || j.size() != 3 || !std::all_of(j.begin(), j.end(), is_whole))
    refuse("a local size is not three whole numbers");
  return j.get<std::array<uint64_t, 3>>();
}

Model::Class class_from(const json& j, Model::Form form) {
  Model::Class c;
  c.local = local_from(at(j, "local"));
  if (form == Model::Form::power) {
    for (const char* name : {"a", "b", "c"})
      c.coefficients.push_back(not_negative(at(j, name), name));
    return c;
  }
  c.coefficients.assign(kTerms, 0.0);
  const json& terms = at(j, "terms");
  if (!terms.is_object()) refuse("terms is not an object");
  for (const auto& [name, value] : terms.items()) {
    if (name == "aligned") continue;  // of an earlier version, where it meant something else
    const auto& names = term_names();
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) refuse("unknown term \"" + name + "\"");
    c.coefficients[static_cast<size_t>(it - names.begin())] = not_negative(value, name.c_str());
  }
  return c;
}

json class_to_json(const Model::Class& c, Model::Form form) {
  if (form == Model::Form::power) {
    return {{"local", c.local},
            {"a", c.coefficients.at(0)},
            {"b", c.coefficients.at(1)},
            {"c", c.coefficients.at(2)}};
  }
  json terms = json::object();
  for (size_t i = 0; i < std::min(kTerms, c.coefficients.size()); ++i) {
    if (c.coefficients[i] != 0) terms[term_names()[i]] = c.coefficients[i];
  }
  return {{"local", c.local}, {"terms", terms}};
}

Work work_from(const json& j) {
  Work w;
  w.local = local_from(at(j, "local"));
  w.items = not_negative(at(j, "items"), "items");
  w.operations = not_negative(at(j, "operations"), "operations");
  w.bytes = not_negative(at(j, "bytes"), "bytes");
  w.footprint = not_negative(at(j, "footprint"), "footprint");
  const auto optional = [&](const char* key, double otherwise) {
    return j.contains(key) ? not_negative(at(j, key), key) : otherwise;
  };
  w.crowding = optional("crowding", 1);
  w.lines = optional("lines", 0);
  w.group_reach = optional("group_reach", 0);
  w.group_crowding = optional("group_crowding", 1);
  return w;
}

json entry_to_json(const Entry& e) {
  const Model& m = e.model;
  json j = {{"kernel", e.key.kernel},
            {"content", e.key.content},
            {"device", e.key.device},
            {"form", to_string(m.form)},
            {"locals_seen", m.locals_seen},
            {"samples", m.samples},
            {"stored", m.stored},
            {"r2", m.r2},
            {"held_out_mape", m.held_out_mape},
            {"measured_over_predicted", json::array({m.error_lo, m.error_hi})},
            {"imported", m.imported},
            {"range",
             {{"items", interval_to_json(m.range.items)},
              {"operations", interval_to_json(m.range.operations)},
              {"bytes", interval_to_json(m.range.bytes)},
              {"footprint", interval_to_json(m.range.footprint)},
              {"operations_per_item", interval_to_json(m.range.operations_per_item)}}}};
  if (m.together) j["together"] = *m.together;
  j["classes"] = json::array();
  for (const Model::Class& c : m.classes)
    j["classes"].push_back(class_to_json(c, m.form));
  j["points"] = json::array();
  for (const Model::Point& p : m.points) {
    json point = to_json(p.work);
    point["seconds"] = p.seconds;
    j["points"].push_back(std::move(point));
  }
  return j;
}

Entry entry_from_json(const json& j) {
  Entry e;
  e.key = {string_at(j, "kernel"), string_at(j, "content"), string_at(j, "device")};
  Model& m = e.model;
  const std::string form = string_at(j, "form");
  if (form == "power") {
    m.form = Model::Form::power;
  } else if (form == "local") {
    m.form = Model::Form::local;
  } else if (form != "linear") {
    refuse("unknown form \"" + form + "\"; accepted: linear, power, local");
  }
  for (const json& local : list_at(j, "locals_seen"))
    m.locals_seen.push_back(local_from(local));
  m.samples = count(at(j, "samples"), "samples");
  if (j.contains("stored")) m.stored = count(at(j, "stored"), "stored");
  m.r2 = finite(at(j, "r2"), "r2");
  m.held_out_mape = not_negative(at(j, "held_out_mape"), "held_out_mape");
  const Interval error = interval_from(at(j, "measured_over_predicted"), "measured_over_predicted");
  m.error_lo = error.lo;
  m.error_hi = error.hi;
  if (j.contains("together")) m.together = std::max(1.0, finite(at(j, "together"), "together"));
  if (j.contains("imported")) {
    if (!j["imported"].is_boolean()) refuse("imported is neither true nor false");
    m.imported = j["imported"].get<bool>();
  }
  const json& range = at(j, "range");
  const auto interval = [&](const char* key) { return interval_from(at(range, key), key); };
  m.range = {interval("items"), interval("operations"), interval("bytes"), interval("footprint"),
             interval("operations_per_item")};
  for (const json& c : list_at(j, "classes"))
    m.classes.push_back(class_from(c, m.form));
  if (list_at(j, "points").size() > kMostPoints) refuse("too many points");
  for (const json& p : list_at(j, "points"))
    m.points.push_back({work_from(p), not_negative(at(p, "seconds"), "seconds")});
  return e;
}

bool has_version(const json& j) {
  return j.is_object() && j.contains("mkmd_models") && j["mkmd_models"].is_number_integer();
}

bool is_other_version(const json& j) {
  return has_version(j) && j["mkmd_models"] != kFormat;
}

}  // namespace

json to_json(const Work& w) {
  return {{"local", w.local},
          {"items", w.items},
          {"operations", w.operations},
          {"bytes", w.bytes},
          {"footprint", w.footprint},
          {"crowding", w.crowding},
          {"lines", w.lines},
          {"group_reach", w.group_reach},
          {"group_crowding", w.group_crowding}};
}

json to_json(const std::vector<Entry>& entries) {
  json list = json::array();
  for (const Entry& e : entries)
    list.push_back(entry_to_json(e));
  return {{"mkmd_models", kFormat}, {"models", std::move(list)}};
}

Result<Work> work_from_json(const json& j) {
  try {
    return work_from(j);
  } catch (const std::exception& problem) {
    return Status::internal(problem.what());
  }
}

Result<std::vector<Entry>> entries_from_json(const json& j) {
  if (!has_version(j)) {
    return Status::internal("not a models file: it does not begin with {\"mkmd_models\": 1, …}");
  }
  if (is_other_version(j)) {
    return Status::internal("format " + j["mkmd_models"].dump() + ", written by another version; this one " +
                            "reads format " + std::to_string(kFormat));
  }
  std::vector<Entry> entries;
  if (!j.contains("models") || !j["models"].is_array())
    return Status::internal("not a models file: its \"models\" is not a list");
  for (const json& e : j["models"]) {
    try {
      entries.push_back(entry_from_json(e));
    } catch (const std::exception& problem) {
      const bool named = e.is_object() && e.contains("kernel") && e["kernel"].is_string();
      return Status::internal("model " + std::to_string(entries.size() + 1) +
                              (named ? " (kernel " + e["kernel"].get<std::string>() + ")" : "") + ": " +
                              problem.what());
    }
  }
  return entries;
}

Result<std::vector<Entry>> read_models(const std::string& file, Whose whose, bool* damaged) {
  const auto opened = open_to_read(file, whose);
  if (!opened) {
    if (opened.status().code() == kMissing) return std::vector<Entry>{};
    if (damaged != nullptr) *damaged = opened.status().code() == kNotOurs;
    return opened.status();
  }
  const auto text = read_descriptor(opened->get(), file, kMostJsonBytes);
  if (!text) return text.status();
  const Result<json> j = parse_json(*text);
  auto entries = j ? entries_from_json(*j) : Status::internal("not JSON: " + j.status().message());
  if (entries) return entries;
  if (damaged != nullptr) *damaged = !j || !is_other_version(*j);
  return Status::internal(file + ": " + entries.status().message());
}

Status write_models(const std::string& file, Whose whose, const std::vector<Entry>& entries) {
  const std::string text = to_json(entries).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  // Imported models may be nowhere else.
  return whose == Whose::ours ? replace_own_file(file, text, Sync::yes) : replace_file(file, text, Sync::yes);
}

std::string default_models_file() {
  return file_in(data_directory(), "models.json");
}

}  // namespace mkmd::models
