// SPDX-License-Identifier: Apache-2.0
#include "tools/verdict.hpp"

#include "common/json.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace mkmd::tool {

namespace {

using nlohmann::json;

constexpr const char* kCounts[] = {"launches", "splittable",  "checked", "splits",
                                   "pieces",   "differences", "varying", "failed"};
constexpr const char* kDistances[] = {"ulps", "nans", "bytes"};

uint64_t number(const json& j, const char* name) {
  return j.contains(name) && j.at(name).is_number_unsigned() ? j.at(name).get<uint64_t>() : 0;
}

std::string word(const json& j, const char* name) {
  return j.contains(name) && j.at(name).is_string() ? j.at(name).get<std::string>() : "";
}

// For a terminal.
std::string shown(const json& j, const char* name) {
  return printable(word(j, name));
}

void add(json& sum, const json& totals) {
  for (const char* name : kCounts)
    sum[name] = number(sum, name) + number(totals, name);
  for (const char* name : kDistances)
    sum[name] = std::max(number(sum, name), number(totals, name));
  if (!word(totals, "why_not").empty()) {
    sum["why_not"] = totals.at("why_not");
    sum["why_line"] = number(totals, "why_line");
  }
  if (!word(totals, "why_failed").empty()) sum["why_failed"] = totals.at("why_failed");
}

std::string groups(const json& d) {
  std::string text;
  const json& first = d.at("first_group");
  const json& end = d.at("end_group");
  for (size_t i = 0; i < 3; ++i) {
    const auto last = end.at(i).get<uint64_t>() - 1;
    if (i > 0 && last == 0) continue;
    text += (i > 0 ? " x " : "") + std::to_string(first.at(i).get<uint64_t>()) + "-" + std::to_string(last);
  }
  return text;
}

std::string meaning(const std::string& what) {
  const std::map<std::string, std::string> sentences = {
      {"undescribed read", "is read, but not described as read"},
      {"undescribed write", "is written, but not described as written"},
      {"missing write", "is described as surely written, but keeps what it held"},
      {"other result", "is not what the whole launch makes of it, whatever the rest holds"},
      {"crash", "a piece crashed that found poison where it is not described to read"},
      {"no end", "a piece did not end that found poison where it is not described to read"},
  };
  const auto known = sentences.find(what);
  return known != sentences.end() ? known->second : what;
}

std::string at_line(const json& j, const char* name) {
  return number(j, name) > 0 ? " (line " + std::to_string(number(j, name)) + ")" : "";
}

std::string sentence(const json& d) {
  std::string text = "mkmd: " + shown(d, "kernel") + ": ";
  const std::string what = word(d, "what");
  if (d.contains("argument")) {
    text += "argument " + std::to_string(number(d, "argument")) + " (" + shown(d, "name") + "), bytes " +
            std::to_string(number(d, "first_byte")) + "-" + std::to_string(number(d, "end_byte") - 1) + ", ";
  } else if (what == "undescribed read") {
    text += "what is in several arguments together ";
  } else if (what != "crash" && what != "no end") {
    text += "memory beyond its arguments ";
  }
  return text + meaning(what) + at_line(d, "line") + "; work-groups " + groups(d) + " on " +
         shown(d, "device") + "\n";
}

std::string checks(const json& k) {
  std::string text = ", " + std::to_string(number(k, "splittable")) + " may be split, " +
                     std::to_string(number(k, "checked")) + " checked";
  if (number(k, "checked") + number(k, "differences") > 0) {
    text += " (" + counted(number(k, "splits"), "split") + ", " + counted(number(k, "pieces"), "piece") +
            "): " +
            (number(k, "differences") == 0 ? "no differences"
                                           : std::to_string(number(k, "differences")) + " with differences");
  }
  if (number(k, "failed") > 0)
    text += "; " + std::to_string(number(k, "failed")) + " could not be checked: " + shown(k, "why_failed");
  if (number(k, "varying") > 0)
    text += "; " + std::to_string(number(k, "varying")) + " with other results each time they run";
  if (number(k, "splittable") < number(k, "launches")) {
    text += "; " + std::to_string(number(k, "launches") - number(k, "splittable")) +
            " may not be split: " + shown(k, "why_not") + at_line(k, "why_line");
  }
  return text;
}

}  // namespace

json verdict_of(std::string_view lines) {
  using Name = std::pair<std::string, std::string>;  // of a kernel, and what identifies its program
  std::map<std::pair<int64_t, Name>, json> totals;   // the last of each process and kernel
  std::map<int64_t, std::pair<Name, json>> ended;    // by process: a crash, if nothing came after it
  std::map<int64_t, bool> complete;
  json differences = json::array();
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const auto line = parse_json(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line || !line->is_object() || !line->contains("process")) continue;
    if (!line->at("process").is_number_integer()) continue;
    const auto process = line->at("process").get<int64_t>();
    const Name name{word(*line, "kernel"), word(*line, "program")};
    ended.erase(process);
    complete[process] |= line->contains("complete");
    const auto told = [&](const char* what) {
      json j = line->at(what);
      j["kernel"] = name.first;
      j["program"] = name.second;
      return j;
    };
    const auto tells = [&](const char* what) { return line->contains(what) && line->at(what).is_object(); };
    if (tells("totals")) totals[{process, name}] = line->at("totals");
    if (tells("difference")) differences.push_back(told("difference"));
    if (tells("ended_by")) ended[process] = {name, told("ended_by")};
  }
  std::map<Name, json> kernels;
  for (const auto& [key, of_process] : totals)
    add(kernels[key.second], of_process);
  for (const auto& [process, how] : ended) {
    differences.push_back(how.second);
    json& sum = kernels[how.first];
    sum["differences"] = number(sum, "differences") + 1;
  }
  json list = json::array();
  for (auto& [name, sum] : kernels) {
    sum["name"] = name.first;
    sum["program"] = name.second;
    list.push_back(std::move(sum));
  }
  const auto incomplete = std::ranges::count_if(complete, [](const auto& known) { return !known.second; });
  return {{"kernels", std::move(list)},
          {"differences", std::move(differences)},
          {"incomplete", static_cast<uint64_t>(incomplete)}};
}

std::string as_text(const json& verdict) {
  std::string text;
  for (const json& k : verdict.at("kernels")) {
    text += "mkmd: " + shown(k, "name") + ": " + std::to_string(number(k, "launches")) + " launched";
    if (number(k, "splittable") + number(k, "differences") > 0) {
      text += checks(k);
    } else {
      text += ", none may be split: " + shown(k, "why_not") + at_line(k, "why_line");
    }
    if (number(k, "ulps") > 0)
      text += "; devices with another code generator differ by up to " + counted(number(k, "ulps"), "ulp");
    if (number(k, "nans") > 0)
      text += "; " + counted(number(k, "nans"), "number") + " NaN on one of them only";
    if (number(k, "bytes") > 0)
      text += "; " + counted(number(k, "bytes"), "byte") + " that are no floats differ between them";
    text += "\n";
  }
  for (const json& d : verdict.at("differences"))
    text += sentence(d);
  if (const uint64_t processes = number(verdict, "incomplete"); processes > 0) {
    text += "mkmd: " + (processes == 1 ? "a process" : std::to_string(processes) + " processes") +
            " ended without exit handlers: there may be more launches than are counted\n";
  }
  return text;
}

}  // namespace mkmd::tool
