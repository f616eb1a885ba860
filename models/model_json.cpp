// SPDX-License-Identifier: Apache-2.0
// The JSON form of models, and the models file.
#include "models/model.hpp"

#include "common/files.hpp"
#include "common/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd::models {

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kMostPoints = 4096;

json interval_to_json(const Interval& i) {
  return json::array({i.lo, i.hi});
}

json work_to_json(const Work& w) {
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

// Reading throws inside this file only: nlohmann's exceptions and these carry the sentence.
[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what);
}

double finite(const json& j, const char* what) {
  if (!j.is_number()) refuse(std::string(what) + " is not a number");
  const double x = j.get<double>();
  if (!std::isfinite(x)) refuse(std::string(what) + " is not finite");
  return x;
}

Interval interval_from(const json& j, const char* what) {
  if (!j.is_array() || j.size() != 2) refuse(std::string(what) + " is not [lowest, highest]");
  const Interval i{finite(j[0], what), finite(j[1], what)};
  if (i.lo > i.hi) refuse(std::string(what) + " is empty");
  return i;
}

std::array<uint64_t, 3> local_from(const json& j) {
  if (!j.is_array() || j.size() != 3) refuse("a local size is not three numbers");
  return j.get<std::array<uint64_t, 3>>();
}

Model::Class class_from(const json& j, Model::Form form) {
  Model::Class c;
  c.local = local_from(j.at("local"));
  if (form == Model::Form::power) {
    for (const char* name : {"a", "b", "c"})
      c.coefficients.push_back(finite(j.at(name), name));
    return c;
  }
  c.coefficients.assign(kTerms, 0.0);
  for (const auto& [name, value] : j.at("terms").items()) {
    if (name == "aligned") continue;  // of an earlier version, where it meant something else
    const auto& names = term_names();
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) refuse("unknown term \"" + name + "\"");
    c.coefficients[static_cast<size_t>(it - names.begin())] = finite(value, name.c_str());
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
  w.local = local_from(j.at("local"));
  w.items = finite(j.at("items"), "items");
  w.operations = finite(j.at("operations"), "operations");
  w.bytes = finite(j.at("bytes"), "bytes");
  w.footprint = finite(j.at("footprint"), "footprint");
  const auto optional = [&](const char* key, double otherwise) {
    return j.contains(key) ? finite(j.at(key), key) : otherwise;
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
    json point = work_to_json(p.work);
    point["seconds"] = p.seconds;
    j["points"].push_back(std::move(point));
  }
  return j;
}

Entry entry_from_json(const json& j) {
  Entry e;
  e.key = {j.at("kernel").get<std::string>(), j.at("content").get<std::string>(),
           j.at("device").get<std::string>()};
  Model& m = e.model;
  const auto form = j.at("form").get<std::string>();
  if (form == "power") {
    m.form = Model::Form::power;
  } else if (form == "local") {
    m.form = Model::Form::local;
  } else if (form != "linear") {
    refuse("unknown form \"" + form + "\"; accepted: linear, power, local");
  }
  for (const json& local : j.at("locals_seen"))
    m.locals_seen.push_back(local_from(local));
  m.samples = j.at("samples").get<int>();
  m.stored = j.value("stored", 0);
  m.r2 = finite(j.at("r2"), "r2");
  m.held_out_mape = finite(j.at("held_out_mape"), "held_out_mape");
  const Interval error = interval_from(j.at("measured_over_predicted"), "measured_over_predicted");
  m.error_lo = error.lo;
  m.error_hi = error.hi;
  if (j.contains("together")) m.together = std::max(1.0, finite(j.at("together"), "together"));
  m.imported = j.value("imported", false);
  const json& range = j.at("range");
  m.range = {interval_from(range.at("items"), "items"), interval_from(range.at("operations"), "operations"),
             interval_from(range.at("bytes"), "bytes"), interval_from(range.at("footprint"), "footprint"),
             interval_from(range.at("operations_per_item"), "operations_per_item")};
  for (const json& c : j.at("classes"))
    m.classes.push_back(class_from(c, m.form));
  if (j.at("points").size() > kMostPoints) refuse("too many points");
  for (const json& p : j.at("points"))
    m.points.push_back({work_from(p), finite(p.at("seconds"), "seconds")});
  return e;
}

bool has_version(const json& j) {
  return j.is_object() && j.contains("mkmd_models") && j["mkmd_models"].is_number_integer();
}

bool is_other_version(const json& j) {
  return has_version(j) && j["mkmd_models"] != kFormat;
}

}  // namespace

json to_json(const std::vector<Entry>& entries) {
  json list = json::array();
  for (const Entry& e : entries)
    list.push_back(entry_to_json(e));
  return {{"mkmd_models", kFormat}, {"models", std::move(list)}};
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
  try {
    for (const json& e : j.at("models"))
      entries.push_back(entry_from_json(e));
  } catch (const std::exception& problem) {
    return Status::internal("model " + std::to_string(entries.size() + 1) + ": " + problem.what());
  }
  return entries;
}

Result<std::vector<Entry>> read_models(const std::string& file, bool* damaged) {
  struct stat about {};
  if (stat(file.c_str(), &about) != 0 && errno == ENOENT) return std::vector<Entry>{};
  const auto text = read_file(file);
  if (!text) return text.status();
  const json j = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  auto entries = j.is_discarded() ? Status::internal("not JSON") : entries_from_json(j);
  if (entries) return entries;
  if (damaged != nullptr) *damaged = !is_other_version(j);
  return Status::internal(file + ": " + entries.status().message());
}

Status write_models(const std::string& file, const std::vector<Entry>& entries) {
  std::error_code ignored;
  if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  const std::string temporary = file + "." + std::to_string(getpid());
  const std::string text = to_json(entries).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool written = fd >= 0;
  for (size_t at = 0; written && at < text.size();) {
    const ssize_t count = write(fd, text.data() + at, text.size() - at);
    written = count > 0;
    if (written) at += static_cast<size_t>(count);
  }
  written = written && fsync(fd) == 0;
  int error = errno;
  if (fd >= 0) close(fd);
  if (written && std::rename(temporary.c_str(), file.c_str()) == 0) return {};
  if (written) error = errno;
  unlink(temporary.c_str());
  return Status::internal("cannot write " + file + ": " + std::strerror(error));
}

std::string default_models_file() {
  return data_directory() + "/models.json";
}

}  // namespace mkmd::models
